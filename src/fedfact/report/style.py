"""How our figures look, and how they become files."""

import io
import warnings
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Distinct in print, in grey and to colour-blind readers (after Okabe and Ito).
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#6B6B6B"

_STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelcolor": "#333333",
    "axes.edgecolor": "#999999",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "legend.frameon": False,
    "svg.hashsalt": "fedfact",
}


def picture(draw: Callable[[Figure], None], size: tuple[float, float], ending: str) -> bytes:
    """What ``draw`` draws on a figure of this size in inches, as the content of a file."""
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # drawn as boxes
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(buffer, format=ending.removeprefix("."), dpi=150)
    return buffer.getvalue()
