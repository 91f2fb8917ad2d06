"""Ours: what each agent may end with under sandwich, a lottery, and ends with under other rules.

By measured losses, so of the rules that can use them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...study.files.keys import PAPER, fact_of
from ..base.chart import Chart, Panel
from ..base.style import GREY, INK, MANY, agents_below, legend_below
from ..base.words import listed, percent, span
from .cases import Case
from .rules import measured_by

_DRAWN = (
    ("win_probability", "win probability"),
    ("local_loss", "local"),
    ("if_lost", f"{PAPER}, if lost"),
    ("if_won", f"{PAPER}, if won"),
    (fact_of(PAPER), f"{PAPER}, mean"),
    ("spread", "standard deviation"),
)
"""Columns of the agents, and what they are called."""

_LARGEST = 110
"""Area of a dot of probability one, in square points."""


def outcomes(cases: Sequence[Case]) -> Chart:
    """All outcomes of each agent in the first seed."""
    _, *others = measured_by(cases)
    columns, labels = zip(*_DRAWN, *((each.key, each.name) for each in others), strict=True)
    return Chart(
        "sandwich-against-rebate",
        None,
        f"{PAPER.capitalize()} against {listed([each.name for each in others])}",
        _says(cases),
        [_panel(case) for case in cases],
        ["case", "agent", *labels],
        [row for case in cases for row in case.rows(columns)],
    )


def _panel(case: Case) -> Panel:
    """Two dots under sandwich, as large as they are likely, and one under each other rule.

    Of many agents the dots are small and all alike.
    """
    agents, (drawn, *others) = case.agents(), measured_by([case])
    won = agents["win_probability"]
    rank, many = np.arange(1, len(won) + 1), len(won) > MANY
    largest = _LARGEST * min(1.0, 20 / len(won))

    if_lost = np.where(won < 1, agents["if_lost"], np.nan)  # only what can happen
    if_won = np.where(won > 0, agents["if_won"], np.nan)

    dots: list[tuple[Any, Any, str, str, str]] = [
        (if_lost, largest * (1 - won), GREY, "o", f"{PAPER}, if lost"),
        (if_won, largest * won, drawn.colour, "o", f"{PAPER}, if won"),
        (agents[drawn.key], 50, INK, "_", f"{PAPER}, mean"),
        *((agents[each.key], 22, each.colour, "D", each.name) for each in others),
    ]

    def draw(axes: Axes) -> None:
        if not many:
            axes.vlines(rank, if_won, if_lost, color=GREY, lw=0.7, zorder=1)
        for losses, area, colour, marker, label in dots:
            if many:
                axes.scatter(rank, losses, 3, color=colour, label=label, lw=0)
            else:
                axes.scatter(rank, losses, area, color=colour, marker=marker, label=label, lw=1)
        axes.set_ylabel("loss it ends with")
        agents_below(axes, len(rank))
        legend_below(axes, 2, dots=3 if many else 1)

    return Panel(case.name, draw, 3.5)


def _says(cases: Sequence[Case]) -> str:
    """How many the lottery leaves where they were, and how much it scatters."""
    every = measured_by(cases)
    left = [
        span((c.numbers["at_local_loss"][of.name]["mean"] for c in of.among(cases)), percent)
        for of in every
    ]
    loss = [span(c.numbers["loss"][of.key]["mean"] for c in of.among(cases)) for of in every]
    under = [f"under {each.name} {share}" for each, share in zip(every, left, strict=True)]
    under[0] = f"{under[0]} of agents end with exactly their local loss"
    spread = span(case.numbers["spread"]["agent"]["mean"] for case in cases)
    text = (
        f"{', '.join(under)}; the draw alone moves one agent's loss by a standard deviation of "
        f"{spread} under {PAPER} and by none under {listed([of.name for of in every[1:]])}; "
        f"mean losses are {listed(loss)}."
    )
    return text[0].upper() + text[1:]
