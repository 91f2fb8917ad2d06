"""A backup becomes a directory again: one that is not there yet, whole or not at all.

Whoever made the file, nothing is written but plain files and folders below that directory.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError
from ...io.files import keep_names, reason, write_whole
from ...io.regular import open_regular
from ..ledger.export import read_export
from ..ledger.store import Ledger
from ..operator.directory import RESTORED
from .back_up import LEDGER, LEFT_OUT
from .packed import About, read_about, read_parts
from .sealed import Opener

_OTHERS = 0o755
"""What others may be allowed of a restored file; never to write."""


def restore(backup: Path, directory: Path, passphrase: str) -> About:
    """Make the directory that a backup is of; what the backup says of itself."""
    if directory.is_symlink() or (directory.exists() and not _is_empty(directory)):
        raise InputError(f"{directory}: is there already; restore to a new directory")
    parent = directory.absolute().parent
    if not parent.is_dir():
        raise InputError(f"{directory}: the directory {parent} is not there; create it first")
    part = parent / f".{directory.name}.{secrets.token_hex(4)}.part"
    try:
        with open_regular(backup, 1 << 50, wanted="a file that fedfact backup wrote") as file:
            try:
                part.mkdir(mode=0o700)
                opener = Opener(file, passphrase)
                about = read_about(opener.read)
                _unpack(opener, part)
            except InputError as error:
                raise InputError(f"{backup}: {error}") from None
        if about.of == "operator":
            _make_ledger(part)
        keep_names(part)
        part.replace(directory)
        keep_names(parent)
    except OSError as error:
        raise InputError(f"{directory}: cannot be restored ({reason(error)})") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return about


def _is_empty(directory: Path) -> bool:
    return directory.is_dir() and not any(directory.iterdir())


def _unpack(opener: Opener, directory: Path) -> None:
    for part, data in read_parts(opener.read):
        if part.path.partition("/")[0] in LEFT_OUT:
            raise InputError(f"{part.path}: has no place in a backup")
        place, mode = directory / part.path, part.mode & _OTHERS
        if part.size is None:
            place.mkdir(mode=0o700)
            place.chmod(mode | 0o700)
        else:
            _write(place, mode | 0o400, data)


def _write(place: Path, mode: int, data: Iterator[bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
        for each in data:
            file.write(each)
        os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())


def _make_ledger(directory: Path) -> None:
    """The ledger from its entries, in a file; of a federation that was not started there is none.

    Before anything is written to it, members must have said whether it is up to date (`RESTORED`).

    What they say is for those who read it next: a backup is believed as little as any ledger.
    """
    exported = directory / LEDGER
    entries = read_export(exported)
    if entries:
        write_whole(directory / RESTORED, b"")
        ledger = Ledger.at(str(directory / "ledger.db"), new=True)
        try:
            ledger.copy(entries)
        finally:
            ledger.close()
    exported.unlink()
