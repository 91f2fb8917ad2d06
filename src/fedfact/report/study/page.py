"""The page about studies: key numbers, figures, checks, and how to have them again."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from ...data.registry import SETS
from ...errors import InputError
from ...progress import Progress, silent
from ...study.files.directory import Result
from ..base.chart import Chart
from ..base.markup import code, details, table
from ..base.publish import publish
from ..base.template import cell_text, chart_html, whole_page
from ..base.words import listed, span
from .cases import Case, cases_of
from .charts import STEMS, charts_of
from .key_numbers import checks, curve_numbers, key_numbers, other_numbers
from .meanings import meanings
from .rules import curve_only, settled_by

_BY_CURVE = (
    "By the curve of the terms, not measured: the loss of all agents under each rule, the cost of "
    "data included, relative to training alone."
)
_ONLY = "For {}, with the samples that it asks for, which are not those that were trained on."


def write_report(results: Sequence[Result], output: Path, progress: Progress = silent) -> Path:
    """Write ``figures/`` and ``report.html``; return where the page is.

    Figures of an earlier report that these studies do not have are removed.
    """
    if not results:
        raise InputError("there are no studies to report; name the directory of one")
    charts = charts_of(results)
    return publish(
        output / "report.html",
        charts,
        STEMS,
        lambda tick: page(results, charts, tick),
        progress,
    )


def page(results: Sequence[Result], charts: Sequence[Chart], tick: Callable[[], None]) -> str:
    """The page about these studies; ``tick`` is called after each of the charts."""
    cases = cases_of(results)
    sections = [("numbers", "Key numbers", _numbers(cases))]
    for chart in charts:
        sections.append((chart.stem, _called(chart), chart_html(chart, _where(chart))))
        tick()
    sections += [
        ("checks", "Checks", _checks(cases)),
        ("meanings", "What the losses mean", meanings(cases)),
        ("reproduce", "Reproduce", "\n".join(map(_study, results))),
    ]
    return whole_page(f"FACT on {listed(_data(results))}", _lead(results), sections)


def _called(chart: Chart) -> str:
    return chart.title if chart.number is None else f"Figure {chart.number}: {chart.title}"


def _lead(results: Sequence[Result]) -> str:
    """What was run."""
    arms = sum(len(result.summary["arms"]) for result in results)
    agents = span((result.summary["agents"] for result in results), "{:,}".format)
    seeds = span((len(result.summary["seeds"]) for result in results), "{:,}".format)
    text = f"{_counted(len(results), 'study', 'studies')}, {_counted(arms, 'case', 'cases')}, "
    if seeds == "1":
        return f"{text}{agents} agents, 1 seed."
    text += f"{agents} agents, {seeds} seeds each."
    return f"{text} ± is half of a 95 % interval over seeds (Student)."


def _data(results: Sequence[Result]) -> list[str]:
    """The data sets, each once."""
    return list(dict.fromkeys(SETS[case.dataset].title for case in cases_of(results)))


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _numbers(cases: Sequence[Case]) -> str:
    """The key numbers, and to open: the same at the other end of training."""
    parts = [table(*key_numbers(cases))]
    by_curve = " ".join([_BY_CURVE, *(_ONLY.format(each.name) for each in curve_only(cases))])
    curve = f'<p class="says">{by_curve}</p>{table(*curve_numbers(cases))}'
    for score, text in (
        ("best", "The same had every model been taken at its epoch of lowest test loss"),
        ("final", "The same after the last epoch"),
    ):
        header, rows = other_numbers(cases, score)
        if rows:
            parts.append(details(text, table(header, rows)))
    return "\n".join([*parts, curve])


def _where(chart: Chart) -> str:
    return "Not in the paper" if chart.number is None else f"Figure {chart.number} in the paper"


def _checks(cases: Sequence[Case]) -> str:
    text = (
        "Agents over all seeds that pass. Contributes, of honest agents: it uses the number of "
        "samples that is best for it, found by search, or all that it has. Rational: it ends no "
        "worse than alone, whatever is drawn. Surplus is the operator's, what it is left with, and "
        "shortfall what compensations lack, mean over seeds, in units of test loss."
    )
    reasons: dict[str, list[str]] = {}
    for each in settled_by(cases):
        reasons.setdefault(each.rule.surplus_reason, []).append(each.name)
    text += "".join(f" Under {listed(names)}, {why}." for why, names in reasons.items())
    only = [each.name for each in curve_only(cases)]
    if only:
        text += (
            f" For {listed(only)}, all of these are by the curve and in its unit, and rational "
            "counts honest agents only: the others pay the consistency charge."
        )
    return f'<p class="says">{escape(text)}</p>{table(*checks(cases))}'


def _study(result: Result) -> str:
    """The command, the resolved study, and what it ran on."""
    made = [[key, cell_text(value)] for key, value in result.manifest.items() if key != "command"]
    return (
        f"<h3>{escape(str(result.summary['study']))}</h3>"
        f"{code(str(result.manifest.get('command', '')))}"
        f"{details('The study in full', code(result.config))}"
        f"{details('Versions and hardware', table(['', ''], made))}"
    )
