"""Terms from a TOML file, with one key for each field of `Terms`."""

import dataclasses
from pathlib import Path

from ..files import read_toml
from ..mechanism import InputError, Terms
from ..mechanism.errors import check_keys

FIELDS = tuple(field.name for field in dataclasses.fields(Terms))


def read_terms(path: Path) -> Terms:
    """Read and check terms; unknown keys are refused with the nearest valid name."""
    table = read_toml(path)
    try:
        check_keys(table, FIELDS)
        return Terms(**table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
