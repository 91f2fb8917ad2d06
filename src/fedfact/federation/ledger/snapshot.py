"""A ledger's file is read from a copy, so that reading changes nothing beside it.

SQLite mends a file that a writer left half-way (its ``-journal`` or ``-wal``), and makes files of
its own to share with others. An auditor's evidence must stay as it is, down to the byte, and may
lie on a medium that cannot be written to; a live operator must not be kept waiting. So file,
journal and log are copied as they stand at one moment, and SQLite sees to the copy.

The file may come from anybody: it is taken only if it is one plain table, as `store` makes it.
"""

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shutil import copyfileobj

from ...errors import LedgerError
from ...io import limits
from ...io.files import reason
from ...io.regular import open_regular

LOG, JOURNAL = "-wal", "-journal"
_MANY = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a journal ends that names another file, which SQLite would remove; ours never do."""
_LOG_HEAD, _FILE_HEAD = 32, 100
_TRIES, _PAUSE = 100, 0.1

_PLAIN = [
    ("number", "INTEGER", 1, 0),
    ("season", "INTEGER", 0, 0),
    *((name, "TEXT", 0, 0) for name in ("kind", "time", "body", "previous", "hash", "signature")),
]
"""Name and type of each column, whether it is the key, and whether it is worked out (never)."""


@contextmanager
def copy_of(path: Path) -> Iterator[Path]:
    """A copy of a ledger's file, with all that was added to it until now."""
    try:
        with tempfile.TemporaryDirectory(prefix="fedfact-") as folder:
            copy = Path(folder) / "ledger.db"
            _copy(path.resolve(), copy)
            _check_plain(path, copy)
            yield copy
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read or copied ({reason(error)})") from None


def _copy(path: Path, copy: Path) -> None:
    """Copy file, log and journal, again until no writer came between.

    While a log has the same head it only grows, and has every page that goes from it into the file.
    So a file copied before its log is whole with it; without a log the file must not have changed.
    """
    for _ in range(_TRIES):
        before = _state(path)
        for ending in ("", LOG, JOURNAL):
            _copy_one(Path(f"{path}{ending}"), Path(f"{copy}{ending}"), needed=not ending)
        after = _state(path)
        if before == after or (before[0] is not None and before[0] == after[0]):
            return
        time.sleep(_PAUSE)
    raise LedgerError(f"{path}: is written to all the time; stop the operator, or try again")


def _state(path: Path) -> tuple[object, ...]:
    """The head of the log, or nothing without one; then what tells whether the file changed."""
    log, journal = Path(f"{path}{LOG}"), Path(f"{path}{JOURNAL}")
    about = path.stat()
    head = _start(log, _LOG_HEAD)
    changed = journal.stat().st_mtime_ns if journal.exists() else None
    return head, about.st_size, about.st_mtime_ns, _start(path, _FILE_HEAD), changed


def _start(path: Path, length: int) -> bytes | None:
    """The first bytes of a file; nothing where there is none, or an empty one."""
    try:
        with open_regular(path, limits.LEDGER) as file:
            return file.read(length) or None
    except FileNotFoundError:
        return None


def _copy_one(path: Path, copy: Path, *, needed: bool) -> None:
    copy.unlink(missing_ok=True)
    try:
        with open_regular(path, limits.LEDGER) as source, copy.open("wb") as target:
            copyfileobj(source, target, limits.MIB)
    except FileNotFoundError:
        if needed:
            raise
        copy.unlink(missing_ok=True)
        return
    if copy.name.endswith(JOURNAL) and copy.read_bytes().endswith(_MANY):
        raise LedgerError(f"{path}: is the journal of several data bases, which no ledger has")


def _check_plain(path: Path, copy: Path) -> None:
    """Refuse what is not one plain table: views, triggers and virtual tables run what they say.

    What is no data base at all is for the reader to say.
    """
    # A schema that is damaged is quoted in SQLite's own words, which then may be no UTF-8.
    unreadable = suppress(sqlite3.DatabaseError, UnicodeDecodeError)
    with unreadable, closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA trusted_schema=OFF")
        made = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        made = [each for each in made if each[0] != "index" or each[2] is not None]
        if "fedfact_ledger" not in {name for _, name, _ in made}:
            return
        kinds = [(kind, name) for kind, name, _ in made]
        sql = str(made[0][2]).upper()
        if kinds != [("table", "fedfact_ledger")] or not sql.startswith("CREATE TABLE "):
            raise LedgerError(f"{path}: holds more, or other, than a ledger's table; {_NAME}")
        columns = connection.execute("PRAGMA table_xinfo(fedfact_ledger)").fetchall()
        if [(name, kind, key, hidden) for _, name, kind, _, _, key, hidden in columns] != _PLAIN:
            raise LedgerError(f"{path}: its table has other columns than a ledger's; {_NAME}")


_NAME = "name the ledger.db of a federation, or an export"
