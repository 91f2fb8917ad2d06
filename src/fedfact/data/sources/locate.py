"""Where data sets and caches are: directories from arguments, the environment, or the user's own.

FEDFACT_DATA names the directory of the data sets, FEDFACT_CACHE the one below which fedfact keeps
what it has downloaded and decoded. An empty value counts as none.
"""

import os
from pathlib import Path

from ...errors import InputError


def cache_directory() -> Path:
    """The directory of fedfact in the user's cache; it need not exist yet."""
    if own := os.environ.get("FEDFACT_CACHE"):
        return Path(own) / "fedfact"
    standard = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if standard.is_absolute():  # the XDG specification says to ignore a relative one
        return standard / "fedfact"
    try:
        return Path.home() / ".cache" / "fedfact"
    except RuntimeError:
        raise InputError(
            "there is no home directory to keep data in; name a directory in FEDFACT_CACHE"
        ) from None


def data_directory(directory: Path | None) -> Path:
    """The directory to look for data sets in: as given, or of FEDFACT_DATA, or in the user's cache.

    One that was named must exist; the one in the cache need not.
    """
    named, remedy = directory, "create it, or name another directory"
    if named is None and (setting := os.environ.get("FEDFACT_DATA")):
        named, remedy = Path(setting), "create it, or correct or unset FEDFACT_DATA"
    if named is None:
        return cache_directory() / "data"
    if named.is_dir():
        return named
    problem = "is not a directory" if named.exists() else "there is no such directory"
    raise InputError(f"{named}: {problem} to take data from; {remedy}")
