"""What federation saves a member at least: a 95 % lower bound on e(m) − e(M) (docs/calibrate.md).

The bound takes nothing from the fit. It is Welch's, on a weighted sum of the mean losses measured:
1 at m and −1 at the size of the whole. For m between two sizes convexity gives weights: with
m ≤ x₁ < x₂ and λ = (x₁ − m)/(x₂ − x₁), the line through both is below the curve at m, so that
e(m) ≥ (1 + λ)·e(x₁) − λ·e(x₂).
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from ..arrays import Floats, Ints, floats
from ..errors import InputError
from .fit import LEVEL

MOST = 1000
"""Sizes of a range for which the bound is taken."""


class Saving(NamedTuple):
    """What federation saves a member of so many samples, in loss: by the curve, and at least."""

    samples: int
    fitted: float
    least: float

    @property
    def ratio(self) -> float:
        """How much of the fitted saving is certain."""
        return self.least / self.fitted


def welch(
    weights: Floats, mean: Floats, variance: Floats, count: Ints, level: float = LEVEL
) -> tuple[Floats, Floats]:
    """Weighted sums of means (one a row of weights), and how far below them the truth may lie.

    One-sided, with Welch's degrees of freedom: variances differ with size. Means and variances may
    have axes before the last.
    """
    part = floats(variance)[..., None, :] / count * weights**2
    total = part.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = total**2 / (part**2 / (count - 1)).sum(axis=-1)
    quantile = stats.t.ppf(level, np.where(total > 0, freedom, 1.0))
    return floats(mean) @ weights.T, floats(quantile * np.sqrt(total))


def place_of_whole(samples: Ints, whole: int) -> int:
    """The row of the largest size that is no larger than the whole: its loss is no lower."""
    below = np.flatnonzero(samples <= whole)
    if len(below) < 2:
        raise InputError(
            f"the whole is {whole:,} samples, and the runs begin at {samples[0]:,}; name the "
            "samples that all members use together, or train at smaller sizes"
        )
    return int(below[-1])


def weights_of(samples: Ints, members: Ints, place: int) -> Floats:
    """The weights of the mean losses in the bound of each member, a row for each."""
    rows = np.zeros((len(members), len(samples)))
    for row, m in zip(rows, members.tolist(), strict=True):
        first = int(np.searchsorted(samples, m))
        if m >= samples[place] or (samples[first] != m and first + 1 == len(samples)):
            raise _too_large(samples, m, place)
        if samples[first] == m:
            row[first] = 1
        else:
            near, far = samples[first], samples[first + 1]
            slope = (near - m) / (far - near)
            row[first], row[first + 1] = 1 + slope, -slope
        row[place] -= 1
    return rows


def _too_large(samples: Ints, m: int, place: int) -> InputError:
    most = samples[place] - 1 if place + 1 < len(samples) else samples[place - 1]
    return InputError(
        f"a member of {m:,} samples is too close to the whole: with these runs, members may have "
        f"up to {most:,}; name smaller members, or train at {m:,} samples and at the whole"
    )


def between(low: int, high: int) -> list[int]:
    """Sizes from one to the other for which to take the bound: all, or a thousand of them."""
    if not 1 <= low <= high:
        raise ValueError
    return [int(m) for m in np.unique(np.geomspace(low, high, MOST).round())]
