"""Ours: what happens as more and more agents do not do what they agreed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ...study.files.columns import StudyTable
from ...study.files.keys import deviation_cost_of
from ...study.measure.interval import estimate
from ..base.chart import Chart, Draw, Panel
from ..base.style import BLUE, GREY, ORANGE, PINK, RED, Percent, legend_below
from ..base.words import Cell, claim, listed, number, percent, span
from .cases import Case, arm_name, where
from .rules import RuleStyle, measured_by, settled_by

_COST = "lost by deviating, relative to alone"

HEADER = ["study and partition", "agents that deviate", "what", "mean", "low", "high"]

_KINDS = {"honest": ("honest", BLUE), "free-ride": ("free riders", ORANGE),
          "misreport": ("misreporters", PINK)}  # fmt: skip

Point = tuple[int, dict[str, Any]]
"""Of a line: how many agents deviate, and the mean over seeds."""

Series = tuple[str, str, str, list[Point]]
"""Label, colour, how it is drawn, points."""


def robustness(cases: Sequence[Case]) -> Chart | None:
    """Accuracy, losses and what deviating costs, for each study with agents that deviate."""
    panels: list[Panel] = []
    rows: list[list[Cell]] = []
    for name, group in _groups(cases).items():
        for title, measure, lines in (
            ("accuracy", "test accuracy", _accuracies(group)),
            ("loss as settled", "test loss", _losses(group)),
            ("cost of deviating, by the curve", _COST, _costs(group)),
        ):
            panels.append(Panel(f"{name}: {title}", _draw(lines, measure), 3.5))
            rows += [
                [name, k, f"{measure}, {label}", of["mean"], of["low"], of["high"]]
                for label, _, _, points in lines
                for k, of in points
            ]
    if not panels:
        return None
    return Chart(
        "robustness",
        None,
        "Robustness: agents that deviate",
        _says(cases),
        panels,
        HEADER,
        rows,
    )


def _draw(lines: Sequence[Series], measure: str) -> Draw:
    def draw(axes: Axes) -> None:
        for label, colour, style, points in lines:
            x = [k for k, _ in points]
            mean, low, high = (
                np.array([of[key] for _, of in points], np.float64)
                for key in ("mean", "low", "high")
            )
            half = np.nan_to_num([mean - low, high - mean])
            axes.errorbar(x, mean, half, color=colour, capsize=2, ls="none")
            axes.plot(x, mean, style, color=colour, ms=5, label=label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        if measure in ("test accuracy", _COST):
            axes.yaxis.set_major_formatter(Percent())
        else:
            axes.ticklabel_format(axis="y", scilimits=(-3, 5))
        axes.set(xlabel="agents that deviate", ylabel=measure)
        legend_below(axes, 2)

    return draw


def _deviating(case: Case) -> int:
    return sum(int(each["number"]) for each in case.numbers["deviators"])


def _groups(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """Arms of one study and partition, by how many deviate; those groups where somebody does."""
    groups: dict[str, list[Case]] = {}
    deviating = [case for case in cases if case.numbers["deviators"]]
    studies = {case.result.path: str(case.result.summary["study"]) for case in deviating}
    alike = len(set(studies.values())) < len(studies)
    for case in deviating:
        name = arm_name(case.numbers["partition"])
        if case.name != arm_name(case.numbers["arm"]):  # there are other studies
            name = f"{case.study}, {name}"
        if len(studies) > 1:
            name += f" ({case.result.path if alike else studies[case.result.path]})"
        groups.setdefault(name, []).append(case)
    return {
        name: sorted(group, key=_deviating)
        for name, group in groups.items()
        if any(_deviating(case) for case in group)
    }


def _accuracies(group: Sequence[Case]) -> list[Series]:
    return [
        (training, colour, "o-", [(_deviating(c), c.numbers["accuracy"][training]) for c in group])
        for training, colour in (("local", GREY), ("federated", RED))
    ]


def _losses(group: Sequence[Case]) -> list[Series]:
    federated = [(_deviating(case), case.numbers["loss"]["federated"]) for case in group]
    settled = [
        (f"{of.name}, {label}", colour, of.line, _of_kind(of.among(group), kind, of.key))
        for of in measured_by(group)
        for kind, (label, colour) in _KINDS.items()
    ]
    return [("federated", RED, "o-", federated), *(line for line in settled if line[3])]


def _costs(group: Sequence[Case]) -> list[Series]:
    lines = [
        (f"{of.name}, {label}", colour, of.line, _cost(of, group, kind))
        for of in settled_by(group)
        for kind, (label, colour) in _KINDS.items()
    ]
    return [line for line in lines if line[3]]


def _cost(of: RuleStyle, group: Sequence[Case], kind: str) -> list[Point]:
    """What not keeping their word costs agents of a kind under a rule."""
    return _of_kind(of.among(group), kind, deviation_cost_of(of.name), "alone_by_curve")


def _of_kind(group: Sequence[Case], kind: str, column: str, over: str | None = None) -> list[Point]:
    """The mean over agents of one kind in each arm that has some, relative to that of another."""
    points = []
    for case in group:
        agents = where(case.result.agents, arm=case.numbers["arm"], kind=kind)
        seeds = np.unique(agents["seed"])
        if len(seeds):
            means = [_mean(where(agents, seed=seed), column, over) for seed in seeds]
            points.append((_deviating(case), estimate(means)))
    return points


def _mean(agents: StudyTable, column: str, over: str | None) -> float:
    return float(agents[column].mean() / (1.0 if over is None else agents[over].mean()))


def _says(cases: Sequence[Case]) -> str:
    """What the federation loses, and whether those who deviate gain by it, study by study."""
    groups = _groups(cases)
    told = [_group_says(group) for group in groups.values()]
    if len(told) == 1:
        return told[0]
    return " ".join(f"{name}: {text}" for name, text in zip(groups, told, strict=True))


def _group_says(group: Sequence[Case]) -> str:
    first, last = (group[k] for k in (0, -1))

    def accuracy(case: Case) -> str:
        return percent(float(case.numbers["accuracy"]["federated"]["mean"]))

    rules = settled_by(group)
    costs = {
        rule.name: [
            (f"{k} {_KINDS[kind][0]} under {rule.name}", of["mean"])
            for kind in ("free-ride", "misreport")
            for k, of in _cost(rule, group, kind)
        ]
        for rule in rules
    }
    every = [each for of in costs.values() for each in of]
    pays = claim(
        "deviating costs those who do it",
        "deviating brings those who do it something",
        [name for name, _ in every],
        [value > 0 for _, value in every],
    )
    cost = [f"{span((v for _, v in of), percent)} under {rule}" for rule, of in costs.items()]
    return (
        f"From {_deviating(first)} to {_deviating(last)} deviating agents, federated accuracy goes "
        f"from {accuracy(first)} to {accuracy(last)}; {pays}: "
        f"on average, relative to training alone and by the curve, {listed(cost)}. "
        f"{_settled_says(group)}"
    )


def _settled_says(group: Sequence[Case]) -> str:
    """What those who deviate and those who do not are left with, by measured losses."""
    told = []
    for of in measured_by(group):
        deviating = [case for case in of.among(group) if _deviating(case)]
        ends = {
            label: span((point["mean"] for _, point in points), number)
            for kind, (label, _) in _KINDS.items()
            if (points := _of_kind(deviating, kind, of.key))
        }
        told.append(
            f"under {of.name} {', '.join(f'{who} with {end}' for who, end in ends.items())}"
        )
    return (
        f"By measured losses agents end, where some deviate, {'; '.join(told)}; measured "
        "settlements take no consistency charge."
    )
