"""The tables of the page that stand for themselves: key numbers, the curve's, and checks."""

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


def key_numbers(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """Header and rows: accuracies and losses of each case, with their intervals."""
    columns = _columns(cases)
    rows = [_numbers(case, case.numbers, columns) for case in cases]
    return ["", *(name for _, _, name, _ in columns)], rows


def curve_numbers(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """Samples trained on, and asked for by rules of their own; losses relative to training alone.

    Nothing of a rule that a case was not settled by.
    """
    columns = [
        *((each.name, "samples", "samples asked for", _NUMBER) for each in curve_only(cases)),
        *((each.name, "loss", "by the curve", _PERCENT) for each in settled_by(cases)),
    ]
    header = ["", "samples trained on", *(f"{name}, {rule}" for rule, _, name, _ in columns)]
    rows: list[list[Cell]] = []
    for case in cases:
        by = case.numbers["by_curve"]
        cells = [
            estimate(by[rule][key], *form) if rule in by else None for rule, key, _, form in columns
        ]
        rows.append([case.name, estimate(case.numbers["samples"]), *cells])
    return header, rows


def all_numbers(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """Both tables as one."""
    (header, rows), (more, curve) = key_numbers(cases), curve_numbers(cases)
    both = [[*row, *rest[1:]] for row, rest in zip(rows, curve, strict=True)]
    return [*header, *more[1:]], both


def other_numbers(cases: Sequence[Case], score: str) -> tuple[list[str], list[list[Cell]]]:
    """The same by the score that was not settled, "best" or "final", of the cases that have it."""
    columns, header = _columns(cases), key_numbers(cases)[0]
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
