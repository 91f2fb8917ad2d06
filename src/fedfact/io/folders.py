"""Directories of results: refused before any work where they cannot be written, and made."""

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import InputError
from .files import reason

OTHER = "name another directory with -o"
"""What to do where a directory is refused."""


def check_folder(output: Path, files: Iterable[str], folders: Iterable[str] = ()) -> None:
    """Refuse a directory in which these files and folders could not be written."""
    try:
        there = next(path for path in (output, *output.absolute().parents) if path.exists())
        writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
        taken = next((name for name in files if (output / name).is_dir()), None)
        barred = next((name for name in folders if not _is_free(output / name)), None)
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{output}: cannot be made ({reason(error)}); {OTHER}") from None
    if not writable:
        raise InputError(f"{output}: cannot be written to; {OTHER}")
    if taken is not None:
        raise InputError(f"{output / taken}: is a directory; remove it, or {OTHER}")
    if barred is not None:
        raise InputError(f"{output / barred}: is no directory to write to; remove it, or {OTHER}")


def _is_free(folder: Path) -> bool:
    """Whether it is not there yet, or can be written to."""
    return not folder.exists() or (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK))


def make_folder(folder: Path) -> None:
    """Make it, with those above it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({reason(error)}); {OTHER}") from None
