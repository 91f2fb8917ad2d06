"""What a reader may point at in a picture: the points, bars and dots that were drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.ticker import FixedLocator

from .style import Percent

_MOST_POINTS = 60


@dataclass(frozen=True)
class Hotspot:
    """A place in the picture, in points from its upper left corner, and what stands there.

    Attributes:
        box: left, top, right and bottom of a bar; None for a point.
    """

    x: float
    y: float
    label: str
    text: str
    box: tuple[float, float, float, float] | None = None


def hotspots(axes: Axes) -> list[Hotspot]:
    """Of everything on the axes that has a label. Call it when the figure has been drawn."""
    return [*_bars(axes), *_lines(axes), *_dots(axes)]


def _lines(axes: Axes) -> Iterator[Hotspot]:
    for line in axes.lines:
        label = str(line.get_label())
        if label.startswith("_") or line.get_transform() != axes.transData:
            continue  # unnamed, or not data: a line across the axes
        x, y = (np.asarray(values, np.float64) for values in line.get_data())
        kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).round().astype(int))
        yield from (_point(axes, label, x[k], y[k]) for k in kept if np.isfinite(y[k]))


def _dots(axes: Axes) -> Iterator[Hotspot]:
    for dots in axes.collections:
        label = str(dots.get_label())
        if isinstance(dots, PathCollection) and not label.startswith("_"):
            places = np.asarray(dots.get_offsets())
            yield from (_point(axes, label, *xy) for xy in places if np.isfinite(xy).all())


def _bars(axes: Axes) -> Iterator[Hotspot]:
    for bars in axes.containers:
        if not isinstance(bars, BarContainer) or str(bars.get_label()).startswith("_"):
            continue
        flat = bars.orientation == "horizontal"
        for bar, error in zip(bars.patches, _errors(bars), strict=True):
            size = bar.get_width() if flat else bar.get_height()
            left, bottom = bar.get_xy()
            right, top = left + bar.get_width(), bottom + bar.get_height()
            middle = (bottom + top) / 2 if flat else (left + right) / 2
            x, y = (right, middle) if flat else (middle, top)
            (x0, y0), (x1, y1) = _place(axes, left, bottom), _place(axes, right, top)
            along, across = (axes.xaxis, axes.yaxis) if flat else (axes.yaxis, axes.xaxis)
            yield Hotspot(
                *_place(axes, x, y),
                str(bars.get_label()),
                f"{_told(across, middle)}\n{_told(along, size)}{error}".strip(),
                (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)),
            )


def _errors(bars: BarContainer) -> list[str]:
    """The interval of each bar, in words."""
    drawn: Any = bars.errorbar
    if drawn is None:
        return [""] * len(bars.patches)
    along = 0 if bars.orientation == "horizontal" else 1
    texts = []
    for segment in drawn.lines[2][0].get_segments():
        low, high = segment[0][along], segment[1][along]
        texts.append(f" ({low:.4g} to {high:.4g})" if high > low else "")
    return texts


def _point(axes: Axes, label: str, x: float, y: float) -> Hotspot:
    text = f"{_told(axes.xaxis, x)}\n{_told(axes.yaxis, y)}".strip()
    return Hotspot(*_place(axes, x, y), label, text)


def _place(axes: Axes, x: float, y: float) -> tuple[float, float]:
    """Where data coordinates are in the picture, in points, downwards as on a page."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    at_x, at_y = axes.transData.transform((x, y))
    return (
        round(float(at_x) * 72 / figure.dpi, 1),
        round(figure.get_figheight() * 72 - float(at_y) * 72 / figure.dpi, 1),
    )


def _told(axis: Axis, value: float) -> str:
    """Name and value; nothing where the axis has no scale, for there are too many rows to name."""
    if len(axis.get_major_locator()()) == 0:
        return ""
    return f"{_named(axis)} {_value(axis, value)}".lstrip()


def _named(axis: Axis) -> str:
    """What an axis is about: its label up to a comma; nothing where the label is a legend."""
    text = axis.get_label_text()
    return "" if "◂" in text else text.split(",")[0]


def _value(axis: Axis, value: float) -> str:
    """A value as the axis writes it, with more digits; the name of a row that has one."""
    form = axis.get_major_formatter()
    locator = axis.get_major_locator()
    if isinstance(locator, FixedLocator):
        ticks = np.asarray(locator())
        return str(form(ticks[np.argmin(np.abs(ticks - value))])).replace("\n", " ")
    if isinstance(form, Percent):
        return f"{100 * value:.4g} %"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
