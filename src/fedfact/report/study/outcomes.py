"""Ours: what each agent may end with under the paper's rule, a lottery, and under other rules.

By measured losses, so of the rules that can use them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...mechanism import PAPER_RULE
from ..base.chart import Chart, Panel
from ..base.style import GREY, INK, MANY, agents_below, legend_below
from ..base.words import listed, percent, span
from .cases import Case
from .rules import RuleStyle, measured_by

_IF_LOST, _IF_WON = f"{PAPER_RULE.name}, if lost", f"{PAPER_RULE.name}, if won"
_DRAWN = (
    ("win_probability", "win probability"),
    ("local_loss", "local"),
    ("if_lost", _IF_LOST),
    ("if_won", _IF_WON),
)
"""Columns of the agents that are about the paper's draw, and what they are called."""

_LARGEST = 110
"""Area of a dot of probability one, in square points."""


def outcomes(cases: Sequence[Case]) -> Chart:
    """All outcomes of each agent in the first seed."""
    papers, others = _paper_and_others(cases)
    columns, labels = zip(
        *_DRAWN,
        (papers.key, _label(papers)),
        ("spread", "standard deviation"),
        *((each.key, _label(each)) for each in others),
        strict=True,
    )
    return Chart(
        "outcomes",
        None,
        f"{papers.name.capitalize()} against {listed([each.name for each in others])}",
        _says(cases),
        [_panel(case) for case in cases],
        ["case", "agent", *labels],
        [row for case in cases for row in case.rows(columns)],
    )


def _paper_and_others(cases: Sequence[Case]) -> tuple[RuleStyle, list[RuleStyle]]:
    """The paper's rule, which every study is settled by, and the others."""
    rules = measured_by(cases)
    (papers,) = (each for each in rules if each.rule.from_paper)
    return papers, [each for each in rules if not each.rule.from_paper]


def _label(style: RuleStyle) -> str:
    """The rule's name; what it leaves is a mean where it draws."""
    return f"{style.name}, mean" if style.rule.draws else style.name


def _panel(case: Case) -> Panel:
    """Two dots under the paper's rule, as large as they are likely, and one under each other.

    Of many agents the dots are small and all alike.
    """
    agents, (papers, others) = case.agents(), _paper_and_others([case])
    won = agents["win_probability"]
    rank, many = np.arange(1, len(won) + 1), len(won) > MANY
    largest = _LARGEST * min(1.0, 20 / len(won))

    if_lost = np.where(won < 1, agents["if_lost"], np.nan)  # only what can happen
    if_won = np.where(won > 0, agents["if_won"], np.nan)

    dots: list[tuple[Any, Any, str, str, str]] = [
        (if_lost, largest * (1 - won), GREY, "o", _IF_LOST),
        (if_won, largest * won, papers.colour, "o", _IF_WON),
        (agents[papers.key], 50, INK, "_", _label(papers)),
        *((agents[each.key], 22, each.colour, "D", _label(each)) for each in others),
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
    fixed = [of.name for of in every if not of.rule.draws]
    none = f" and by none under {listed(fixed)}" if fixed else ""
    text = (
        f"{', '.join(under)}; the draw alone moves one agent's loss by a standard deviation of "
        f"{spread} under {PAPER_RULE.name}{none}; mean losses are {listed(loss)}."
    )
    return text[0].upper() + text[1:]
