"""Round by round: what agents say that a sample costs them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ..base.chart import Chart, Draw, Panel
from ..base.style import EDGE
from .history import draw_line, history, history_rows, last_round, rounds_below
from .plays import (
    RulePlay,
    alike,
    all_but,
    federations,
    named,
    plays_of,
    spoken_of,
    times,
    titles_of,
)

HEADER = ["rule", "agents", "round", "10 % below", "median", "90 % below", "from truth"]

_WIDE = 20.0
"""The greatest report divided by the least, from where on the axis counts in powers of ten."""
_NEAR = 2.0
"""The same of reports that learners have nearly settled on."""
_MOVED = 1e-3
"""Of the cost: less is the truth."""
_SAME = 0.01
"""Between four reports of five: as good as one report."""


def reports_over_rounds(document: dict[str, Any]) -> Chart:
    """The reports of those who may lie, under the rules where they ever do."""
    plays = [play for play in plays_of(document) if play.key != "true"]
    titles = titles_of(plays)
    names = federations(titles)
    moving = [name for name in names if any(_lied(play, name) for play in plays)]
    return Chart(
        "reports-over-rounds",
        None,
        "Dynamics: reports, round by round",
        reports_say(plays),
        [reports_panel(plays, name, titles[name]) for name in moving or names],
        HEADER,
        history_rows(plays, names, ("report_low", "report_mid", "report_high", "from_truth")),
        columns=4 if len(moving or names) > 6 else 3,
    )


def reports_panel(plays: Sequence[RulePlay], name: str, title: str) -> Panel:
    """Of one rule."""
    return Panel(title, _draw(plays, name), 2.9)


def _draw(plays: Sequence[RulePlay], name: str) -> Draw:
    last = last_round(plays, name)
    bands = [
        (play, *(history(play, name, f"report_{part}")[1] for part in ("low", "mid", "high")))
        for play in plays
        if name in play.rules
    ]
    least, most = _limits(bands)
    wide = least > 0 and most > _WIDE * least
    room = (most / least) ** 0.06 if wide else max(0.08 * (most - least), 0.02 * most)
    low_end, high_end = (least / room, most * room) if wide else (least - room, most + room)

    def draw(axes: Axes) -> None:
        axes.axhline(1, color=EDGE, lw=1, ls="--", zorder=0.9)
        for play, low, mid, high in bands:
            rounds, _ = history(play, name, "report_mid")
            on = np.append(rounds, last)  # what came to rest goes on as it is
            below, above = (np.append(part, part[-1]) for part in (low, high))
            inside = wide | ((below >= low_end) & (above <= high_end))
            axes.fill_between(on, below, above, inside, color=play.colour, alpha=0.2, lw=0)
            axes.plot(rounds, mid, color=play.colour, lw=1.8, label="_")
            seen = np.where((mid >= low_end) & (mid <= high_end), mid, np.nan)
            draw_line(axes, play, rounds, seen, last)
        if wide:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(numticks=6))
            axes.yaxis.set_minor_locator(NullLocator())
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _power(value)))
        axes.set_ylim(low_end, high_end)
        axes.set_ylabel("report ÷ median cost")
        rounds_below(axes, last)

    return draw


def _limits(bands: Sequence[tuple[Any, ...]]) -> tuple[float, float]:
    """The least and the greatest report that has to be in the picture.

    Learners begin with anything: of them it is where the middle goes, and the band if it ends near.
    """
    seen: list[Any] = [[0.9, 1.1]]
    for play, low, mid, high in bands:
        if play.key != "learned":
            seen += [low, high]
            continue
        seen.append(mid[len(mid) // 2 :])
        if high[-1] < _NEAR * low[-1]:
            seen.append([low[-1], high[-1]])
    every = np.concatenate(seen)
    return float(np.nanmin(every)), float(np.nanmax(every))


def _power(value: float) -> str:
    """A power of ten: 0.01, 1, 100, 1e8."""
    power = round(np.log10(value))
    return f"{value:g}" if abs(power) < 4 else f"1e{power}".replace("-", "−")


def _lied(play: RulePlay, name: str) -> bool:
    """Whether anybody's report ever left the truth."""
    if name not in play.rules:
        return False
    return bool(max(play.rules[name]["history"]["from_truth"]) > _MOVED)


def _unanimous(play: RulePlay, name: str) -> bool:
    """Whether four reports of five, having been apart, end next to each other."""
    of = play.rules[name]["history"]
    first, last = (of["report_high"][k] / max(of["report_low"][k], 1e-300) - 1 for k in (0, -1))
    return bool(last < _SAME < first)


def reports_say(plays: Sequence[RulePlay]) -> str:
    """Where reports end: how far from the truth, and whether they still tell agents apart."""
    titles = spoken_of(plays)
    names = federations(titles)
    false = {
        play.key: [name for name in names if play.value(name, "from_truth") > _MOVED]
        for play in plays
    }
    true = [titles[k] for k in names if not any(k in lied for lied in false.values())]
    if len(true) == len(names):
        return f"Agents report their true cost under {all_but(true, [])}, though they may lie."
    parts = []
    for play in plays:
        far = [f"{titles[k]} ({times(play.value(k, 'from_truth'))})" for k in false[play.key]]
        parts.append(f"they end away from it under {named(far)}")
    text = f"Reports end at the truth under {named(true)}. {alike(plays, parts)}"
    one = [
        titles[name]
        for name in names
        if any(name in false[play.key] and _unanimous(play, name) for play in plays)
    ]
    if one:
        text += f" Under {named(one)} all end with nearly the same report, and it says nothing."
    return (
        f"{text} (The line is the median report, the band holds four of five, where it fits into "
        "the picture; how far from the truth is the mean over agents.)"
    )
