"""How our figures look, and how they are written."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from ..federation.output import write_whole

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


@contextmanager
def figure(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure to draw on; at the end it is written, whole, in the format of the file's ending."""
    with mpl.rc_context(_STYLE):
        drawing = Figure(figsize=(width, height), layout="constrained")
        yield drawing
        buffer = io.BytesIO()
        drawing.savefig(buffer, format=path.suffix.lower().removeprefix("."), dpi=150)
    write_whole(path, buffer.getvalue())
