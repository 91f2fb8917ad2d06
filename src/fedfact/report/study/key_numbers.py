"""The tables of the page that stand for themselves: key numbers, and checks."""

from collections.abc import Sequence
from typing import Any

from ..base.words import PERCENT, Cell, estimate
from .cases import Case

_NUMBER, _PERCENT = (1.0, ""), (100.0, PERCENT)

_COLUMNS = (
    ("accuracy", "local", "accuracy, local", _PERCENT),
    ("accuracy", "federated", "accuracy, federated", _PERCENT),
    ("loss", "local", "loss, local", _NUMBER),
    ("loss", "federated", "loss, federated", _NUMBER),
    ("loss", "fact_paper", "FACT, paper", _NUMBER),
    ("loss", "fact_realised", "FACT, realised", _NUMBER),
    ("loss", "fact_believed", "FACT, believed", _NUMBER),
    ("loss", "fact_settled", "FACT, as settled", _NUMBER),
    ("loss", "fact_rebate", "FACT, rebate", _NUMBER),
    ("ratio", "fact_paper", "local / FACT", _NUMBER),
    ("at_local_loss", "sandwich", "at local loss, sandwich", _PERCENT),
    ("at_local_loss", "rebate", "at local loss, rebate", _PERCENT),
)

_CHECKS = (
    ("contribution", "contributes"),
    ("rational_sandwich", "rational, sandwich"),
    ("rational_rebate", "rational, rebate"),
)


def key_numbers(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """Header and rows: accuracies and losses of each case, with their intervals."""
    rows = [_numbers(case, case.numbers) for case in cases]
    return ["", *(name for _, _, name, _ in _COLUMNS)], rows


def other_numbers(cases: Sequence[Case], score: str) -> tuple[list[str], list[list[Cell]]]:
    """The same by the score that was not settled, "best" or "final", of the cases that have it."""
    rows = [_numbers(case, case.numbers[score]) for case in cases if score in case.numbers]
    header, _ = key_numbers([])
    kept = [k for k in range(len(header)) if any(row[k] is not None for row in rows)]
    return [header[k] for k in kept], [[row[k] for k in kept] for row in rows]


def checks(cases: Sequence[Case]) -> tuple[list[str], list[list[Cell]]]:
    """How many agents, over all seeds, pass each check, and what each rule leaves or lacks."""
    money = [(part, rule) for part in ("surplus", "shortfall") for rule in ("sandwich", "rebate")]
    header = ["", *(text for _, text in _CHECKS), *(", ".join(pair) for pair in money)]
    return header, [
        [
            case.name,
            *(_passed(case.numbers["checks"][key]) for key, _ in _CHECKS),
            *(_money(case, *pair) for pair in money),
        ]
        for case in cases
    ]


def _numbers(case: Case, numbers: dict[str, Any]) -> list[Cell]:
    row: list[Cell] = [case.name]
    for group, key, _, form in _COLUMNS:
        value = numbers.get(group, {}).get(key)
        row.append(None if value is None else estimate(value, *form))
    return row


def _passed(check: dict[str, int]) -> str:
    mark = "✓" if check["passed"] == check["of"] else "✗"
    return f"{mark} {check['passed']:,} of {check['of']:,}"


def _money(case: Case, part: str, rule: str) -> float:
    """Mean over seeds, in units of test loss."""
    amounts = case.numbers["settlement"][rule][part]
    return float(sum(amounts)) / len(amounts) * float(case.result.summary["unit"])
