"""One reader for every file of terms: `settle`, `advise` and the federation take the same ones.

- A flat TOML file, with one key for each field of `Terms`.
- A federation's ``terms.toml``, where these keys stand under ``[money]``.
- Its published ``terms.json``, where decimal numbers are texts.

What the money means is settled here; training, conduct and payment are the federation's.
"""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, check_keys
from ..io.files import read_text, read_toml
from ..mechanism import Terms

FIELDS = tuple(field.name for field in dataclasses.fields(Terms))
TEXTS = ("rule", "currency")
"""The fields that are texts; all others are numbers."""

FEDERATION = (
    *("format", "consortium", "season", "name", "operator", "seed_commitment"),
    *("money", "training", "conduct", "payment", "disputes"),
)
"""The keys of a federation's files."""


def read_terms(path: Path | str) -> Terms:
    """Read and check terms; unknown keys are refused with the nearest valid name."""
    table = read_sections(Path(path))
    try:
        return terms_of(table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_sections(path: Path) -> dict[str, Any]:
    """A file of terms by its sections, whichever of the three it is. A flat file is all money."""
    table = _read(path)
    flat = "money" not in table and not any(isinstance(value, dict) for value in table.values())
    try:
        check_keys(table, FIELDS if flat else FEDERATION)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return {"money": table} if flat else table


def terms_of(table: Mapping[str, Any], known: tuple[str, ...] = FIELDS) -> Terms:
    """The money of a file; an unknown key is refused with the nearest valid name."""
    keys = section(table, "money")
    check_keys(keys, known, " in [money]")
    return Terms(**keys)


def section(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A section of a file, empty where there is none."""
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{name} is no section; write [{name}] above its keys")
    return found


def _read(path: Path) -> dict[str, Any]:
    """The file as a table, whether it is TOML or JSON."""
    if path.suffix.lower() != ".json":
        return read_toml(path)
    try:
        document = json.loads(read_text(path, "a file of terms"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: is not valid JSON ({error})") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: is no object; give terms such as a federation publishes")
    if isinstance(money := document.get("money"), dict):
        document["money"] = {
            name: value if name in TEXTS else _number(value) for name, value in money.items()
        }
    return document


def _number(value: Any) -> Any:
    """The number that a published text is; whatever else it is, `Terms` will refuse."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value
