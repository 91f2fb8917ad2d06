"""Figure 3: the paper's penalty plus cost of data, against the samples used.

No settlement collects the penalty.
"""

import json
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ...base.chart import Chart, Panel
from ...base.style import BLUE, GREEN, ORANGE, PAPER, PINK, RED, SKY, legend_below
from ...base.words import Cell, claim, listed, percent, signed_percent, span
from ..cases import Case

_COLOURS = (BLUE, ORANGE, PINK, SKY, RED)

_SAMPLES = "{:,.4g}".format
_NEAR = 1e-4
"""A part of m* that counts as none: what a search for the lowest point may miss."""

HEADER = ["case", "α", "samples", "penalty plus cost", "with e(M)"]


def penalty_curves(cases: Sequence[Case]) -> Chart:
    """Figure 3 of these cases; the partition of the data plays no part, so alike ones are one."""
    unlike: dict[str, tuple[str, Case]] = {}
    for case in cases:
        unlike.setdefault(json.dumps(case.numbers["penalty"]), (case.unlike(), case))
    drawn = list(unlike.values())
    names = [name for name, _ in drawn]
    titles = [case.name if names.count(name) > 1 else name for name, case in drawn]
    return Chart(
        "figure-3-penalty",
        3,
        "Penalty: what using less or more than m* costs",
        penalty_says([case for _, case in drawn]),
        [penalty_panel(case, title) for title, (_, case) in zip(titles, drawn, strict=True)],
        HEADER,
        [row for _, case in drawn for row in penalty_rows(case)],
    )


def penalty_panel(case: Case, title: str) -> Panel:
    """For each α what the paper draws and, dashed, what an agent minimises, lowest at the dot."""
    penalty = case.numbers["penalty"]

    def draw(axes: Axes) -> None:
        samples = np.asarray(penalty["samples"], np.float64)
        for k, curve in enumerate(penalty["curves"]):
            colour, label = _COLOURS[k % len(_COLOURS)], f"α = {curve['alpha']:g}"
            axes.plot(samples, curve["values"], color=colour, label=label)
            axes.plot(samples, curve["total"], color=colour, ls="--", label=f"{label}, with e(M)")
            least = np.interp(curve["best"], samples, curve["total"])
            axes.plot(curve["best"], least, "o", color=colour, mec=PAPER, ms=8, zorder=5)
        axes.axvline(penalty["optimum"], color=GREEN, lw=1, ls=":", zorder=0)
        axes.annotate(
            f" m* = {_SAMPLES(penalty['optimum'])}",
            (penalty["optimum"], 1),
            xycoords=("data", "axes fraction"),
            va="top",
            color=GREEN,
        )
        axes.xaxis.set_major_formatter("{x:,.6g}")
        axes.set(xlabel="samples used, m", ylabel="penalty + cost of data")
        axes.ticklabel_format(axis="y", scilimits=(-3, 5))
        legend_below(axes, 2)

    return Panel(title, draw, 3.5)


def penalty_rows(case: Case) -> list[list[Cell]]:
    """The lines as numbers."""
    penalty = case.numbers["penalty"]
    return [
        [case.name, curve["alpha"], samples, value, total]
        for curve in penalty["curves"]
        for samples, value, total in zip(
            penalty["samples"], curve["values"], curve["total"], strict=True
        )
    ]


def penalty_says(cases: Sequence[Case]) -> str:
    """Where the curves are lowest."""
    best, lowest = ([_away(case, key) for case in cases] for key in ("best", "lowest"))
    text = claim(
        "What an agent loses in all (dashed) is lowest at m*, so free riding does not pay,",
        "What an agent loses in all (dashed) is not lowest at m*",
        [case.name for case in cases],
        [max(map(abs, away)) <= _NEAR for away in best],
    ).rstrip(",")
    elsewhere = [
        f"{case.name}: {signed_percent(max(away, key=abs))}"
        for case, away in zip(cases, best, strict=True)
        if max(map(abs, away)) > _NEAR
    ]
    if elsewhere:
        text += f" ({listed(elsewhere)})"
    optima = span((case.numbers["penalty"]["optimum"] for case in cases), _SAMPLES)
    below = span((-part for away in lowest for part in away), percent)
    return (
        f"{text}; m* is {optima} samples. Penalty and cost of data alone, which the paper draws, "
        f"are lowest {below} below m*."
    )


def _away(case: Case, key: str) -> list[float]:
    """How far from m* each curve is lowest, as a part of m*."""
    penalty = case.numbers["penalty"]
    return [curve[key] / penalty["optimum"] - 1 for curve in penalty["curves"]]
