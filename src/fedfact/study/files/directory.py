"""The directory of a study's results: which files there are, and how they are read and written.

``study.toml`` is the study as it was run, ``manifest.json`` says by whom and on what, the three
Parquet files hold one line for each point of a curve, each agent and each agent's settlement, and
``summary.json`` the means. Pictures and the page are made from these files and from nothing else.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from ...io import limits
from ...io.files import read_text, write_whole

Table = dict[str, npt.NDArray[Any]]
"""Columns of equal length by their names."""
Columns = dict[str, Any]
"""The same to be written: lists or arrays."""

TABLES = ("curves", "agents", "settlement")
_COLUMNS = {
    "curves": ("training", "agent", "epoch", "loss", "accuracy"),
    "agents": ("agent", "kind", "reported_cost", "labels", "local_loss", "fact_settled", "if_won"),
    "settlement": ("rule", "input", "agent", "fee", "reward", "rebate", "net", "won"),
}
"""What tells each table from any other."""
_FACT = ("fact_paper", "fact_realised", "fact_believed", "fact_settled", "fact_rebate")
_ARM: dict[str, tuple[str, ...]] = {
    "accuracy": ("local", "federated"),
    "loss": ("local", "federated", *_FACT),
    "ratio": _FACT,
    "at_local_loss": ("sandwich", "rebate"),
    "spread": ("agent", "mean"),
    "truthfulness": ("added", "simulated_at", "trials", "believed", "simulated", "realised"),
    "penalty": ("samples", "optimum", "curves"),
    "checks": ("contribution", "rational_sandwich", "rational_rebate"),
    "settlement": ("sandwich", "rebate"),
}
"""The tables that an arm of a summary has, and what is in each."""
_SUMMARY = ("study", "title", "dataset", "agents", "seeds", "unit", "classes", "arms")


@dataclass(frozen=True, eq=False)
class Result:
    """What a directory holds: the study's words and numbers, as they stand in its files."""

    path: Path
    config: str
    manifest: dict[str, Any]
    summary: dict[str, Any]
    curves: Table
    agents: Table
    settlement: Table


def find_results(path: Path) -> list[Path]:
    """The directories of finished studies: this one, or those in it."""
    if (path / "summary.json").is_file():
        return [path]
    inside = sorted(file.parent for file in path.glob("*/summary.json"))
    if not inside:
        raise InputError(
            f"{path}: holds no finished study (there is no summary.json); name the directory that "
            "`fedfact run -o` wrote, or finish it with --resume"
        )
    return inside


def read_result(path: Path) -> Result:
    """The results of a finished study."""
    from .parquet import read_table  # here, because pyarrow loads slowly

    summary, manifest = (read_json(path / f"{name}.json") for name in ("summary", "manifest"))
    remedy = "finish the study anew with --resume, or name another directory"
    if not _is_summary(summary):
        raise InputError(f"{path / 'summary.json'}: is not the summary of a study; {remedy}")
    if not _has(manifest, ("command", "seconds")) or not isinstance(manifest["seconds"], dict):
        raise InputError(f"{path / 'manifest.json'}: is not the manifest of a study; {remedy}")
    tables = {name: read_table(path / f"{name}.parquet", path) for name in TABLES}
    _check_tables(path, summary, tables)
    return Result(
        path,
        read_text(path / "study.toml", "the study's own directory", limits.TOML, path),
        manifest,
        summary,
        **tables,
    )


def _has(document: Any, keys: Iterable[str]) -> bool:
    return isinstance(document, dict) and set(keys) <= set(document)


def _is_summary(summary: Any) -> bool:
    """Whether it has all that a report takes from it."""
    if not _has(summary, _SUMMARY) or not isinstance(summary["arms"], list):
        return False
    return bool(summary["arms"]) and all(
        _has(arm, ("arm", "partition", "deviators"))
        and isinstance(arm["deviators"], list)
        and all(_has(arm.get(table), keys) for table, keys in _ARM.items())
        for arm in summary["arms"]
    )


def _check_tables(path: Path, summary: dict[str, Any], tables: dict[str, Table]) -> None:
    """Refuse tables that are not those of this summary."""
    try:
        parts = {(arm["arm"], seed) for arm in summary["arms"] for seed in summary["seeds"]}
    except (KeyError, TypeError):
        parts = set()
    for name, table in tables.items():
        rows = len(next(iter(table.values()), ()))
        there = set(zip(table.get("arm", ()), table.get("seed", ()), strict=False))
        sound = there == parts and set(_COLUMNS[name]) <= set(table)
        if name == "agents":
            sound = sound and rows == len(parts) * summary["agents"]
        if not sound:
            raise InputError(
                f"{path / f'{name}.parquet'}: does not fit summary.json; finish the study anew "
                "with --resume"
            )


def write_tables(path: Path, **tables: Columns) -> None:
    """Write tables as Parquet files, each whole or not at all."""
    for name, columns in tables.items():
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({key: pa.array(list(c)) for key, c in columns.items()}), sink)
        write_whole(path / f"{name}.parquet", sink.getvalue().to_pybytes())


def read_json(path: Path, remedy: str = "finish the study anew with --resume") -> Any:
    """A JSON document that we wrote."""
    try:
        return json.loads(read_text(path, "the file that `fedfact run` wrote", within=path.parent))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not valid JSON ({error}); {remedy}") from None
