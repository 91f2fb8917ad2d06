"""The directory of a study's results: which files there are, and how they are read and written.

``study.toml`` is the study as it was run, ``manifest.json`` says by whom and on what, the three
Parquet files hold one line for each point of a curve, each agent and each agent's settlement, and
``summary.json`` the means. Pictures and the page are made from these files and from nothing else.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...extras import naming_the_extra
from ...io import limits
from ...io.files import read_text, write_whole
from ...mechanism import RULES
from ...results import Tabular, text_table
from .columns import StudyTable, check_tables
from .documents import check_manifest, check_summary
from .keys import facts, measured_of, rules_of

ColumnLists = dict[str, Any]
"""The columns of a table to be written: lists or arrays."""

TABLES = ("curves", "agents", "settlement")


@dataclass(frozen=True, eq=False, repr=False)
class Result(Tabular):
    """What a directory holds: the study's words and numbers, as they stand in its files.

    Attributes:
        config: the study as it was run, in TOML.
        summary: means over seeds with their intervals, for every arm.
        curves, agents, settlement: the tables, column by column.
    """

    path: Path
    config: str
    manifest: dict[str, Any]
    summary: dict[str, Any]
    curves: StudyTable
    agents: StudyTable
    settlement: StudyTable

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that it was settled by."""
        return rules_of(self.summary)

    @property
    def measured(self) -> tuple[str, ...]:
        """Those by which measured losses were settled, and not only the curve."""
        return measured_of(self.summary["arms"][0])

    def rows(self) -> list[dict[str, Any]]:
        """One row an arm: accuracies and losses, the means over agents and seeds."""
        losses = {"local_loss": "local", "federated_loss": "federated"}
        losses |= {fact: fact for fact in facts(self.measured)}
        return [
            {
                "arm": arm["arm"],
                **{f"{key}_accuracy": arm["accuracy"][key]["mean"] for key in arm["accuracy"]},
                **{column: arm["loss"][key]["mean"] for column, key in losses.items()},
                **{f"by_curve_{rule}": of["loss"]["mean"] for rule, of in arm["by_curve"].items()},
            }
            for arm in self.summary["arms"]
        ]

    def __repr__(self) -> str:
        """Name the study, and show the means of every arm."""
        of = self.summary
        about = f"{of['study']}: {of['title']}, {of['agents']:,} agents, seeds {len(of['seeds']):,}"
        return f"Result of study {about}\n{text_table(self.rows())}"


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


def read_result(path: Path | str) -> Result:
    """The results of a finished study."""
    path = Path(path)
    with naming_the_extra():
        from .parquet import read_table  # here, because pyarrow loads slowly

    summary, manifest = (read_json(path / f"{name}.json") for name in ("summary", "manifest"))
    check_summary(path / "summary.json", summary)
    _check_rules(path / "summary.json", summary)
    check_manifest(path / "manifest.json", manifest)
    tables = {name: read_table(path / f"{name}.parquet", path) for name in TABLES}
    check_tables(path, summary, tables)
    return Result(
        path,
        read_text(path / "study.toml", "the study's own directory", limits.TOML, path),
        manifest,
        summary,
        **tables,
    )


def _check_rules(path: Path, summary: dict[str, Any]) -> None:
    """Refuse a study that was settled by a rule which is not there."""
    for rule in rules_of(summary):
        if rule not in RULES:
            raise InputError(
                f"{path}: is settled by rule {rule!r}, which is not known here (known are "
                f"{', '.join(RULES)}); register the rule first"
            )


def write_tables(path: Path, **tables: ColumnLists) -> None:
    """Write tables as Parquet files, each whole or not at all."""
    import pyarrow as pa  # here and below: it loads slowly, and not every reader of results has it
    import pyarrow.parquet as pq

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
