"""Studies as text for people: a table for a terminal, and one in Markdown."""

from collections.abc import Sequence

from ...report.base.words import Cell, estimate, listed
from ...report.study.cases import Case, cases_of
from ...report.study.key_numbers import all_numbers
from ...report.study.rules import curve_only, measured_by
from ...study.files.directory import Result
from ..shared.output import print_table, stdout
from ..shared.tables import new_table

_SIDE_BY_SIDE = 4  # cases that a terminal has room for


def print_studies(results: Sequence[Result]) -> None:
    """The key numbers of every arm: the mean over seeds, ± half the 95 % interval."""
    cases = cases_of(results)
    header, rows = all_numbers(cases)
    for start in range(0, len(rows), _SIDE_BY_SIDE):
        names, *numbers = zip(header, *rows[start : start + _SIDE_BY_SIDE], strict=True)
        table = new_table(*map(str, names))
        for line in numbers:
            table.add_row(*map(_text, line))
        print_table(table)
    several = any(len(result.summary["seeds"]) > 1 for result in results)
    interval = " and seeds, ± half of the 95 % interval over seeds (Student)" if several else ""
    _, *others = (each.name for each in measured_by(cases))
    rules = f"rule{'s' if len(others) > 1 else ''}"
    text = (
        f"Test accuracy and loss, mean over agents{interval}. FACT: as the paper counts it "
        "(p = ⅓), exactly for these agents, as agents at the median believe (½), as our "
        f"settlement pays, and by the {listed(others)} {rules}. By the curve, not measured: the "
        "loss of all agents under each rule, the cost of data included, relative to training alone."
    )
    for name in (each.name for each in curve_only(cases)):
        text += f" {name.capitalize()} is by the curve only, with samples of its own."
    stdout().print(text)


def print_markdown(results: Sequence[Result]) -> None:
    """The same table in Markdown, with the time its trainings took and the command."""
    cases = cases_of(results)
    header, rows = all_numbers(cases)
    header += ["local / FACT at best epochs", "time", "command"]
    for line in (header, ["---", *["--:"] * (len(header) - 2), "---"]):
        stdout().print(f"| {' | '.join(line)} |", soft_wrap=True)
    for case, row in zip(cases, rows, strict=True):
        best = case.numbers.get("best", case.numbers)["ratio"]["fact_paper"]
        command = f"`{case.result.manifest['command']}`"
        line = [*map(_text, (*row, best and estimate(best))), f"{_seconds(case):,.0f} s", command]
        stdout().print(f"| {' | '.join(line)} |", soft_wrap=True)
    minutes = sum(map(_seconds, cases)) / 60
    stdout().print(f"\nAll trainings together took {minutes:.1f} minutes.")


def _text(cell: Cell) -> str:
    return "–" if cell is None else str(cell)


def _seconds(case: Case) -> float:
    """How long the trainings of an arm took."""
    return sum(
        sum(seconds.values())
        for part, seconds in case.result.manifest["seconds"].items()
        if part.startswith(f"{case.numbers['arm']}, seed ")
    )
