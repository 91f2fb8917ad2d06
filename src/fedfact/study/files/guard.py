"""May a study be run in this directory? Refused before any work if not."""

import tomllib
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...io.folders import OTHER, check_folder
from ..config.load import read_study
from ..config.study import Study
from ..config.write_toml import to_toml
from .directory import TABLES

TRAINED = "trained"
"""The folder of what was trained, one file for each arm and seed."""

FILES = ("study.toml", "manifest.json", "summary.json", *(f"{name}.parquet" for name in TABLES))

_DECIDE = ("dataset", "agents", "samples", "split", "costs", "training")
"""What decides how agents train, with the curve and how they deviate. The rest may differ when a
study goes on: it adds arms or seeds, or only settles anew."""


def check_directory(study: Study, output: Path, *, resume: bool) -> None:
    """Refuse, before any work, a directory that cannot be written or holds another study."""
    check_folder(output, (*FILES, "report.html"), (TRAINED, "figures"))
    file = output / "study.toml"
    holds = file.exists()
    if (holds or any(output.glob(f"{TRAINED}/*.json"))) and not resume:
        raise InputError(
            f"{output}: holds a study already; go on with it by --resume (what is finished is not "
            f"done again), or {OTHER}"
        )
    if holds:
        _check_same(file, study)


def _check_same(file: Path, study: Study) -> None:
    """Refuse to go on in the directory of a study whose trainings are others."""
    try:
        before = read_study(str(file))
    except InputError as error:
        raise InputError(f"{error}; {OTHER}") from None
    old, new = (_flat(each) for each in (before, study))
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            raise InputError(
                f"{file}: is of another study ({key}: {old.get(key)} there, {new.get(key)} here); "
                f"{OTHER}"
            )


def _flat(study: Study) -> dict[str, Any]:
    """The keys that decide how agents train, those within tables as table.key."""
    table = tomllib.loads(to_toml(study))
    terms = study.terms
    flat: dict[str, Any] = {
        "terms.error_scale": terms.error_scale,
        "terms.exponent": terms.exponent,
    }
    for k, each in enumerate(study.deviators):
        flat |= {f"deviators[{k}].kind": each.kind, f"deviators[{k}].strength": each.strength}
    return flat | _within("", {key: table.get(key) for key in _DECIDE})


def _within(key: str, value: Any) -> dict[str, Any]:
    """A key with its value, or all the keys in its table as table.key."""
    if not isinstance(value, dict):
        return {key: value}
    flat: dict[str, Any] = {}
    for name, inner in value.items():
        flat |= _within(f"{key}.{name}".lstrip("."), inner)
    return flat
