"""Who contributes: the samples that each agent uses, by its cost."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..base.chart import Chart, Draw, Panel
from ..base.style import EDGE, Percent, legend_below
from ..base.words import Cell, heads
from .plays import RulePlay, alike, all_but, federations, named, plays_of, spoken_of, titles_of

HEADER = ["rule", "agents", "agent, by cost", "true cost", "report", "samples", "samples, of alone",
          "loss, of alone"]  # fmt: skip

_MARKS: dict[str, dict[str, Any]] = {
    "true": {"marker": "o", "ms": 9, "mew": 1.8, "mfc": "none"},
    "strategic": {"marker": "D", "ms": 4.2, "mew": 0},
    "learned": {"marker": "x", "ms": 5.5, "mew": 1.5},
}
"""So that each is seen where all are in one place."""
_MOST = 4.0
"""Times the samples alone: what is drawn at most."""


def contributions(document: dict[str, Any]) -> Chart:
    """A dot for each agent and each way to play, a panel for each rule."""
    plays = plays_of(document)
    titles = titles_of(plays)
    names = federations(titles)
    scale = float(document["true"]["error_scale"])
    shares = [_shares(play, name, scale) for play in plays for name in names if name in play.rules]
    top = 1.1 * min(np.nanmax([1.0, *np.concatenate(shares)]), _MOST)
    return Chart(
        "contributions",
        None,
        "Who contributes",
        _says(plays, spoken_of(plays)),
        [Panel(titles[name], _dots(plays, name, scale, top), 2.9) for name in names],
        HEADER,
        [row for name in names for play in plays for row in _rows(play, name, scale)],
        columns=4 if len(names) > 6 else 3,
    )


def _shares(play: RulePlay, name: str, scale: float) -> Any:
    """Samples divided by those alone, m* = √(A/c)."""
    agents = play.rules[name]["agents"]
    cost = np.asarray(agents["cost"], np.float64)
    return np.asarray(agents["samples"], np.float64) * np.sqrt(cost / scale)


def _dots(plays: Sequence[RulePlay], name: str, scale: float, top: float) -> Draw:
    def draw(axes: Axes) -> None:
        axes.axhline(1, color=EDGE, lw=1, ls="--", zorder=0.9)
        for play in plays:
            if name not in play.rules:
                continue
            cost = np.asarray(play.rules[name]["agents"]["cost"], np.float64)
            axes.plot(
                cost,
                np.minimum(_shares(play, name, scale), top / 1.05),
                ls="",
                color=play.colour,
                label=play.label,
                **_MARKS[play.key],
            )
        axes.set_ylim(-0.06 * top, top)
        axes.yaxis.set_major_formatter(Percent())
        axes.locator_params(axis="x", nbins=6)
        axes.set(xlabel="true cost of a sample", ylabel="samples, of alone")
        legend_below(axes, 3)

    return draw


def _rows(play: RulePlay, name: str, scale: float) -> list[list[Cell]]:
    if name not in play.rules:
        return []
    agents = play.rules[name]["agents"]
    share = _shares(play, name, scale)
    order = np.argsort(agents["cost"], kind="stable")
    return [
        [
            play.rules[name]["title"],
            play.label,
            rank,
            *(float(agents[key][k]) for key in ("cost", "report", "samples")),
            float(share[k]),
            None if agents["loss"][k] is None else float(agents["loss"][k]),
        ]
        for rank, k in enumerate(order, 1)
    ]


def _says(plays: Sequence[RulePlay], titles: dict[str, str]) -> str:
    """Where all contribute, and where but a few do."""
    agents = len(next(iter(plays[0].rules.values()))["agents"]["cost"])
    parts = []
    for play in plays:
        there = [titles[name] for name in federations(titles) if name in play.rules]
        few = [
            f"{titles[name]} ({heads(play.value(name, 'contributors'))})"
            for name in federations(titles)
            if play.value(name, "contributors") < agents
        ]
        every = all_but(there, few)
        text = f"all {agents} contribute under {every}"
        parts.append(f"{text}: {named(few)}" if every == "no rule" else text)
    return alike(plays, parts)
