"""All figures of a report, in their order: the paper's by number, then ours."""

from collections.abc import Sequence

from ...study.files.directory import Result
from ..base.chart import Chart
from .beliefs import beliefs
from .by_curve import by_curve
from .cases import cases_of
from .class_mix import class_mix
from .money_flow import money_flow
from .outcomes import outcomes
from .paper.ham10000 import ham10000, ham10000_curves
from .paper.loss_bars import loss_bars
from .paper.penalty_curves import penalty_curves
from .paper.training_curves import training_curves
from .paper.truthfulness import truthfulness
from .robustness import robustness

STEMS = (
    "figure-1-truthfulness",
    "figure-2-losses",
    "figure-3-penalty",
    "figure-4-ham10000",
    "figure-5-test-loss",
    "figure-6-test-accuracy",
    "figure-7-ham10000-curves",
    "realised-against-believed",
    "outcomes",
    "rules-by-curve",
    "money-flow",
    "class-mix",
    "robustness",
)
"""Of the files of all figures that there may be."""


def charts_of(results: Sequence[Result]) -> list[Chart]:
    """The figures that these studies have something for.

    HAM10000 has its own, as in the paper; and where some studies have agents that deviate and some
    have not, the former are in the figure about deviating and in no other.
    """
    cases = cases_of(results)
    honest = [case for case in cases if not case.numbers["deviators"]] or cases
    ham = [case for case in honest if case.dataset == "ham10000"]
    rest = [case for case in honest if case.dataset != "ham10000"]
    charts: list[Chart] = []
    if rest:
        charts += [truthfulness(rest), loss_bars(rest), penalty_curves(rest)]
    if ham:
        charts.append(ham10000(ham))
    if rest:
        charts += [training_curves(rest, "loss"), training_curves(rest, "accuracy")]
    if ham:
        charts.append(ham10000_curves(ham))
    charts += [beliefs(honest), outcomes(honest), by_curve(honest), money_flow(honest)]
    charts.append(class_mix(honest))
    deviating = robustness(cases)
    return charts if deviating is None else [*charts, deviating]
