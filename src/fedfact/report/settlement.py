"""Who pays and who receives in one settlement."""

from pathlib import Path

import numpy as np

from ..mechanism import Settlement
from .style import BLUE, GREEN, ORANGE, RED, figure

_MOST_NAMED = 40


def draw_settlement(path: Path, settlement: Settlement) -> None:
    """Draw what each agent pays (left), receives (right) and is left with (dot), best off first.

    Beyond forty agents names are left out and the agents become a band.
    """
    value = float(settlement.terms.unit)
    order = np.argsort(settlement.net, kind="stable")
    n = len(order)
    if n > 2000:
        order = order[np.linspace(0, n - 1, 2000).astype(int)]
    rows = np.arange(len(order)) * (n / len(order))
    height = 0.72 if n <= _MOST_NAMED else n / len(order)
    parts = [
        ("fee", -settlement.fee, RED),
        ("charge", -settlement.charge, ORANGE),
        ("compensation", settlement.compensation, ORANGE),
        ("reward", settlement.reward, GREEN),
        ("rebate", settlement.rebate, GREEN),
    ]
    with figure(path, 8, max(2.6, 1.3 + 0.32 * n) if n <= _MOST_NAMED else 6) as drawing:
        axes = drawing.subplots()
        below = above = np.zeros(len(order))
        for name, amounts, colour in parts:
            if not amounts.any():
                continue
            width = amounts[order] * value
            axes.barh(
                rows, width, height, left=np.where(width < 0, below, above),
                color=colour, label=name,
            )  # fmt: skip
            below, above = below + np.minimum(width, 0), above + np.maximum(width, 0)
        net = settlement.net[order] * value
        if n <= _MOST_NAMED:
            axes.plot(net, rows, "o", color=BLUE, mec="white", ms=8, label="net", zorder=4)
            axes.set_yticks(rows, [settlement.population.agents[k] for k in order])
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
        drawing.legend(loc="outside lower center", ncols=6)
