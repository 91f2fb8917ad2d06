"""Figures 4 and 7: losses, truthfulness and penalty of HAM10000, and its curves."""

from collections.abc import Sequence

from ...base.chart import Chart
from ...base.words import Cell
from ..cases import Case
from .loss_bars import loss_panel, loss_rows, loss_says
from .penalty_curves import penalty_panel, penalty_says
from .training_curves import HEADER as CURVES_HEADER
from .training_curves import curves_panel, curves_rows, curves_say
from .truthfulness import truthfulness_panel, truthfulness_rows, truthfulness_says

HEADER = ["panel", "case", "at", "mean", "low", "high"]


def ham10000(cases: Sequence[Case]) -> Chart:
    """Figure 4: one row of three panels for each case."""
    panels = [
        panel
        for case in cases
        for panel in (
            loss_panel(case, f"{case.name}: losses"),
            truthfulness_panel(case, f"{case.name}: truthfulness"),
            penalty_panel(case, f"{case.name}: penalty"),
        )
    ]
    says = [loss_says(cases), truthfulness_says(cases), penalty_says(cases)]
    return Chart(
        "figure-4-ham10000",
        4,
        "HAM10000: losses, truthfulness and penalty",
        " ".join(says),
        panels,
        HEADER,
        [row for case in cases for row in _rows(case)],
    )


def ham10000_curves(cases: Sequence[Case]) -> Chart:
    """Figure 7: loss and accuracy of each case."""
    return Chart(
        "figure-7-ham10000-curves",
        7,
        "HAM10000: test loss and accuracy while training",
        f"{curves_say(cases, 'loss')} {curves_say(cases, 'accuracy')}",
        [
            panel
            for case in cases
            for panel in (
                curves_panel(case, "loss", f"{case.name}: loss"),
                curves_panel(case, "accuracy", f"{case.name}: accuracy"),
            )
        ],
        ["measure", *CURVES_HEADER],
        [
            ["test loss" if measure == "loss" else "test accuracy", *row]
            for case in cases
            for measure in ("loss", "accuracy")
            for row in curves_rows(case, measure)
        ],
        columns=2,
    )


def _rows(case: Case) -> list[list[Cell]]:
    """All three panels in one table."""
    bars = [["losses", name, label, *numbers[:3]] for name, label, *numbers in loss_rows(case)]
    truth = [
        [f"truthfulness, {which}", name, added, *numbers[start : start + 3]]
        for which, start in (("believed", 0), ("realised", 3))
        for name, added, *numbers in truthfulness_rows(case)
    ]
    penalty = case.numbers["penalty"]
    costs: list[list[Cell]] = [
        [f"penalty, α = {curve['alpha']:g}", case.name, samples, value, None, None]
        for curve in penalty["curves"]
        for samples, value in zip(penalty["samples"], curve["values"], strict=True)
    ]
    return [*bars, *truth, *costs]
