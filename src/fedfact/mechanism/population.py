"""The agents of one settlement: who they are, what they reported, what they delivered."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import LARGEST, MOST_SAMPLES, SMALLEST, Bools, Floats, Ints
from .errors import InputError

_MOST_TOTAL = 2**53  # totals stay exact as floats too


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Agents in columns of equal length. Checked when made; positions carry no meaning.

    Attributes:
        agents: distinct ids, at least three.
        reported_cost: c in Eq. 8, per sample; above 0.
        samples: m_i, delivered; whole and above 0.
        capped: agents that own too little data to reach m*; they pay no consistency charge.
        local_loss, federated_loss: measured test losses, both or neither.
    """

    agents: Sequence[str]
    reported_cost: Floats
    samples: Ints
    capped: Bools | None = None
    local_loss: Floats | None = None
    federated_loss: Floats | None = None

    def __post_init__(self) -> None:
        if len(self.agents) < 3:
            raise InputError(
                f"there are {len(self.agents)} agents; a settlement needs at least three "
                "(six or more are recommended)"
            )
        self._check_columns()
        self._check_ids()
        sane = (self.reported_cost >= SMALLEST) & (self.reported_cost <= LARGEST)
        self._check(sane, "reported_cost", f"above 0, from {SMALLEST:g} to {LARGEST:g}")
        self._check(self.samples > 0, "samples", "a whole number above 0")
        self._check(self.samples <= MOST_SAMPLES, "samples", f"at most {MOST_SAMPLES:,}")
        if self.total > _MOST_TOTAL:
            raise InputError(f"samples add up to {self.total:,}, more than {_MOST_TOTAL:,}")
        for name in ("local_loss", "federated_loss"):
            if getattr(self, name) is not None:
                self._check(np.isfinite(getattr(self, name)), name, "a finite number")

    @property
    def total(self) -> int:
        """M = Σ m_i."""
        return sum(int(part.sum()) for part in np.array_split(self.samples, 1 + len(self) // 10**6))

    @property
    def groups(self) -> int:
        """G = ⌊n/3⌋."""
        return len(self) // 3

    def __len__(self) -> int:
        return len(self.agents)

    def _check_columns(self) -> None:
        kinds = {
            "reported_cost": np.float64,
            "samples": np.int64,
            "capped": np.bool_,
            "local_loss": np.float64,
            "federated_loss": np.float64,
        }
        for name, kind in kinds.items():
            column = getattr(self, name)
            if column is None:
                continue
            if not isinstance(column, np.ndarray) or column.dtype != kind or column.ndim != 1:
                raise InputError(f"{name} must be a one-dimensional array of {kind.__name__}")
            if len(column) != len(self):
                raise InputError(f"{name} has {len(column)} entries for {len(self)} agents")
        if (self.local_loss is None) != (self.federated_loss is None):
            raise InputError("local_loss and federated_loss go together: give both or neither")

    def _check_ids(self) -> None:
        hashes = np.sort(np.fromiter(map(hash, self.agents), np.int64, len(self)))
        if not (hashes[1:] == hashes[:-1]).any():  # sorting hashes is kinder to caches than a set
            return
        seen: set[str] = set()
        for k, agent in enumerate(self.agents):
            if agent in seen:
                raise InputError(f"agent {agent!r} is there twice; ids must be distinct", k)
            seen.add(agent)

    def _check(self, good: Bools, column: str, wanted: str) -> None:
        if not good.all():
            k = int(np.argmin(good))
            value = getattr(self, column)[k].item()
            agent = self.agents[k]
            raise InputError(f"agent {agent!r}: {column} is {value}; it must be {wanted}", k)
