"""Refusals: a curve that is not decreasing and convex beyond noise, on which no bound can rest."""

import numpy as np

from ..arrays import Floats, floats
from ..errors import InputError
from .bound import welch
from .fit import LEVEL
from .runs import LOSS, Sizes

_ROUNDING = 1e-9
"""Of the range of the losses: what is less is no sign of anything."""


def check_shape(sizes: Sizes) -> None:
    """Refuse losses that rise, or whose decrease speeds up, by more than seeds explain.

    All neighbours are tested at once, so that a good curve is refused in at most one case of twenty
    (Bonferroni).
    """
    x, mean, loss = sizes.samples, sizes.mean, sizes.measure
    if mean[-1] >= mean[0]:
        raise InputError(
            f"the {loss} does not fall: {mean[0]:.4g} at {x[0]:,} samples, {mean[-1]:.4g} at "
            f"{x[-1]:,}; train longer, check the test set, or take sizes that lie further apart"
            + _otherwise(sizes)
        )
    rises, bends = _rises(len(x)), _bends(floats(x))
    level = 1 - (1 - LEVEL) / (len(rises) + len(bends))
    if (k := _worst(rises, sizes, level)) is not None:
        raise InputError(
            f"the {loss} rises from {mean[k]:.4g} at {x[k]:,} samples to {mean[k + 1]:.4g} at "
            f"{x[k + 1]:,}, by more than seeds explain; check these runs, train longer or stop "
            "earlier, or leave out the sizes where more data does not help yet" + _otherwise(sizes)
        )
    if (k := _worst(bends, sizes, level)) is not None:
        raise InputError(
            f"the curve is not convex at {x[k + 1]:,} samples: its {loss}, {mean[k + 1]:.4g}, "
            f"lies above the line from {mean[k]:.4g} at {x[k]:,} to {mean[k + 2]:.4g} at "
            f"{x[k + 2]:,}, by more than seeds explain; check these runs, or leave out the sizes "
            f"below {x[k + 1]:,}, where learning has not begun yet"
        )


def _otherwise(sizes: Sizes) -> str:
    """What to measure instead: of overfitted networks more data may raise the cross-entropy."""
    if sizes.measure != LOSS:
        return ""
    return (
        "; networks that overfit grow ever more sure of their errors: the share of wrong answers "
        "may fall where the loss does not (--measure error)"
    )


def _rises(sizes: int) -> Floats:
    """e(x_{k+1}) − e(x_k), a row for each: never above 0 on a decreasing curve."""
    return floats(np.eye(sizes)[1:] - np.eye(sizes)[:-1])


def _bends(x: Floats) -> Floats:
    """How far e(x_{k+1}) is above the chord of its neighbours: never on a convex curve."""
    rows = np.zeros((len(x) - 2, len(x)))
    for k, row in enumerate(rows):
        part = (x[k + 1] - x[k]) / (x[k + 2] - x[k])
        row[k : k + 3] = part - 1, 1, -part
    return rows


def _worst(rows: Floats, sizes: Sizes, level: float) -> int | None:
    """The row that is above 0 by more than noise, the first of them."""
    value, margin = welch(rows, sizes.mean, sizes.variance, sizes.count, level)
    least = _ROUNDING * (sizes.mean.max() - sizes.mean.min())
    above = np.flatnonzero(value - margin > least)
    return int(above[0]) if len(above) else None
