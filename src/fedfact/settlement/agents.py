"""Agents from a file: CSV with a header line, or JSON with a list of objects.

Columns: agent, reported_cost, samples; optional true_cost, capacity, size, left, and local_loss
together with federated_loss. Whatever is wrong is said with the file, the row and what to do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..errors import InputError
from ..io.tables import read_columns
from ..mechanism import Population
from ..mechanism.population import MOST_SIZE
from ..results import Tabular

REQUIRED = ("agent", "reported_cost", "samples")
OPTIONAL = ("true_cost", "capacity", "size", "left", "local_loss", "federated_loss")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgentsFile(Tabular):
    """What a file says of its agents, in columns; and which other columns it has."""

    path: Path
    agents: list[str]
    reported_cost: Floats
    samples: Ints
    true_cost: Floats | None
    capacity: Ints | None
    size: Ints | None
    left: Bools | None
    local_loss: Floats | None
    federated_loss: Floats | None
    ignored: list[str]
    place: Callable[[int], str]
    """Where the k-th agent stands in the file, in words."""

    def rows(self) -> list[dict[str, Any]]:
        """Each agent with the columns that are there."""
        columns = {"agent": self.agents}
        for name in (*REQUIRED[1:], *OPTIONAL):
            values = getattr(self, name)
            if isinstance(values, np.ndarray):
                columns[name] = values.tolist()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def population(self, *, measured: bool | None = None) -> Population:
        """The agents to settle; by measured losses if asked, or if not asked and they are there."""
        missing = [name for name in ("local_loss", "federated_loss") if getattr(self, name) is None]
        if missing and (measured or (measured is None and len(missing) == 1)):
            raise InputError(
                f"{self.path}: column {missing[0]} is missing; settling by measured losses needs "
                "local_loss and federated_loss"
            )
        take = measured is not False
        try:
            return Population(
                agents=self.agents,
                reported_cost=self.reported_cost,
                samples=self.samples,
                capacity=self.capacity,
                size=self.size,
                left=self.left,
                local_loss=self.local_loss if take else None,
                federated_loss=self.federated_loss if take else None,
            )
        except InputError as error:
            raise self.locate(error) from None

    def locate(self, error: InputError) -> InputError:
        """The error with its place in this file put before it."""
        where = str(self.path)
        if error.index is not None:
            where += f", {self.place(error.index)}"
        return InputError(f"{where}: {error}")


def read_agents(path: Path | str) -> AgentsFile:
    """Read a file of agents, checking every value by itself."""
    path = Path(path)
    read = read_columns(path, REQUIRED, OPTIONAL)

    def optional(name: str, reader: Callable[[str], Any]) -> Any:
        return reader(name) if name in read.columns else None

    return AgentsFile(
        path=path,
        agents=read.names("agent"),
        reported_cost=read.costs("reported_cost"),
        samples=read.whole("samples"),
        true_cost=optional("true_cost", read.costs),
        capacity=optional("capacity", read.whole),
        size=optional("size", lambda name: read.whole(name, MOST_SIZE, "")),
        left=optional("left", read.truth),
        local_loss=optional("local_loss", read.numbers),
        federated_loss=optional("federated_loss", read.numbers),
        ignored=[name for name in read.columns if name not in REQUIRED + OPTIONAL],
        place=read.place,
    )
