"""Charts as files: all panels of a chart in one picture, as SVG and as PNG."""

import io
from textwrap import fill

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from .chart import WIDTH, Chart
from .style import styled

DPI = 120  # of the PNG
_TITLE = 48  # letters that fit above a panel


def pictures(chart: Chart) -> dict[str, bytes]:
    """The content of the chart's files by the ends of their names."""
    columns = min(chart.columns, len(chart.panels))
    lines = [chart.panels[k : k + columns] for k in range(0, len(chart.panels), columns)]
    heights = [max(panel.height for panel in line) for line in lines]
    with styled(letters=True):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
        figure = Figure((WIDTH * columns, sum(heights)), DPI, layout=layout)
        grid = figure.add_gridspec(len(lines), columns, height_ratios=heights)
        for row, line in enumerate(lines):
            for column, panel in enumerate(line):
                axes = figure.add_subplot(grid[row, column])
                axes.set_title(fill(panel.title, _TITLE), size=11)
                panel.draw(axes)
        return {".png": _saved(figure, "png"), ".svg": _saved(figure, "svg")}


def _saved(figure: Figure, form: str) -> bytes:
    buffer = io.BytesIO()
    # No date: the same results give the same file.
    metadata = {"Date": None} if form == "svg" else None
    figure.savefig(buffer, format=form, dpi=DPI, metadata=metadata)
    figure.set_layout_engine("none")  # the layout stays, and is not worked out again
    return buffer.getvalue()
