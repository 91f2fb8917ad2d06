"""The agents of one settlement: who they are, what they reported, what they delivered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import IN_RANGE, LARGEST, MOST_SAMPLES, SMALLEST, Bools, Floats, Ints
from ..errors import InputError
from .exact import exact_sum

MOST_IN_ALL = 2**53
"""The most samples all agents may have together; up to here floats are exact too."""

MOST_SIZE, MOST_SIZE_IN_ALL = 10**6, 10**12
"""The largest size of one agent and of all: amounts stay whole sub-units that fit in 64 bits."""

_KINDS: dict[str, tuple[str, Any]] = {
    "numbers": ("iuf", np.float64),
    "whole numbers": ("i", np.int64),
    "truth values": ("b", np.bool_),
}
_COLUMNS = {
    "reported_cost": "numbers",
    "samples": "whole numbers",
    "counted": "whole numbers",
    "capacity": "whole numbers",
    "size": "whole numbers",
    "left": "truth values",
    "local_loss": "numbers",
    "federated_loss": "numbers",
}


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Agents in columns of equal length, lists or arrays. Checked when made; order has no meaning.

    Attributes:
        agents: distinct ids, at least three.
        reported_cost: c in Eq. 8, per sample; above 0.
        samples: m_i, delivered; whole and above 0.
        capacity: the most samples each can use; nobody is charged for not using more. None: as
            many as it likes.
        size: u_i, a verified fact such as beds or sites: an agent's errors cost it so many times as
            much. None: all alike, 1.
        local_loss, federated_loss: measured test losses, both or neither.
        left: agents that were gone before the end; they pay the fee for what they delivered, no
            charge for what they did not, and forfeit reward and rebate.
        counted: the samples that charges go by, where agents are billed for fewer because they were
            away. None: those billed.
        signed_size: Σu of all that signed, where some of them did not deliver; by it charges are
            worked out. None: those here are all that signed.
    """

    agents: Sequence[str]
    reported_cost: Floats
    samples: Ints
    capacity: Ints | None = None
    local_loss: Floats | None = None
    federated_loss: Floats | None = None
    left: Bools | None = None
    size: Ints | None = None
    signed_size: int | None = None
    counted: Ints | None = None

    def __post_init__(self) -> None:
        if len(self.agents) < 3:
            raise InputError(
                f"there are {len(self.agents)} agents; a settlement needs at least three "
                "(six or more are recommended)"
            )
        for name, kind in _COLUMNS.items():
            self._take_column(name, kind)
        if (self.local_loss is None) != (self.federated_loss is None):
            raise InputError("local_loss and federated_loss go together: give both or neither")
        self._check_ids()
        sane = (self.reported_cost >= SMALLEST) & (self.reported_cost <= LARGEST)
        self._check(sane, "reported_cost", IN_RANGE)
        self._check(self.samples > 0, "samples", "a whole number above 0")
        self._check(self.samples <= MOST_SAMPLES, "samples", f"at most {MOST_SAMPLES:,}")
        if self.total > MOST_IN_ALL:
            raise InputError(f"samples add up to {self.total:,}, more than {MOST_IN_ALL:,}")
        for name in ("local_loss", "federated_loss"):
            if getattr(self, name) is not None:
                self._check(np.isfinite(getattr(self, name)), name, "a finite number")
        used = self.used
        if self.counted is not None:
            self._check(used >= self.samples, "counted", "as many as samples, or more")
        if self.capacity is not None:
            capacity = self.capacity
            self.refuse(
                capacity < used,
                lambda k: f"it delivered {used[k]:,} samples and has {capacity[k]:,}",
            )
        self._check_sizes()

    @property
    def used(self) -> Ints:
        """The samples that charges go by."""
        return self.samples if self.counted is None else self.counted

    @property
    def total(self) -> int:
        """M = Σ m_i."""
        return exact_sum(self.samples)

    @property
    def total_size(self) -> int:
        """U = Σ u_i."""
        return len(self) if self.size is None else exact_sum(self.size)

    @property
    def groups(self) -> int:
        """G = ⌊n/3⌋."""
        return len(self) // 3

    def __len__(self) -> int:
        return len(self.agents)

    def refuse(self, bad: Bools, why: Callable[[int], str]) -> None:
        """Refuse the population for its first agent that is ``bad``; ``why`` says what is wrong."""
        if bad.any():
            k = int(np.argmax(bad))
            raise InputError(f"agent {self.agents[k]!r}: {why(k)}", k)

    def _take_column(self, name: str, kind: str) -> None:
        """Turn a column into an array of its type, and refuse what would not keep its values."""
        if getattr(self, name) is None:
            return
        column = np.asarray(getattr(self, name))
        letters, dtype = _KINDS[kind]
        if column.dtype.kind not in letters:
            raise InputError(f"{name} must be {kind}")
        if column.shape != (len(self),):
            raise InputError(f"{name} has shape {column.shape}, not one entry for each agent")
        object.__setattr__(self, name, column.astype(dtype, copy=False))

    def _check_ids(self) -> None:
        if set(map(type, self.agents)) != {str}:
            raise InputError("agents must be names, in text")
        hashes = np.sort(np.fromiter(map(hash, self.agents), np.int64, len(self)))
        if not (hashes[1:] == hashes[:-1]).any():  # sorting hashes is kinder to caches than a set
            return
        seen: set[str] = set()
        for k, agent in enumerate(self.agents):
            if agent in seen:
                raise InputError(f"agent {agent!r} is there twice; ids must be distinct", k)
            seen.add(agent)

    def _check_sizes(self) -> None:
        if self.size is not None:
            sane = (self.size > 0) & (self.size <= MOST_SIZE)
            self._check(sane, "size", f"a whole number from 1 to {MOST_SIZE:,}")
            if self.total_size > MOST_SIZE_IN_ALL:
                raise InputError(
                    f"sizes add up to {self.total_size:,}, more than {MOST_SIZE_IN_ALL:,}; "
                    "give them in larger steps, such as thousands"
                )
        if self.signed_size is not None and self.signed_size < self.total_size:
            raise InputError(
                f"signed_size is {self.signed_size:,}, less than the {self.total_size:,} here"
            )

    def _check(self, good: Bools, column: str, wanted: str) -> None:
        self.refuse(
            ~good, lambda k: f"{column} is {getattr(self, column)[k].item()}; it must be {wanted}"
        )
