"""Where a function is least, by finer and finer grids: of one function, or of many at once."""

from collections.abc import Callable

import numpy as np

from ..arrays import Floats, floats

_POINTS = 65


def minimise(
    loss: Callable[[Floats], Floats], low: float, high: float, points: int = _POINTS
) -> float:
    """Where ``loss`` is least between two positive bounds: best of a grid, then of finer ones."""
    while high / low > 1 + 1e-13:
        grid = np.geomspace(low, high, points)
        k = int(np.argmin(loss(grid)))
        bounds = float(grid[max(k - 1, 0)]), float(grid[min(k + 1, points - 1)])
        if bounds == (low, high):
            break
        (low, high), points = bounds, _POINTS
    return low if loss(floats([low, high])).argmin() == 0 else high


def least_of_each(
    loss: Callable[[Floats], Floats],
    low: Floats,
    high: Floats,
    rounds: int = 10,
    points: int = 33,
    finer: int = 33,
) -> Floats:
    """Where each row of ``loss`` is least between its positive bounds: finer and finer grids.

    ``loss`` takes a grid, whose last axis are the points tried, and gives the loss at each. The
    first grid has ``points`` of them and those after it ``finer``, between the neighbours of the
    best; with ten rounds a step of the last one is below one part in a thousand million.
    """
    start, width = np.log(low), np.log(high) - np.log(low)
    for k in range(rounds):
        last = (finer if k else points) - 1
        grid = np.exp(start[..., None] + width[..., None] * (np.arange(last + 1) / last))
        best = loss(grid).argmin(axis=-1)
        left, right = np.maximum(best - 1, 0), np.minimum(best + 1, last)
        start, width = start + width * left / last, width * (right - left) / last
    return floats(np.take_along_axis(grid, best[..., None], -1)[..., 0])
