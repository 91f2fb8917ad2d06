"""Ours: what each agent may end with under sandwich, a lottery, and ends with under rebate."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ..base.chart import Chart, Panel
from ..base.style import GREEN, GREY, INK, MANY, PINK, agents_below, legend_below
from ..base.words import percent, span
from .cases import Case

HEADER = [
    "case", "agent", "win probability", "local", "sandwich, if lost", "sandwich, if won",
    "sandwich, mean", "standard deviation", "rebate",
]  # fmt: skip

_COLUMNS = (
    "win_probability", "local_loss", "if_lost", "if_won", "fact_settled", "spread", "fact_rebate",
)  # fmt: skip

_LARGEST = 110
"""Area of a dot of probability one, in square points."""


def outcomes(cases: Sequence[Case]) -> Chart:
    """All outcomes of each agent in the first seed."""
    return Chart(
        "sandwich-against-rebate",
        None,
        "Sandwich against rebate",
        _says(cases),
        [_panel(case) for case in cases],
        HEADER,
        [row for case in cases for row in case.rows(_COLUMNS)],
    )


def _panel(case: Case) -> Panel:
    """Two dots under sandwich, as large as they are likely, and one under rebate.

    Of many agents the dots are small and all alike.
    """
    agents = case.agents()
    won = agents["win_probability"]
    rank, many = np.arange(1, len(won) + 1), len(won) > MANY
    largest = _LARGEST * min(1.0, 20 / len(won))

    if_lost = np.where(won < 1, agents["if_lost"], np.nan)  # only what can happen
    if_won = np.where(won > 0, agents["if_won"], np.nan)

    def draw(axes: Axes) -> None:
        if not many:
            axes.vlines(rank, if_won, if_lost, color=GREY, lw=0.7, zorder=1)
        for losses, area, colour, marker, label in (
            (if_lost, largest * (1 - won), GREY, "o", "sandwich, if lost"),
            (if_won, largest * won, GREEN, "o", "sandwich, if won"),
            (agents["fact_settled"], 50, INK, "_", "sandwich, mean"),
            (agents["fact_rebate"], 22, PINK, "D", "rebate"),
        ):
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
    left, given = (
        span((case.numbers["at_local_loss"][rule]["mean"] for case in cases), percent)
        for rule in ("sandwich", "rebate")
    )
    spread = span(case.numbers["spread"]["agent"]["mean"] for case in cases)
    settled, rebate = (
        span(case.numbers["loss"][key]["mean"] for case in cases)
        for key in ("fact_settled", "fact_rebate")
    )
    return (
        f"Under sandwich {left} of agents end with exactly their local loss, under rebate {given}; "
        f"the draw alone moves one agent's loss by a standard deviation of {spread} under sandwich "
        f"and by none under rebate; mean losses are {settled} and {rebate}."
    )
