"""Ours: what each rule leaves of the loss of training alone, by the curve, and the samples it asks.

The only figure in which a rule stands that settles by the curve only: it asks for other samples
than the study trained on, so nothing of it was measured.
"""

import json
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ..base.chart import Chart, Panel
from ..base.style import GREY, INK, Percent
from ..base.words import Cell, heads, listed, percent, span
from .cases import Case
from .rules import RuleStyle, curve_only, settled_by

HEADER = ["case", "rule", "samples an agent", "loss relative to alone", "low", "high"]


def by_curve(cases: Sequence[Case]) -> Chart:
    """The partition of the data plays no part, so of cases alike in all else there is one."""
    unlike: dict[str, Case] = {}
    for case in cases:
        unlike.setdefault(json.dumps(case.numbers["by_curve"]), case)
    drawn = list(unlike.values())
    names = [case.unlike() for case in drawn]
    titles = [case.name if names.count(case.unlike()) > 1 else case.unlike() for case in drawn]
    return Chart(
        "rules-by-curve",
        None,
        "What each rule asks for and leaves, by the curve",
        _says(drawn),
        [_panel(case, title) for case, title in zip(drawn, titles, strict=True)],
        HEADER,
        [row for case in drawn for row in _rows(case)],
    )


def _panel(case: Case, title: str) -> Panel:
    """A bar for training alone and one for each rule, with its samples beside it."""
    rules, by = settled_by([case]), case.numbers["by_curve"]
    estimates = [by[each.name]["loss"] for each in rules]
    means = np.array([1.0, *(of["mean"] for of in estimates)])
    ends = np.array([[of["low"], of["high"]] for of in estimates], np.float64)
    half = np.abs(ends - means[1:, None]).T
    samples = [case.numbers["samples"], *(by[each.name]["samples"] for each in rules)]

    def draw(axes: Axes) -> None:
        rows = np.arange(len(means))
        axes.barh(rows, means, 0.7, color=[GREY, *(each.colour for each in rules)])
        axes.errorbar(
            means[1:], rows[1:], xerr=half, ecolor=INK, elinewidth=1, capsize=2, ls="none"
        )
        for row, mean, of in zip(rows, means, samples, strict=True):
            text = f"{percent(mean)}, {heads(of['mean'])} samples"
            axes.annotate(
                text, (mean, row), (4, 0), textcoords="offset points", va="center", size=9
            )
        axes.set_yticks(rows, ["alone", *(each.name for each in rules)], size=9)
        axes.set_ylim(len(means) - 0.5, -0.5)  # the first on top
        axes.set_xlim(0, 1.75 * means.max())
        axes.set_xticks([0, 0.5, 1])
        axes.xaxis.set_major_formatter(Percent())
        axes.spines["bottom"].set_bounds(0, max(1.0, float(means.max())))
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("loss of all agents, relative to training alone", loc="left")

    return Panel(title, draw, 1.4 + 0.35 * len(means))


def _rows(case: Case) -> list[list[Cell]]:
    by = case.numbers["by_curve"]
    return [
        [
            case.name,
            each.name,
            by[each.name]["samples"]["mean"],
            *(by[each.name]["loss"][part] for part in ("mean", "low", "high")),
        ]
        for each in settled_by([case])
    ]


def _says(cases: Sequence[Case]) -> str:
    """What each leaves, and which of the rules were trained for."""
    left = [
        f"{span((of['mean'] for of in _of(each, cases, 'loss')), percent)} under {each.name}"
        for each in settled_by(cases)
    ]
    text = (
        "By the curve of the terms, the cost of data included, agents together end with "
        f"{listed(left)} of what they lose alone."
    )
    return " ".join([text, *(_not_trained(each, cases) for each in curve_only(cases))])


def _not_trained(style: RuleStyle, cases: Sequence[Case]) -> str:
    trained = span((case.numbers["samples"]["mean"] for case in style.among(cases)), heads)
    wanted = span((of["mean"] for of in _of(style, cases, "samples")), heads)
    return (
        f"Agents trained on {trained} samples each, and {style.name} would ask for {wanted}, so "
        "nothing of it is measured here."
    )


def _of(style: RuleStyle, cases: Sequence[Case], key: str) -> list[dict[str, float]]:
    return [case.numbers["by_curve"][style.name][key] for case in style.among(cases)]
