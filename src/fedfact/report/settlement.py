"""Who pays and who receives in one settlement."""

import numpy as np
from matplotlib.figure import Figure

from ..mechanism import Settlement
from .style import BLUE, GREEN, ORANGE, RED, picture

_MOST_NAMED = 40
_MOST_BARS = 2000
_LONGEST_NAME = 32


def picture_of_settlement(settlement: Settlement, ending: str) -> bytes:
    """What each agent pays (left), receives (right) and is left with (dot), best off first.

    Beyond forty agents names are left out and the agents become a band.
    """
    n = len(settlement.population)
    height = max(2.6, 1.3 + 0.32 * n) if n <= _MOST_NAMED else 6.0
    return picture(lambda figure: _draw(figure, settlement), (8, height), ending)


def _draw(figure: Figure, settlement: Settlement) -> None:
    value, n = float(settlement.terms.unit), len(settlement.population)
    order = np.argsort(settlement.net, kind="stable")
    if n > _MOST_BARS:
        order = order[np.linspace(0, n - 1, _MOST_BARS).astype(int)]
    rows = np.arange(len(order)) * (n / len(order))
    height = 0.72 if n <= _MOST_NAMED else n / len(order)
    parts = [
        ("fee", -settlement.fee, RED),
        ("charge", -settlement.charge, ORANGE),
        ("compensation", settlement.compensation, ORANGE),
        ("reward", settlement.reward, GREEN),
        ("rebate", settlement.rebate, GREEN),
    ]
    axes = figure.subplots()
    below = above = np.zeros(len(order))
    for name, amounts, colour in parts:
        if not amounts.any():
            continue
        width = amounts[order] * value
        start = np.where(width < 0, below, above)
        axes.barh(rows, width, height, left=start, color=colour, label=name)
        below, above = below + np.minimum(width, 0), above + np.maximum(width, 0)
    net = settlement.net[order] * value
    if n <= _MOST_NAMED:
        axes.plot(net, rows, "o", color=BLUE, mec="white", ms=8, label="net", zorder=4)
        names = [settlement.population.agents[k] for k in order]
        short = [name[:_LONGEST_NAME] + "…" * (len(name) > _LONGEST_NAME) for name in names]
        axes.set_yticks(rows, short, parse_math=False)
    else:
        axes.plot(net, rows, color=BLUE, lw=1.5, label="net", zorder=4)
        axes.set_yticks([])
        axes.set_ylabel(f"{n:,} agents, by what they are left with")
    axes.axvline(0, color="#333333", lw=1)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.margins(y=0.02)
    axes.xaxis.set_major_formatter("{x:,.6g}")
    axes.set_xlabel("paid  ◂   in the unit of the costs   ▸  received")
    axes.set_title(f"Settlement by {settlement.terms.rule}")
    figure.legend(loc="outside lower center", ncols=6)
