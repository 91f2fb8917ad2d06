"""Curves over seeds: their mean as a line, and the 95 % interval as a band."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...arrays import Floats
from ...study.measure.interval import estimate


@dataclass(frozen=True, eq=False)
class Band:
    """A mean over seeds at each x; the interval is not a number with one seed."""

    x: Floats
    mean: Floats
    low: Floats
    high: Floats


def band(x: Any, seeds: Any) -> Band:
    """The band of curves, one row a seed."""
    values = np.asarray(seeds, np.float64)
    points = [estimate(column) for column in values.T]
    mean, low, high = (
        np.array([p[key] for p in points], np.float64) for key in ("mean", "low", "high")
    )
    return Band(np.asarray(x, np.float64), mean, low, high)


def draw_band(axes: Axes, of: Band, colour: str, label: str, **line: Any) -> None:
    """Line and band; a line of one point is a dot."""
    if len(of.x) == 1:
        line["marker"] = "o"
    axes.plot(of.x, of.mean, color=colour, label=label, **line)
    axes.fill_between(of.x, of.low, of.high, color=colour, alpha=0.2, lw=0)
