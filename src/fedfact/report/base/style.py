"""How our figures look, and how they become files."""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import Bbox, ScaledTranslation

# Distinct in print, in grey and to colour-blind readers (after Okabe and Ito).
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#6B6B6B"
SKY, PINK, YELLOW = "#56B4E9", "#CC79A7", "#F0E442"
CLASS_COLOURS = (BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, "#7E57C2", "#8D6E63", "#90A4AE")
INK, EDGE, GRID, PAPER = "#333333", "#999999", "#E6E6E6", "#FFFFFF"

COLOURS = {
    BLUE: "blue",
    ORANGE: "orange",
    GREEN: "green",
    RED: "red",
    GREY: "grey",
    SKY: "sky",
    PINK: "pink",
    YELLOW: "yellow",
    INK: "ink",
    EDGE: "edge",
    GRID: "grid",
    PAPER: "paper",
}
"""What a page calls each colour, so that it can have a darker or lighter one of its own."""

_LEGEND_GAP = 36 / 72
"""Inches between the axes and a legend below: room for tick labels and the axis label."""

MANY = 60
"""Agents beyond which dots for each would run into each other."""

_STYLE: dict[Any, Any] = {
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,  # names come from files: a $ is a dollar
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelcolor": INK,
    "axes.edgecolor": EDGE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, RED, GREY]),
    "grid.color": GRID,
    "xtick.color": EDGE,
    "ytick.color": EDGE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "svg.hashsalt": "fedfact",
}


class Percent(PercentFormatter):
    """Parts as percentages, with as many digits as they need: 80 %, 97.5 %."""

    def format_pct(self, x: float, display_range: float) -> str:
        """One tick."""
        return f"{100 * x:.6g} %".replace("-", "−")


@contextmanager
def styled(*, letters: bool = False) -> Iterator[None]:
    """Everything drawn and saved in this block looks like ours.

    In SVG, ``letters`` stay text, small and searchable; otherwise they become shapes, which look
    the same everywhere. Those that the font lacks are drawn as boxes, without a warning.
    """
    settings = {**_STYLE, "svg.fonttype": "none" if letters else "path"}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def picture(draw: Callable[[Figure], None], size: tuple[float, float], ending: str) -> bytes:
    """What ``draw`` draws on a figure of this size in inches, as the content of a file."""
    buffer = io.BytesIO()
    with styled():
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(buffer, format=ending.removeprefix("."), dpi=150)
    return buffer.getvalue()


class _Below(Legend):
    """A legend of whose size the layout minds the height only: a wide one would narrow the axes."""

    def get_tightbbox(self, renderer: RendererBase | None = None) -> Bbox:
        """As high as it is, and as wide as the axes."""
        box, axes = super().get_tightbbox(renderer), self.axes
        assert box is not None
        assert axes is not None
        return Bbox.from_extents(axes.bbox.x0, box.y0, axes.bbox.x1, box.y1)


def legend_below(axes: Axes, columns: int, *, dots: float = 1) -> None:
    """A legend under the axes, where it covers no data; it may reach to the panel's right edge.

    Its ``dots`` are so many times as wide as those drawn.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    down = ScaledTranslation(0, -_LEGEND_GAP, figure.dpi_scale_trans)
    axes.legend_ = _Below(
        axes,
        *axes.get_legend_handles_labels(),
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=axes.transAxes + down,
        ncols=columns,
        borderaxespad=0,
        borderpad=0,
        handlelength=1.6,
        columnspacing=1.4,
        fontsize=9,
        markerscale=dots,
    )


def agents_below(axes: Axes, agents: int) -> None:
    """An x axis that counts agents."""
    most = 10 if agents < 1000 else 6  # long numbers need more room
    axes.xaxis.set_major_locator(MaxNLocator(most, integer=True, min_n_ticks=1))
    axes.set_xlabel("agent, by reported cost")
    axes.set_xlim(0.4, agents + 0.6)
