"""A ledger as text, one entry a line, to hand to an auditor."""

import io
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ...errors import LedgerError
from ...io import limits
from ...io.files import reason
from ...io.regular import read_bytes
from ..wire.canonical import canonical
from .entry import RESTORE, Entry, Unreadable


def export(entries: Iterable[Entry]) -> bytes:
    """The entries as text, one canonical JSON document a line."""
    return b"".join(canonical(asdict(entry)) + b"\n" for entry in entries)


def read_export(path: Path) -> list[Entry]:
    """The entries of an exported ledger, which is to be exactly as it was written."""
    try:
        lines = io.BytesIO(read_bytes(path, limits.LEDGER))
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read ({reason(error)})") from None
    entries: list[Entry] = []
    most = 2 * limits.ENTRY + limits.MIB  # a body's quotes take two bytes here
    for number, line in enumerate(iter(lambda: lines.readline(most), b""), 1):
        if not line.endswith(b"\n"):
            what = "is cut short" if len(line) < most else "is longer than an entry can be"
            raise Unreadable(number - 1, entries, f"{path}, line {number}: {what}; {RESTORE}")
        try:
            entry = Entry(**json.loads(line.decode()))
            same = canonical(asdict(entry)) + b"\n" == line
        except (LedgerError, TypeError, ValueError, RecursionError):
            same = False
        if not same:
            why = f"{path}, line {number}: is not an entry as it was exported; {RESTORE}"
            raise Unreadable(number - 1, entries, why)
        entries.append(entry)
    return entries
