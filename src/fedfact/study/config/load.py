"""A study from a preset or a TOML file, with single keys overridden; refused where it is wrong."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...data.registry import DATASETS, SETS
from ...errors import InputError, did_you_mean
from ...io.files import read_toml
from ...io.regular import is_file
from ...io.tables import read_columns
from .errors import in_words
from .study import Study


def read_study(which: Path | str, overrides: Sequence[str] = (), **options: Any) -> Study:
    """The study of a preset's name or a TOML file.

    ``overrides`` are texts like ``training.epochs=10``, the value as in TOML or plain text;
    ``options`` set keys of the study itself, where they are not None.
    """
    table, where, folder = _table(str(which))
    overridden = {text.partition("=")[0].strip() for text in overrides}
    if overridden & {"costs", "costs.file"}:
        folder = Path()  # a file is where the command is given
        _forget_costs(table)
    for key, value in options.items():
        if value is not None:
            table[key] = value
    for text in overrides:
        _override(table, text)
    if "costs.file" in overridden and "costs.kind" not in overridden:
        table["costs"]["kind"] = "file"
    try:
        table = _with_costs(table, folder)
        return Study.model_validate(_frozen(table))
    except ValidationError as error:
        raise InputError(f"{where}: {in_words(error)}") from None


def _table(which: str) -> tuple[dict[str, Any], str, Path]:
    """The keys of a preset or file, what to call it in a refusal, and where its files are."""
    if which in SETS:
        copy: dict[str, Any] = {"dataset": which, **SETS[which].preset}
        return {k: dict(v) if isinstance(v, dict) else v for k, v in copy.items()}, which, Path()
    path = Path(which)
    if path.suffix.lower() != ".toml" and not is_file(path):
        hint = f"{did_you_mean(which, DATASETS)} ".lstrip()
        raise InputError(
            f"study {which!r} is not known; {hint}give {', '.join(DATASETS)} or a TOML file"
        )
    return read_toml(path, f"{', '.join(DATASETS)} or a TOML file"), which, path.parent


def _override(table: dict[str, Any], text: str) -> None:
    """Set one key, which may lie in a table, to a value."""
    key, equals, value = text.partition("=")
    path = key.strip().split(".")
    if not equals or not all(path):
        raise InputError(f"-s {text}: is not KEY=VALUE; write for example -s training.epochs=10")
    for k, name in enumerate(path[:-1]):
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            raise InputError(
                f"-s {text}: {'.'.join(path[: k + 1])} is not a table; set it as a whole"
            )
        table = inner
    try:
        table[path[-1]] = tomllib.loads(f"value = {value}")["value"]
    except ValueError as error:
        if value.strip()[:1] in ("[", "{", '"', "'"):
            raise InputError(f"-s {text}: the value is not valid TOML ({error})") from None
        table[path[-1]] = value.strip()  # a word without its quotes


def _forget_costs(table: dict[str, Any]) -> None:
    """Take out what a study that was run has of its costs file: another file is to say it."""
    costs = table.get("costs")
    if not isinstance(costs, dict) or costs.get("values") is None:
        return
    table["costs"] = {k: v for k, v in costs.items() if k not in ("values", "names")}
    table.pop("agents", None)
    if not isinstance(table.get("samples"), int):  # one number for all is the study's own
        table.pop("samples", None)


def _with_costs(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The table with the costs of the file it names, if any."""
    costs = table.get("costs")
    if not isinstance(costs, dict) or not isinstance(costs.get("file"), str):
        return table
    if costs.get("values") is not None:  # a study that was run carries them itself
        return table
    columns = read_columns(folder / costs["file"], ("agent", "true_cost"))
    values, names = columns.costs("true_cost").tolist(), columns.names("agent")
    table = {**table, "costs": {"kind": "file", **costs, "values": values, "names": names}}
    table.setdefault("agents", len(values))
    if "samples" in columns.columns:
        table.setdefault("samples", columns.whole("samples").tolist())
    return table


def _frozen(value: Any) -> Any:
    """Tuples for lists, all the way down: studies do not change."""
    if isinstance(value, dict):
        return {key: _frozen(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_frozen(inner) for inner in value)
    return value
