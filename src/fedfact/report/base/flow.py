"""Who pays and who receives: a bar for each agent, and a dot for what it is left with."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from ...mechanism.rules import GIVEN
from .style import BLUE, GREEN, INK, ORANGE, PAPER, RED, SKY

_MOST_NAMED = 40
_MOST_BARS = 2000
_LONGEST_NAME = 32

_PARTS = (
    ("fee", -1, RED),
    ("charge", -1, ORANGE),
    ("compensation", 1, ORANGE),
    *((name, 1, GREEN) for name in GIVEN),
)

_PAID = ("paid to the agent", SKY)
"""Label and colour of a fee below 0."""

DRAWN_AMOUNTS = (*(name for name, _, _ in _PARTS), "net")
"""What can be drawn: what is paid, what is received, and what is left of both."""


def flow_height(agents: int, row: float) -> float:
    """Inches that the bars need; beyond forty agents names are left out, and they are a band."""
    return row * agents if agents <= _MOST_NAMED else 4.7


def draw_flow(
    axes: Axes, agents: Sequence[str], amounts: Mapping[str, npt.NDArray[np.float64]]
) -> None:
    """What each agent pays (left), receives (right) and is left with (dot), best off on top.

    A fee below 0 is received.
    ``amounts`` are ``net`` and any of the other `DRAWN_AMOUNTS`.
    """
    n = len(agents)
    order = np.argsort(amounts["net"], kind="stable")
    if n > _MOST_BARS:
        order = order[np.linspace(0, n - 1, _MOST_BARS).astype(int)]
    rows = np.arange(len(order)) * (n / len(order))
    height = 0.72 if n <= _MOST_NAMED else n / len(order)
    below = above = np.zeros(len(order))
    for name, sign, colour in _PARTS:
        if name not in amounts or not amounts[name].any():
            continue
        width = sign * amounts[name][order]
        start = np.where(width < 0, below, above)
        turned = sign * width < 0  # a fee below 0
        for which, label, shade in ((~turned, name, colour), (turned, *_PAID)):
            if width[which].any():
                left = start[which]
                axes.barh(rows[which], width[which], height, left=left, color=shade, label=label)
        below, above = below + np.minimum(width, 0), above + np.maximum(width, 0)
    net = amounts["net"][order]
    if n <= _MOST_NAMED:
        axes.plot(net, rows, "o", color=BLUE, mec=PAPER, ms=8, label="net", zorder=4)
        names = [agents[k] for k in order]
        short = [name[:_LONGEST_NAME] + "…" * (len(name) > _LONGEST_NAME) for name in names]
        axes.set_yticks(rows, short)
    else:
        axes.plot(net, rows, color=BLUE, lw=1.5, label="net", zorder=4)
        axes.set_yticks([])
        axes.set_ylabel(f"{n:,} agents, by what they are left with")
    axes.axvline(0, color=INK, lw=1)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.07, y=0.02)
    axes.xaxis.set_major_formatter("{x:,.6g}")
