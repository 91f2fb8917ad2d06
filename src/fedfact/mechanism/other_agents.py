"""The other agents, as one agent sees them, and what it is itself beside them."""

from dataclasses import dataclass

from ..arrays import Floats, Ints
from ..errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """The other agents, j ≠ i: their samples and reported costs, and their sizes if they have any.

    ``size`` is None where all are alike, 1.
    """

    samples: Floats
    reported_cost: Floats
    size: Ints | None = None

    def __post_init__(self) -> None:
        if len(self.samples) < 2 or len(self.samples) != len(self.reported_cost):
            raise InputError("give samples and reported_cost of two other agents at least")
        if self.size is not None and len(self.size) != len(self.samples):
            raise InputError("give the size of every other agent, or of none")

    @property
    def total(self) -> float:
        """S = Σ_{j≠i} m_j."""
        return float(self.samples.sum())

    @property
    def n(self) -> int:
        """Number of agents, the one in question included."""
        return len(self.samples) + 1

    @property
    def total_size(self) -> int:
        """Σ_{j≠i} u_j."""
        return len(self.samples) if self.size is None else int(self.size.sum())

    def beside(self, size: int = 1, capacity: int | None = None) -> "Standing":
        """What an agent of this size is among them."""
        return Standing(self.n, size, self.total_size + size, capacity)


@dataclass(frozen=True, slots=True)
class Standing:
    """What an agent is beside the others, whatever it reports or uses.

    Attributes:
        agents: n.
        size: u, a verified fact.
        total_size: U, of all; None: as many as agents.
        capacity: the most samples it can use; None: as many as it likes.
    """

    agents: int
    size: int = 1
    total_size: int | None = None
    capacity: int | None = None

    @property
    def all_sizes(self) -> int:
        """U."""
        return self.agents if self.total_size is None else self.total_size
