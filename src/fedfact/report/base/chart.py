"""A chart: panels side by side, one sentence on what they say, and the table behind them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from matplotlib.axes import Axes

from .words import Cell

Draw = Callable[[Axes], None]
"""Draws one panel."""

WIDTH, HEIGHT = 4.6, 3.3
"""Of a panel, in inches."""


@dataclass(frozen=True)
class Panel:
    """A small picture with its title."""

    title: str
    draw: Draw
    height: float = HEIGHT


@dataclass(frozen=True)
class Chart:
    """What a figure of the report is made of.

    Attributes:
        stem: of the names of its files.
        number: of the figure in the paper; None where the paper has none.
        sentence: what it says about these results, whatever they are.
        header, rows: the numbers that are drawn.
        columns: how many panels stand beside each other.
    """

    stem: str
    number: int | None
    title: str
    sentence: str
    panels: list[Panel]
    header: list[str]
    rows: list[list[Cell]] = field(repr=False)
    columns: int = 3
