"""What the columns of a study's tables hold, and that the tables fit the summary."""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import LARGEST
from ...errors import InputError
from ...mechanism.settlement import AMOUNTS
from .keys import by_curve_of, deviation_cost_of, facts, measured_of, rational_of, rules_of

StudyTable = dict[str, npt.NDArray[Any]]
"""Columns of equal length by their names."""

_TEXT = ("arm", "training", "agent", "kind", "rule", "input")
_WHOLE = ("seed", "epoch", "agreed", "samples", *AMOUNTS)
_MAY_LACK = ("agent", "group")  # a federated model is nobody's, and who is left over has no group


def check_tables(path: Path, summary: Mapping[str, Any], tables: Mapping[str, StudyTable]) -> None:
    """Refuse tables that are not those of this summary."""
    rules, measured = rules_of(summary), measured_of(summary["arms"][0])
    needed = {
        "curves": ("training", "agent", "epoch", "loss", "accuracy"),
        "agents": (
            *("agent", "kind", "reported_cost", "labels", "local_loss", "federated_loss"),
            *("win_probability", "if_lost", "if_won", "spread", "alone_by_curve", *facts(measured)),
            *map(by_curve_of, rules),
            *map(deviation_cost_of, rules),
        ),
        "settlement": ("rule", "input", "agent", "samples", *AMOUNTS, "won"),
    }
    for name, table in tables.items():
        file = path / f"{name}.parquet"
        for column in ("arm", "seed", *needed[name]):
            if column not in table:
                raise _unfit(file, f"column {column} is missing")
        for column, values in table.items():
            if why := _wrong(column, values, len(summary["classes"])):
                raise _unfit(file, f"column {column} {why}")
        if why := _uneven(name, table, summary):
            raise _unfit(file, why)


def _unfit(file: Path, why: str) -> InputError:
    return InputError(
        f"{file}: does not fit summary.json ({why}); finish the study anew with --resume"
    )


def _wrong(column: str, values: npt.NDArray[Any], classes: int) -> str:
    """What is wrong with the values of a column, if anything is."""
    if column in _TEXT:
        kinds = (str, type(None)) if column in _MAY_LACK else (str,)
        sound = all(isinstance(each, kinds) and (each or "").isprintable() for each in values)
        return "" if sound else "is not all text"
    if column == "labels":
        sound = all(
            isinstance(row, np.ndarray)
            and row.shape == (classes,)
            and row.dtype.kind in "iu"
            and (row >= 0).all()
            and row.max() <= 10**12
            for row in values
        )
        return "" if sound else f"has not a count for each of the {classes} classes"
    if column in ("won", "contributes") or column.startswith(rational_of("")):
        return "" if values.dtype.kind == "b" else "is not all true or false"
    if values.dtype.kind not in ("iu" if column in _WHOLE else "iuf"):
        return "is not all numbers" if column not in _WHOLE else "is not all whole numbers"
    numbers = values.astype(np.float64)
    lacking = np.isnan(numbers) & (column in _MAY_LACK)
    return "" if (lacking | (np.abs(numbers) <= LARGEST)).all() else "has numbers out of range"


def _uneven(name: str, table: StudyTable, summary: Mapping[str, Any]) -> str:
    """What is there too often or not at all: each arm and seed has the same rows, if anything."""
    parts = [(arm["arm"], seed) for arm in summary["arms"] for seed in summary["seeds"]]
    agents: int = summary["agents"]
    within = {"curves": ("training", "epoch"), "agents": (), "settlement": ("rule", "input")}[name]
    keys = list(zip(*(table[key].tolist() for key in ("arm", "seed", *within)), strict=True))
    found = Counter(keys)
    if {key[:2] for key in found} != {*parts}:
        return "it is of other arms or seeds"
    wanted: dict[tuple[Any, ...], int]
    if name == "agents":
        wanted = dict.fromkeys(parts, agents)
    elif name == "settlement":
        settled = (
            *product(measured_of(summary["arms"][0]), ["measured"]),
            *product(rules_of(summary), ["analytic"]),
        )
        wanted = {(*part, *of): agents for part, of in product(parts, settled)}
    else:
        epochs = {training: {key[3] for key in found if key[2] == training} for training in _BOTH}
        if not all(epochs.values()):
            return "a training has no tests"
        wanted = {
            (*part, training, epoch): agents if training == "local" else 1
            for part in parts
            for training in _BOTH
            for epoch in epochs[training]
        }
    return "" if found == wanted else "agents or tests are missing, or there twice"


_BOTH = ("local", "federated")
