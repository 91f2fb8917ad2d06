"""Rules compared: what is collected, what agents bear, and what the server is left with."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..base.chart import Chart, Draw, Panel
from ..base.style import EDGE, INK, Percent, legend_below
from ..base.words import Cell, heads, percent
from .plays import RulePlay, federations, named, plays_of, short, titles_of
from .summary import RuleSummary, summaries

HEADER = ["rule", "agents", "samples", "of alone", "contribute", "mean loss", "worst loss",
          "surplus", "cost to all", "shut out", "from truth", "rounds", "converged"]  # fmt: skip

_MEASURES = (
    ("Samples collected", "of what all would use alone", ("samples_share",)),
    ("Agents that contribute", "agents", ("contributors",)),
    ("Loss, mean over agents", "of the loss alone", ("loss", "mean")),
    ("Loss of the worst-off agent", "of its loss alone", ("loss", "worst")),
    ("What the server keeps, or pays", "an agent, of the mean loss alone", ("surplus",)),
    ("Cost to all together", "mean loss less surplus, of the loss alone", ("cost_to_all",)),
)
_WIDEST, _FAR = 3.0, 6.0
"""Times the loss alone, and the middle of all values: a bar beyond both goes on unseen."""


def welfare(document: dict[str, Any]) -> Chart:
    """Every measure a panel, every rule a row, and a bar for each way to play."""
    plays = plays_of(document)
    return Chart(
        "welfare",
        None,
        "Samples, losses and money",
        _says(summaries(document)),
        [_panel(title, about, keys, plays) for title, about, keys in _MEASURES],
        HEADER,
        [row for name in titles_of(plays) for play in plays for row in _rows(play, name)],
    )


def _panel(title: str, about: str, keys: tuple[str, ...], plays: Sequence[RulePlay]) -> Panel:
    titles = titles_of(plays)
    values = np.array([[play.value(name, *keys) for name in titles] for play in plays])
    return Panel(
        title, _bars(values, plays, titles, about, keys[0]), 1.15 + 0.4 * max(len(titles), 3)
    )


def _bars(
    values: Any, plays: Sequence[RulePlay], titles: dict[str, str], about: str, key: str
) -> Draw:
    rows = np.arange(len(titles))
    low, high = _limits(values)
    height = 0.78 / len(plays)

    def draw(axes: Axes) -> None:
        for k, (play, line) in enumerate(zip(plays, values, strict=True)):
            at = rows + (k - (len(plays) - 1) / 2) * height
            there = np.isfinite(line)
            axes.barh(
                at[there], line[there], 0.94 * height, color=play.colour, label=play.label, lw=0
            )
            for y, value in zip(at[there], line[there], strict=True):
                _write(axes, y, value, (low, high), key)
        axes.set_yticks(rows, [short(title) for title in titles.values()], size=8.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(low - 0.25 * (high - low) * (low < 0), high + 0.2 * (high - low))
        axes.axvline(0, color=INK, lw=1)
        if key in ("samples_share", "loss", "cost_to_all") and low <= 1 <= high:
            axes.axvline(1, color=EDGE, lw=1, ls="--", zorder=0.9)
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter("{x:g}" if key == "contributors" else Percent())
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel(about)
        legend_below(axes, 3)

    return draw


def _limits(values: Any) -> tuple[float, float]:
    """Of the bars; a few that are far longer than most do not squeeze the others."""
    finite = values[np.isfinite(values)]
    sizes = np.abs(finite[np.abs(finite) > 1e-9])
    most = max(_WIDEST, _FAR * float(np.median(sizes)) if len(sizes) else 0.0)
    low = max(min(0.0, float(finite.min(initial=0))), -most)
    high = min(max(0.0, float(finite.max(initial=0))), most)
    return (low, high) if high > low else (0.0, 1.0)


def _write(axes: Axes, y: float, value: float, limits: tuple[float, float], key: str) -> None:
    """The value at the end of its bar."""
    low, high = limits
    text = heads(value) if key == "contributors" else percent(round(value, 5))
    end = min(max(value, low), high)
    beyond = value > high or value < low
    left = value < 0 and end < 0
    axes.annotate(
        f"{text} {'◂' if left else '▸'}" if beyond else text,
        (end, y),
        (-3 if left else 3, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center_baseline",
        size=7.5,
    )


def _rows(play: RulePlay, name: str) -> list[list[Cell]]:
    if name not in play.rules:
        return []
    rule = play.rules[name]
    return [
        [
            rule["title"],
            play.label,
            *(play.value(name, key) for key in ("samples", "samples_share")),
            rule["contributors"],
            play.value(name, "loss", "mean"),
            play.value(name, "loss", "worst"),
            *(play.value(name, key) for key in ("surplus", "cost_to_all")),
            rule["shut_out"],
            play.value(name, "from_truth"),
            rule["rounds"],
            "yes" if rule["converged"] else "no",
        ]
    ]


def _says(every: Sequence[RuleSummary]) -> str:
    """Who collects most, whom lies hurt, who is worse off than alone, and where the server pays."""
    kept = set(federations(each.name for each in every))
    rules = [each for each in every if each.name in kept and not each.benchmark]
    ordered = sorted(rules, key=lambda each: float(each.true["samples_share"]))
    least, most = (ordered[k] for k in (0, -1))
    text = f"From agents that tell the truth {most.spoken} collects {_share(most.true)}"
    if least is not most:
        text += f", the most, and {least.spoken} {_share(least.true)}, the least,"
    text += " of what all would use alone"
    fall = [
        f"{each.spoken} (from {_share(each.true)} to {_share(each.strategic)})"
        for each in rules
        if not each.keeps
    ]
    text += f". Lies cost samples under {named(fall)}"
    worse = [each.spoken for each in rules if not each.rational]
    text += f"; somebody ends worse than alone under {named(worse)}"
    payers = [each.spoken for each in rules if not each.funded]
    return f"{text}; the server pays from its own pocket under {named(payers)}."


def _share(part: dict[str, Any]) -> str:
    return percent(float(part["samples_share"]))
