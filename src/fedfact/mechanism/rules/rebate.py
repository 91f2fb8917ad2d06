"""``rebate``, priced against training alone: your effective samples are your samples."""

from typing import ClassVar

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ..other_agents import Standing
from ..terms import Terms
from .balanced import Balanced


class Rebate(Balanced):
    """All that federation saves a member is its fee: the rule that collects the most data."""

    name: ClassVar[str] = "rebate"
    source: ClassVar[str] = "ours, docs/theory.md"
    measured_loss: ClassVar[str] = "ℓ_i − 1/(n−1) · Σ_{j≠i} f_j"
    measured_meaning: ClassVar[str] = (
        "Our rule without a draw: everybody receives its share. Fees follow measured losses, so "
        "agents that used other data than they agreed to pay no consistency charge."
    )
    guarantees: ClassVar[tuple[str, ...]] = (
        "In every outcome you end no worse than training alone would leave you.",
        "Your true cost and the samples that are best for it are best whatever others do.",
    )
    choose_when: ClassVar[str] = "the model matters most: it collects the most data"

    def least_back(self, others: ArrayLike, standing: Standing, terms: Terms) -> Floats:
        """Least where the others have equal samples, since e is convex; with sizes, not below 0."""
        if standing.all_sizes != standing.agents:
            return np.zeros_like(floats(others))
        n, S, curve = standing.agents, floats(others), terms.curve
        back = curve.error(S / (n - 1)) - curve.error(n * S / (n - 1))
        return floats((1 - float(terms.retention)) * back)
