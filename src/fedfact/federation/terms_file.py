"""Terms from a TOML file, with one key for each field of `Terms`."""

import dataclasses
import tomllib
from pathlib import Path

from ..files import read_text
from ..mechanism import InputError, Terms
from ..mechanism.errors import did_you_mean

FIELDS = tuple(field.name for field in dataclasses.fields(Terms))


def read_terms(path: Path) -> Terms:
    """Read and check terms; unknown keys are refused with the nearest valid name."""
    text = read_text(path, "a TOML file")
    try:
        table = tomllib.loads(text)
    except ValueError as error:  # not TOML, or a number of thousands of digits
        raise InputError(f"{path}: is not valid TOML ({error})") from None
    for key in table:
        if key not in FIELDS:
            remedy = did_you_mean(key, FIELDS) or f"the keys are {', '.join(FIELDS)}"
            raise InputError(f"{path}: unknown key {key!r}; {remedy}")
    try:
        return Terms(**table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
