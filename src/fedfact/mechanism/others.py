"""The other agents, as one agent sees them."""

from dataclasses import dataclass

from ..arrays import Floats
from ..errors import InputError
from .losses import pool_of_others


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """The other agents, j ≠ i: their samples and reported costs."""

    samples: Floats
    reported_cost: Floats

    def __post_init__(self) -> None:
        if len(self.samples) < 2 or len(self.samples) != len(self.reported_cost):
            raise InputError("give samples and reported_cost of two other agents at least")

    @property
    def total(self) -> float:
        """S = Σ_{j≠i} m_j."""
        return float(self.samples.sum())

    @property
    def n(self) -> int:
        """Number of agents, the one in question included."""
        return len(self.samples) + 1

    def pool(self, error_scale: float) -> float:
        """Σ_{j≠i} A(1/m_j − 1/S): what they put up for agent i, whatever i does."""
        errors = (error_scale / self.samples).sum()
        return float(pool_of_others(errors, self.total, self.n, error_scale))
