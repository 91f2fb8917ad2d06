"""Play over rounds, as lines and bands: what the charts of samples and of reports share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator, SymmetricalLogLocator

from ..base.style import legend_below
from ..base.words import Cell
from .plays import RulePlay

_POINTS = 60
"""Of a line, and of its table: more cannot be seen."""
_FEW = 12
"""Rounds that an axis can count one by one."""


def history(play: RulePlay, name: str, key: str) -> tuple[Any, Any]:
    """Rounds and values; of long play the middle of all rounds since the point before."""
    of = play.rules[name]["history"]
    rounds, values = (np.asarray(of[part], np.float64) for part in ("round", key))
    if len(rounds) <= _POINTS:
        return rounds, values
    ends = np.unique(np.geomspace(1, len(rounds), _POINTS).round().astype(int))
    starts = [0, *ends[:-1]]
    middles = [np.median(values[s:e]) for s, e in zip(starts, ends, strict=True)]
    return rounds[ends - 1], np.array(middles)


def history_rows(
    plays: Sequence[RulePlay], names: Sequence[str], keys: Sequence[str]
) -> list[list[Cell]]:
    """The lines as numbers."""
    rows: list[list[Cell]] = []
    for name in names:
        for play in plays:
            if name not in play.rules:
                continue
            columns = [history(play, name, key) for key in keys]
            for k, at in enumerate(columns[0][0]):
                values = [float(column[k]) for _, column in columns]
                rows.append([play.rules[name]["title"], play.label, int(at), *values])
    return rows


def last_round(plays: Sequence[RulePlay], name: str) -> float:
    """Of the longest play of a rule."""
    ends = [play.rules[name]["history"]["round"][-1] for play in plays if name in play.rules]
    return float(max([1, *ends]))


def draw_line(
    axes: Axes, play: RulePlay, rounds: Any, values: Any, until: float, width: float = 1.8
) -> None:
    """A line, a dot where play ends, and dots in a row from there on if it came to rest."""
    axes.plot(rounds, values, color=play.colour, lw=width, label=play.label)
    ends: dict[str, Any] = {"color": play.colour, "label": "_"}
    axes.plot(rounds[-1:], values[-1:], "o", ms=width + 3.2, **ends)
    if rounds[-1] < until:
        axes.plot([rounds[-1], until], [values[-1]] * 2, ls=(0, (1, 2.5)), lw=width - 0.3, **ends)


def rounds_below(axes: Axes, last: float) -> None:
    """Rounds from 0 on, in powers of ten where they are many, as those of learning are."""
    if last > _FEW:
        axes.set_xscale("symlog", linthresh=1, linscale=0.4)
        axes.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1))
        axes.set_xlim(-0.2, 1.06 * last)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
        axes.set_xlim(-0.04 * last, 1.04 * last)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("round")
    if len(axes.get_legend_handles_labels()[0]) > 1:
        legend_below(axes, 3)
