"""Round by round: how much data agents use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..base.chart import Chart, Draw, Panel
from ..base.style import EDGE, Percent
from ..base.words import Cell, percent, span
from .history import draw_line, history, history_rows, last_round, rounds_below
from .plays import RulePlay, alike, all_but, federations, named, plays_of, spoken_of, titles_of

HEADER = ["rule", "agents", "round", "samples, of alone", "mean loss, of alone"]

_FALLS = 0.99
"""Of what was used in the beginning, and of what all would use alone."""
_MOST = 4.0
"""Times the samples alone: what is drawn at most."""


def samples_over_rounds(document: dict[str, Any]) -> Chart:
    """The samples all use together, a panel for each rule."""
    plays = plays_of(document)
    titles = titles_of(plays)
    names = federations(titles)
    top = top_of(plays)
    return Chart(
        "samples-over-rounds",
        None,
        "Dynamics: samples, round by round",
        samples_say(plays),
        [samples_panel(plays, name, titles[name], top) for name in names],
        HEADER,
        samples_rows(plays, names),
        columns=4 if len(names) > 6 else 3,
    )


def top_of(plays: Sequence[RulePlay]) -> float:
    """The upper end of all axes, so that rules can be compared."""
    every = [history(play, name, "samples_share")[1] for play in plays for name in play.rules]
    return float(1.08 * min(np.nanmax([1.0, *np.concatenate(every)]), _MOST))


def samples_rows(plays: Sequence[RulePlay], names: Sequence[str]) -> list[list[Cell]]:
    """The lines as numbers, and losses."""
    return history_rows(plays, names, ("samples_share", "loss"))


def samples_panel(plays: Sequence[RulePlay], name: str, title: str, top: float) -> Panel:
    """Of one rule."""
    return Panel(title, _draw(plays, name, top), 2.9)


def _draw(plays: Sequence[RulePlay], name: str, top: float) -> Draw:
    last = last_round(plays, name)

    def draw(axes: Axes) -> None:
        axes.axhline(1, color=EDGE, lw=1, ls="--", zorder=0.9)
        for play in plays:
            if name in play.rules:
                rounds, share = history(play, name, "samples_share")
                draw_line(axes, play, rounds, share, last, 3.4 if play.key == "true" else 1.8)
        axes.set_ylim(-0.03 * top, top)
        axes.yaxis.set_major_formatter(Percent())
        axes.set_ylabel("samples, of alone")
        rounds_below(axes, last)

    return draw


def samples_say(plays: Sequence[RulePlay]) -> str:
    """Where contributions fall from round to round, and whether play comes to rest."""
    titles = spoken_of(plays)
    names = federations(titles)
    parts = []
    for play in plays:
        fall = [
            f"{titles[name]} (to {percent(play.value(name, 'samples_share'))})"
            for name in names
            if name in play.rules and _falls(play, name)
        ]
        parts.append(f"contributions fall under {named(fall)}")
    return f"{alike(plays, parts)} {' '.join(_rest(play, titles, names) for play in plays)}"


def _falls(play: RulePlay, name: str) -> bool:
    first = float(play.rules[name]["history"]["samples_share"][0])
    return play.value(name, "samples_share") < _FALLS * min(first, 1)


def _rest(play: RulePlay, titles: dict[str, str], names: Sequence[str]) -> str:
    """How long it takes until nobody wants to move."""
    there = [name for name in names if name in play.rules]
    if play.key == "learned":
        rounds = span((play.rules[name]["rounds"] for name in there), "{:,}".format)
        return f"Learning goes on for {rounds} rounds."
    rest = [name for name in there if play.rules[name]["converged"]]
    text = f"{play.label.capitalize()} agents "
    if not rest:
        return f"{text}come to rest under no rule."
    rounds = span((play.rules[name]["rounds"] for name in rest), "{:,}".format)
    every = all_but([titles[k] for k in there], [titles[k] for k in there if k not in rest])
    return f"{text}come to rest under {every}, after {rounds} rounds."
