"""The tables of the page that stand for themselves: key numbers, and checks."""

from collections.abc import Sequence
from typing import Any

from ...study.files.keys import rational_of
from ..base.words import PERCENT, Cell, estimate
from .cases import Case
from .rules import curve_only, measured_by, settled_by

_NUMBER, _PERCENT = (1.0, ""), (100.0, PERCENT)

Column = tuple[str, str, str, tuple[float, str]]
"""Table and key of an arm, what it is called, and how it is written."""


def _columns(cases: Sequence[Case]) -> list[Column]:
    rules = measured_by(cases)
    return [
        ("accuracy", "local", "accuracy, local", _PERCENT),
        ("accuracy", "federated", "accuracy, federated", _PERCENT),
        ("loss", "local", "loss, local", _NUMBER),
        ("loss", "federated", "loss, federated", _NUMBER),
        ("loss", "fact_paper", "FACT, paper", _NUMBER),
        ("loss", "fact_realised", "FACT, realised", _NUMBER),
        ("loss", "fact_believed", "FACT, believed", _NUMBER),
        *(("loss", each.key, each.label, _NUMBER) for each in rules),
        ("ratio", "fact_paper", "local / FACT", _NUMBER),
        *(("at_local_loss", each.name, f"at local loss, {each.name}", _PERCENT) for each in rules),
    ]


def _curve_numbers(case: Case, cases: Sequence[Case]) -> list[tuple[str, Cell]]:
    """Samples trained on, and asked for by rules of their own; losses relative to training alone.

    Nothing of a rule that the case was not settled by.
    """
    found: list[tuple[str, Cell]] = [
        ("samples, trained", estimate(case.numbers["samples"])),
    ]
    by = case.numbers["by_curve"]
    for rules, key, name, form in (
        (curve_only(cases), "samples", "samples", _NUMBER),
        (settled_by(cases), "loss", "by the curve", _PERCENT),
    ):
        for each in rules:
            value = estimate(by[each.name][key], *form) if each.name in by else None
            found.append((f"{name}, {each.name}", value))
    return found


def key_numbers(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """Header and rows: accuracies and losses of each case, with their intervals."""
    columns = _columns(cases)
    curve = [_curve_numbers(case, cases) for case in cases]
    rows = [
        [*_numbers(case, case.numbers, columns), *(cell for _, cell in more)]
        for case, more in zip(cases, curve, strict=True)
    ]
    return ["", *(name for _, _, name, _ in columns), *(name for name, _ in curve[0])], rows


def other_numbers(cases: Sequence[Case], score: str) -> tuple[list[str], list[list[Cell]]]:
    """The same by the score that was not settled, "best" or "final", of the cases that have it."""
    columns = _columns(cases)
    header = ["", *(name for _, _, name, _ in columns)]
    rows = [_numbers(case, case.numbers[score], columns) for case in cases if score in case.numbers]
    kept = [k for k in range(len(header)) if any(row[k] is not None for row in rows)]
    return [header[k] for k in kept], [[row[k] for k in kept] for row in rows]


def checks(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """How many agents, over all seeds, pass each check, and what each rule leaves or lacks."""
    rules = settled_by(cases)
    wanted = [("contribution", "contributes")]
    wanted += [(rational_of(each.name), f"rational, {each.name}") for each in rules]
    money = [(part, each.name) for part in ("surplus", "shortfall") for each in rules]
    header = ["", *(text for _, text in wanted), *(", ".join(pair) for pair in money)]
    return header, [
        [
            case.name,
            *(_passed(case.numbers["checks"].get(key)) for key, _ in wanted),
            *(_money(case, *pair) for pair in money),
        ]
        for case in cases
    ]


def _numbers(case: Case, numbers: dict[str, Any], columns: Sequence[Column]) -> list[Cell]:
    row: list[Cell] = [case.name]
    for group, key, _, form in columns:
        value = numbers.get(group, {}).get(key)
        row.append(None if value is None else estimate(value, *form))
    return row


def _passed(check: dict[str, int] | None) -> str | None:
    if check is None:
        return None
    mark = "✓" if check["passed"] == check["of"] else "✗"
    return f"{mark} {check['passed']:,} of {check['of']:,}"


def _money(case: Case, part: str, rule: str) -> float | None:
    """Mean over seeds, as a loss; nothing where it was not settled by the rule."""
    if rule not in case.result.rules:
        return None
    amounts = case.numbers["settlement"][rule][part]
    return float(sum(amounts)) / len(amounts) * case.unit(rule)
