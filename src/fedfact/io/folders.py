"""Directories of results: refused before any work where they cannot be written, and made.

Somebody else may have made them: what is written into one follows no link that leads out of it.
"""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from ..errors import InputError
from .files import reason

OTHER = "name another directory with -o"
"""What to do where a directory is refused."""


def check_folder(output: Path, files: Collection[str], folders: Collection[str] = ()) -> None:
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
    inner = [f"{name}/{each.name}" for name in folders for each in _entries(output / name)]
    refuse_links(output, (*files, *folders, *inner))


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse to write files, or to folders, that links lead to out of this directory."""
    own = os.path.realpath(folder)
    for name in names:
        if not Path(os.path.realpath(folder / name)).is_relative_to(own):
            raise InputError(f"{folder / name}: leads out of {folder}; remove the link")


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _is_free(folder: Path) -> bool:
    """Whether it is not there yet, or can be written to."""
    return not folder.exists() or (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK))


def make_folder(folder: Path) -> None:
    """Make it, with those above it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({reason(error)}); {OTHER}") from None
