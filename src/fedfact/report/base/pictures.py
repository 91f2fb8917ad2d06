"""Charts as files: all panels of a chart in one picture, as SVG and as PNG."""

import io
from textwrap import fill

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from .chart import WIDTH, Chart
from .style import styled

DPI = 120  # of the PNG
_SHORT = 24  # letters of a title that fit beside any labels


def pictures(chart: Chart) -> dict[str, bytes]:
    """The content of the chart's files by the ends of their names."""
    with styled(letters=True):
        figure = drawn(chart)
        return {".png": _saved(figure, "png"), ".svg": _saved(figure, "svg")}


def drawn(chart: Chart) -> Figure:
    """All panels on one figure."""
    columns = min(chart.columns, len(chart.panels))
    lines = [chart.panels[k : k + columns] for k in range(0, len(chart.panels), columns)]
    heights = [max(panel.height for panel in line) for line in lines]
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
    figure = Figure((WIDTH * columns, sum(heights)), DPI, layout=layout)
    grid = figure.add_gridspec(len(lines), columns, height_ratios=heights)
    titles = []
    for row, line in enumerate(lines):
        for column, panel in enumerate(line):
            axes = figure.add_subplot(grid[row, column])
            titles.append((axes.set_title(panel.title, size=11), axes))
            panel.draw(axes)
    if any(len(panel.title) > _SHORT for panel in chart.panels):
        figure.draw_without_rendering()  # now it is known where the axes are
        for k, (title, axes) in enumerate(titles):
            last = (k + 1) % columns == 0 or k + 1 == len(titles)
            right = figure.bbox.x1 if last else titles[k + 1][1].bbox.x0
            _wrap(title, right - axes.bbox.x0)
    return figure


def _wrap(title: Text, room: float) -> None:
    """Break a title where it would reach the next one, or the edge."""
    width, text = title.get_window_extent().width, title.get_text()
    if width > 0.97 * room:
        title.set_text(fill(text, max(_SHORT, int(0.92 * len(text) * room / width))))


def _saved(figure: Figure, form: str) -> bytes:
    buffer = io.BytesIO()
    # No date: the same results give the same file.
    metadata = {"Date": None} if form == "svg" else None
    figure.savefig(buffer, format=form, dpi=DPI, metadata=metadata)
    figure.set_layout_engine("none")  # the layout stays, and is not worked out again
    return buffer.getvalue()
