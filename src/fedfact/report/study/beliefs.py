"""Ours: how likely each agent wins, as the paper counts, as agents believe, and exactly."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...study.files.columns import StudyTable
from ..base.chart import Chart, Draw, Panel
from ..base.style import (
    BLUE,
    GREEN,
    GREY,
    MANY,
    ORANGE,
    PAPER,
    RED,
    SKY,
    agents_below,
    legend_below,
)
from ..base.words import claim, span
from .cases import Case

HEADER = [
    "case", "agent", "reported cost", "win probability", "local", "FACT, paper", "FACT, realised",
    "FACT, believed", "FACT, as settled", "federated",
]  # fmt: skip

_COLUMNS = (
    "reported_cost", "win_probability", "local_loss", "fact_paper", "fact_realised",
    "fact_believed", "fact_settled", "federated_loss",
)  # fmt: skip


def beliefs(cases: Sequence[Case]) -> Chart:
    """Win probabilities and losses, agent by agent, of the first seed."""
    panels = []
    for case in cases:
        agents = case.agents()
        panels.append(Panel(f"{case.name}: chance to win", _chances(agents), 3.5))
        panels.append(Panel(f"{case.name}: loss", _losses(agents), 3.5))
    return Chart(
        "realised-against-believed",
        None,
        "Realised against believed",
        _says(cases),
        panels,
        HEADER,
        [row for case in cases for row in case.rows(_COLUMNS)],
        columns=2,
    )


def _chances(agents: StudyTable) -> Draw:
    chance = agents["win_probability"]
    rank = np.arange(1, len(chance) + 1)

    def draw(axes: Axes) -> None:
        axes.axhline(1 / 2, ls="--", color=ORANGE, label="believed, ½")
        axes.axhline(1 / 3, color=BLUE, label="paper, ⅓")
        style = "-" if len(rank) > MANY else "o"
        axes.plot(rank, chance, style, color=SKY, mec=PAPER, ms=7, label="exact", clip_on=False)
        axes.set_ylim(0, max(0.6, 1.08 * float(chance.max())))
        axes.set_ylabel("probability of winning")
        agents_below(axes, len(rank))
        legend_below(axes, 3)

    return draw


def _losses(agents: StudyTable) -> Draw:
    rank = np.arange(1, len(agents["agent"]) + 1)
    points = (
        ("local_loss", "local", GREY, "_"),
        ("fact_paper", "FACT, paper", BLUE, "o"),
        ("fact_realised", "realised", SKY, "o"),
        ("fact_believed", "believed", ORANGE, "o"),
        ("fact_settled", "as settled", GREEN, "x"),
        ("federated_loss", "federated", RED, "_"),
    )

    def draw(axes: Axes) -> None:
        many = len(rank) > MANY
        for column, label, colour, marker in points:
            edge = PAPER if marker == "o" else colour
            width = 0.5 if marker == "o" else 1.5
            shape: dict[str, Any] = {"marker": marker, "mec": edge, "ms": 6, "mew": width}
            if many:
                shape = {"marker": "o", "mec": "none", "ms": 2}
            axes.plot(rank, agents[column], color=colour, ls="none", label=label, **shape)
        axes.set_ylabel("test loss")
        agents_below(axes, len(rank))
        legend_below(axes, 3, dots=3 if many else 1)

    return draw


def _says(cases: Sequence[Case]) -> str:
    """What agents believe, what is so, and what that does to the mean loss."""
    chances = [case.agents()["win_probability"] for case in cases]
    exact = span(float(p) for of in chances for p in (of.min(), of.max()))
    mean = span(float(of.mean()) for of in chances)
    realised, believed = (
        [case.numbers["loss"][key]["mean"] for case in cases]
        for key in ("fact_realised", "fact_believed")
    )
    text = claim(
        "the realised mean loss is higher than the believed one",
        "the realised mean loss is not higher than the believed one",
        [case.name for case in cases],
        [real > hoped for real, hoped in zip(realised, believed, strict=True)],
    )
    return (
        "Agents believe that they win with probability ½, but at most one of three can: the exact "
        f"probability is {exact}{_on_average(exact, mean)}; {text}: {span(realised)} against "
        f"{span(believed)}."
    )


def _on_average(exact: str, mean: str) -> str:
    """The mean where it tells more than the ends."""
    return "" if mean == exact else f", {mean} on average"
