"""Studies as text for people: a table for a terminal, and one in Markdown."""

from collections.abc import Sequence
from typing import Any

from ..report.cases import Case, cases_of
from ..report.words import PERCENT, estimate
from ..study.directory import Result
from .console import print_table, stdout
from .tables import new_table

_LOSSES = {
    "local": "local",
    "federated": "federated",
    "fact_paper": "FACT, paper",
    "fact_realised": "realised",
    "fact_believed": "believed",
    "fact_settled": "settled",
    "fact_rebate": "rebate",
}


def print_studies(summaries: Sequence[dict[str, Any]]) -> None:
    """Losses and accuracies of every arm: the mean over seeds, ± half the 95 % interval."""
    table = new_table("study", "accuracy alone", "together", *_LOSSES.values(), "local/FACT")
    for summary in summaries:
        for arm in summary["arms"]:
            table.add_row(f"{summary['study']}, {arm['arm']}", *_numbers(arm))
    print_table(table)
    stdout().print(
        "Test accuracy and loss, mean over agents and seeds, ± half of the 95 % interval over "
        "seeds (Student). FACT: as the paper counts it (p = ⅓), exactly for these agents, as "
        "agents at the median believe (½), as our settlement pays, and by the rebate rule."
    )


def print_markdown(results: Sequence[Result]) -> None:
    """The same table in Markdown, with the time its trainings took and the command."""
    header = ["", "accuracy alone", "together", *_LOSSES.values(), "local/FACT"]
    header += ["at best epochs", "time", "command"]
    rows, total = [header, ["---", *["--:"] * (len(header) - 2), "---"]], 0.0
    for case in cases_of(results):
        seconds = _seconds(case)
        total += seconds
        best = case.numbers.get("best", case.numbers)["ratio"]["fact_paper"]
        command = f"`{case.result.manifest['command']}`"
        numbers = [*_numbers(case.numbers), estimate(best), f"{seconds:,.0f} s", command]
        rows.append([case.name, *numbers])
    for row in rows:
        stdout().print(f"| {' | '.join(row)} |", soft_wrap=True)
    stdout().print(f"\nAll trainings together took {total / 60:.1f} minutes.")


def _seconds(case: Case) -> float:
    """How long the trainings of an arm took."""
    return sum(
        sum(seconds.values())
        for part, seconds in case.result.manifest["seconds"].items()
        if part.startswith(f"{case.numbers['arm']}, seed ")
    )


def _numbers(arm: dict[str, Any]) -> list[str]:
    return [
        *(estimate(arm["accuracy"][name], 100, PERCENT) for name in ("local", "federated")),
        *(estimate(arm["loss"][name]) for name in _LOSSES),
        estimate(arm["ratio"]["fact_paper"]),
    ]
