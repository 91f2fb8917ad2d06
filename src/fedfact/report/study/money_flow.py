"""Ours: the money of one settlement, under every rule.

By measured losses; a rule that settles by the curve only is drawn so, and says so.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ...study.files.columns import StudyTable
from ..base.chart import Chart, Panel
from ..base.flow import DRAWN_AMOUNTS, draw_flow, flow_height
from ..base.style import legend_below
from ..base.words import Cell, claim, heads, listed, percent, span
from .cases import Case
from .rules import RuleStyle, curve_only, measured_by

_MOST_TICKS = 6  # that have room side by side, as long as −0.125

HEADER = ["case", "rule", "agent", *DRAWN_AMOUNTS, "won"]


def money_flow(cases: Sequence[Case]) -> Chart:
    """The settlements of the first seed."""
    return Chart(
        "money-flow",
        None,
        "Money flow of one settlement",
        _says(cases),
        [_panel(case, rule) for case in cases for rule in case.result.rules],
        HEADER,
        [row for case in cases for rule in case.result.rules for row in _rows(case, rule)],
    )


def _panel(case: Case, rule: str) -> Panel:
    table, unit = case.settlement(rule), case.unit(rule)
    agents = [str(name) for name in table["agent"]]
    amounts = {name: table[name] * unit for name in DRAWN_AMOUNTS}

    def draw(axes: Axes) -> None:
        draw_flow(axes, agents, amounts)
        axes.tick_params(axis="y", labelsize=8)
        axes.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS, steps=[1, 2, 2.5, 5, 10]))
        loss = "test loss" if case.is_measured(rule) else "the curve's loss"
        axes.set_xlabel(f"paid  ◂   in units of {loss}   ▸  received")
        legend_below(axes, 4)

    title = f"{case.name}: {rule}" + ("" if case.is_measured(rule) else ", by the curve")
    return Panel(title, draw, max(2.6, 1.1 + flow_height(len(agents), 0.2)))


def _rows(case: Case, rule: str) -> list[list[Cell]]:
    table, unit = case.settlement(rule), case.unit(rule)
    return [
        [case.name, rule, str(name), *(float(a) * unit for a in amounts), "yes" if won else "no"]
        for name, won, *amounts in zip(
            table["agent"], table["won"], *(table[name] for name in DRAWN_AMOUNTS), strict=True
        )
    ]


def _says(cases: Sequence[Case]) -> str:
    """How many are paid, and what stays with the operator."""
    paid, kept = [], []
    for each in measured_by(cases):
        tables = [case.settlement(each.name) for case in each.among(cases)]
        share = span((_paid(table, each.rule.gives) for table in tables), percent)
        paid.append(f"{each.name} {'rewards' if each.rule.draws else 'gives to'} {share}")
        kept.append(f"{span((_kept(table) for table in tables), percent)} under {each.name}")
    paid[0] += " of agents"
    kept[0] = kept[0].replace(" under", " of the fees under")
    text = listed(paid)
    covered = claim(
        "what is collected covers what is paid out",
        "what is collected does not cover what is paid out",
        [case.name for case in cases],
        [
            all(case.settlement(rule)["net"].sum() <= 0 for rule in case.result.rules)
            for case in cases
        ],
    )
    told = f"{text[0].upper()}{text[1:]}; {covered}, and the operator is left with {listed(kept)}."
    return " ".join([told, *(_curve_says(each, each.among(cases)) for each in curve_only(cases))])


def _curve_says(style: RuleStyle, cases: Sequence[Case]) -> str:
    """With which samples a rule settled by the curve only, and who is paid by it."""
    samples, trained = (
        span((of["mean"] for of in which), heads)
        for which in (
            [case.numbers["by_curve"][style.name]["samples"] for case in cases],
            [case.numbers["samples"] for case in cases],
        )
    )
    below = [int((case.settlement(style.name)["fee"] < 0).sum()) for case in cases]
    paid = (
        f", and {span(below, heads)} of them are paid instead of paying a fee" if any(below) else ""
    )
    return (
        f"{style.name.capitalize()} is settled by the curve, with the samples that are best under "
        f"it: {samples} an agent, where {trained} were trained on{paid}."
    )


def _paid(table: StudyTable, what: str) -> float:
    return float(np.mean(table[what] > 0))


def _kept(table: StudyTable) -> float:
    """What agents paid more than they received, as a part of their fees."""
    return float(-table["net"].sum() / max(1, table["fee"].sum()))
