"""Regular files, opened so that nothing else can come in their place.

A named pipe, a device or a socket would block the command that opens it, or never end; a link may
lead out of a directory that somebody handed over. Both are refused, with the file's name.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError

BLOCK = 1 << 20
"""How much is read at a time of a file that turns out longer than it was when it was opened."""


def reason(error: OSError) -> str:
    """What the system says is wrong."""
    return (error.strerror or str(error)).lower()


def open_regular(path: Path, most: int, within: Path | None = None, wanted: str = "") -> BinaryIO:
    """Open a file to read it: a regular one of at most so many bytes, or it is refused.

    Not one that links lead to out of the directory ``within``. ``wanted`` says what to give
    instead. Where it cannot be opened it raises an `OSError`, for the caller to put in words.
    """
    place = path
    if within is not None:
        place = Path(os.path.realpath(path))
        if not place.is_relative_to(os.path.realpath(within)):
            raise InputError(f"{path}: leads out of {within}; put the file itself there")
    file = open(place, "rb", opener=_without_waiting)  # noqa: SIM115 (handed on open)
    about = os.fstat(file.fileno())
    if not stat.S_ISREG(about.st_mode):
        file.close()
        raise InputError(f"{path}: is no plain file; give {wanted or 'one'}")
    if about.st_size > most:
        file.close()
        wanted = wanted or f"one of at most {most:,}"
        raise InputError(f"{path}: has {about.st_size:,} bytes; give {wanted}")
    return file


def _without_waiting(name: str, flags: int) -> int:
    """A pipe that nobody writes to would keep us waiting for ever; a terminal is not taken over."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def read_bytes(path: Path, most: int, within: Path | None = None, wanted: str = "") -> bytes:
    """The bytes of a regular file, as `open_regular` opens it."""
    with open_regular(path, most, within, wanted) as file:
        data = _up_to(file, most + 1)
    if len(data) > most:
        raise InputError(f"{path}: grows beyond the {most:,} bytes that are read; is it in use?")
    return data


def _up_to(file: BinaryIO, most: int) -> bytes:
    """The file's bytes, at most so many; reading reserves memory for its size, not for ``most``."""
    parts, left, wanted = [], most, os.fstat(file.fileno()).st_size + 1
    while part := file.read(min(left, wanted)):
        parts.append(part)
        left, wanted = left - len(part), BLOCK
    return b"".join(parts)


def is_file(path: Path) -> bool:
    """Whether a regular file is there; none is where the name is one that no file can have."""
    return _is(path, stat.S_ISREG)


def is_directory(path: Path) -> bool:
    """Whether a directory is there, likewise."""
    return _is(path, stat.S_ISDIR)


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False
