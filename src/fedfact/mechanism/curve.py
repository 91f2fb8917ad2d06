"""The learning curve: what errors cost an agent whose model was trained on m samples.

    e(m) = A·m^(−b)

A is the *error scale*, b the *exponent*. The paper has b = 1 and A = γσ²L/2; real curves are power
laws with b mostly between 0.2 and 1. What a model can never learn would add a constant, which drops
out of every fee, rebate and charge. Wherever a function here asks for a curve, a number stands for
the paper's: A/m.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..arrays import ArrayLike, Floats, floats


@dataclass(frozen=True, slots=True)
class Curve:
    """e(m) = A·m^(−b). An array of error scales makes a curve for each agent."""

    error_scale: ArrayLike
    exponent: float = 1.0

    def error(self, samples: ArrayLike) -> Floats:
        """e(m); infinite without samples.

        >>> float(Curve(8.0, 0.5).error(4))
        4.0
        """
        A, m, b = floats(self.error_scale), floats(samples), self.exponent
        with np.errstate(divide="ignore"):
            return A / m if b == 1 else A * m**-b

    def saved(self, samples: ArrayLike, others: ArrayLike) -> Floats:
        """e(m) − e(m + S), without cancellation where S is small."""
        m, S, b = floats(samples), floats(others), self.exponent
        with np.errstate(divide="ignore"):
            if b == 1:
                return floats(self.error_scale) / m * (S / (m + S))
            return self.error(m) * -np.expm1(-b * np.log1p(S / m))

    def optimum(self, cost: ArrayLike) -> Floats:
        """m* = (A·b/c)^(1/(1+b)), where e(m) + c·m is least (Thm 1 where b = 1)."""
        b, ratio = self.exponent, floats(self.error_scale) / floats(cost)
        optimum: Floats = np.sqrt(ratio) if b == 1 else (b * ratio) ** (1 / (1 + b))
        return optimum

    def least_loss(self, cost: ArrayLike) -> Floats:
        """e(m*) + c·m* = (1 + b)/b · c·m*: the loss of training alone."""
        b = self.exponent
        return floats((1 + b) / b * floats(cost) * self.optimum(cost))

    def fitting_cost(self, samples: ArrayLike) -> Floats:
        """The cost for which these samples are the optimum: A·b·m^(−1−b)."""
        A, m, b = floats(self.error_scale), floats(samples), self.exponent
        with np.errstate(divide="ignore"):
            return floats(A / m**2 if b == 1 else A * b * m ** (-1 - b))

    def times(self, factor: ArrayLike) -> "Curve":
        """The same curve with so many times the error scale."""
        return Curve(floats(self.error_scale) * floats(factor), self.exponent)


CurveLike: TypeAlias = Curve | ArrayLike
"""A curve, or the error scale of the paper's."""


def curve_of(curve: CurveLike) -> Curve:
    """The curve; of a number, the paper's with that error scale (Eq. 2)."""
    return curve if isinstance(curve, Curve) else Curve(curve)
