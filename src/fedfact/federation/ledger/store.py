"""The ledger: entries that can only be added, several at once or not at all.

Stored through SQLAlchemy, in a file (SQLite) or, by URL, in PostgreSQL.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa

from ...errors import FedfactError, InputError, LedgerError
from ...io import limits
from ...io.files import read_text
from ...io.regular import is_file
from ..wire.canonical import digest
from ..wire.document import Document
from ..wire.keys import Key
from ..wire.ledger_head import LedgerHead
from ..wire.tree import Tree
from .entry import CLOCKS_MAY_DIFFER, FIRST, RESTORE, Entry, Unreadable, hash_of
from .export import read_export
from .snapshot import copy_of

_SOMEBODY_ELSE = "the ledger was written to by somebody else; stop that one, then go on with resume"
_MEND = "nothing was written by halves. Make room or mend the data base, then go on with resume"
_NAME = "name an operator's directory, ledger.db, its URL or an export, and see that it runs"

_TABLE = sa.Table(
    "fedfact_ledger",
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("season", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("signature", sa.Text, nullable=False),
)


class _Clock:
    """The time for entries, which never goes back: after a clock was set back, the last one again.

    A clock that is set while this process runs, by more than a day, is refused before an entry has
    its time: those that come after could not have an earlier one.
    """

    def __init__(self) -> None:
        self._set: timedelta | None = None

    def now(self, last: str) -> str:
        """The time of the entry that comes next."""
        time = datetime.now(UTC)
        set_at = time - _EPOCH - timedelta(seconds=_running())
        if self._set is None:
            self._set = set_at
        if abs((set_at - self._set).total_seconds()) > CLOCKS_MAY_DIFFER:
            raise LedgerError(
                f"this machine's clock was set while this ran, to {time.isoformat()[:19]} UTC; see "
                "that it is right, then go on with resume"
            )
        return max(time.isoformat(timespec="milliseconds"), last)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _running() -> float:
    """Seconds since the machine was started; those it slept too, where the system counts them."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Ledger:
    """A ledger that is written to by one operator."""

    def __init__(self, url: str | sa.URL, *, new: bool = True) -> None:
        self._known: str | None = None  # the hash of the last entry that this writer knows of
        self._tree, self._consortium = Tree(), ""  # of what it knows
        self._read: list[str] = []  # hashes that the tree is still to take, once it is written to
        self._engine, self._writes = _engine(url, writes=new), new
        self._clock = _Clock()
        try:
            with self._asked():
                if new:
                    _TABLE.create(self._engine, checkfirst=True)
                elif not sa.inspect(self._engine).has_table(_TABLE.name):
                    raise LedgerError("there is no ledger in this data base; name another")
        except BaseException:
            self.close()
            raise

    @classmethod
    def at(cls, place: str, *, new: bool = False) -> Self:
        """The ledger of this URL or file, which must be there already unless it is to be new."""
        if "://" in place:
            return cls(place, new=new)
        if not new and not Path(place).is_file():
            raise InputError(f"{place}: there is no ledger; name ledger.db, its URL or an export")
        try:
            return cls(sa.URL.create("sqlite", database=place), new=new)
        except FedfactError as error:
            raise type(error)(f"{place}: {error}") from None

    def close(self) -> None:
        """Let go of the data base."""
        self._engine.dispose()

    def entries(self, start: int = 0) -> list[Entry]:
        """All entries from this number on, in order."""
        wanted = sa.select(_TABLE).where(_TABLE.c.number >= start).order_by(_TABLE.c.number)
        found: list[Entry] = []
        with self._asked(), self._engine.connect() as connection:
            try:
                for row in connection.execute(wanted):
                    entry = Entry(*row)
                    if found and entry.number <= found[-1].number:  # pages that lead in a circle
                        raise LedgerError("entries are out of order")
                    found.append(entry)
            except (LedgerError, sa.exc.DatabaseError) as error:
                if not isinstance(error, LedgerError) and not _is_damage(error):
                    raise
                number = start + len(found)
                why = f"entry {number}: cannot be read; {RESTORE}"
                raise Unreadable(number, found, why) from None
        if start == 0 and self._known is None:
            self._known = found[-1].hash if found else FIRST
            self._consortium = digest(found[0].body.encode()) if found else ""
            self._read = [entry.hash for entry in found]
        return found

    def add(
        self,
        key: Key,
        documents: Sequence[tuple[int, str, Document]],
        check: Callable[[Entry], object] = lambda entry: None,
    ) -> list[Entry]:
        """Add entries, each of a season and a kind, signed; all or, whatever happens, none.

        Refused where somebody else added some since this writer first read the ledger, or where
        ``check`` refuses one of them.
        """
        if not documents:
            return []
        if self._known is None:
            self.entries()
        for each in self._read:
            self._tree.add(each)
        self._read = []
        last = sa.select(_TABLE).order_by(_TABLE.c.number.desc()).limit(1)
        self._writes = True
        with self._asked(), self._engine.begin() as connection:
            head = connection.execute(last).first()
            number, previous, at = 0, FIRST, ""
            if head is not None:
                number, previous, at = head.number + 1, head.hash, head.time
            if self._known != previous:
                raise LedgerError(_SOMEBODY_ELSE)
            added, tree, consortium = [], copy(self._tree), self._consortium
            for season, kind, document in documents:
                at = self._clock.now(at)
                body = document.encoded().decode()
                own = hash_of(number, season, kind, at, body, previous)
                tree.add(own)
                consortium = consortium or digest(body.encode())
                named = LedgerHead.signed(key, consortium, number, own, tree.root())
                signature = named.signature
                added.append(Entry(number, season, kind, at, body, previous, own, signature))
                check(added[-1])
                number, previous = number + 1, own
            connection.execute(sa.insert(_TABLE), [asdict(entry) for entry in added])
        self._known, self._tree, self._consortium = previous, tree, consortium
        return added

    def copy(self, entries: Sequence[Entry]) -> None:
        """Write entries of another copy of the ledger as they are, where there are none yet."""
        if self.entries():
            raise LedgerError("there is a ledger already; copy to a new place")
        if entries:
            with self._asked(), self._engine.begin() as connection:
                connection.execute(sa.insert(_TABLE), [asdict(entry) for entry in entries])
        self._known = None

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Say in words what the data base refuses; of the transaction nothing is kept then."""
        try:
            yield
        except sa.exc.IntegrityError:
            raise LedgerError(_SOMEBODY_ELSE) from None
        except (sa.exc.SQLAlchemyError, UnicodeDecodeError) as error:
            why = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            if password := self._engine.url.password:
                why = why.replace(str(password), "***")
            remedy = _MEND if self._writes else _NAME
            raise LedgerError(f"the ledger cannot be used ({why}); {remedy}") from None


def _engine(url: str | sa.URL, *, writes: bool) -> sa.Engine:
    """What speaks to the data base. Of a URL that cannot be used nothing is repeated: passwords."""
    try:
        made = _with_driver(sa.make_url(url))
        if made.get_backend_name() == "sqlite" and made.query:
            raise ValueError  # with options it could not be read from a copy
        engine = sa.create_engine(made, pool_pre_ping=True)
    except ImportError as error:
        raise InputError(
            f"the ledger's data base needs a package that is not here ({error.name}); "
            "install fedfact[postgres]"
        ) from None
    except (sa.exc.ArgumentError, ValueError, TypeError):
        raise InputError(
            "the ledger's URL cannot be used; write postgresql://USER:PASSWORD@HOST/NAME or "
            "sqlite:///PATH"
        ) from None
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", partial(_set_up, writes=writes))
    return engine


def _with_driver(url: sa.URL) -> sa.URL:
    plain = url.drivername in ("postgresql", "postgres")
    return url.set(drivername="postgresql+psycopg") if plain else url


def _set_up(connection: Any, record: Any, *, writes: bool) -> None:
    """An entry that was added stays added, also if the machine loses power a moment later.

    It is written to a log beside the file first (``-wal``), so that nobody who reads keeps the
    writer waiting. Text that is not UTF-8 is passed on, for `Entry` to refuse: so it is known which
    entry it is.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.ENTRY + limits.MIB)
    connection.text_factory = lambda data: data.decode(errors="surrogateescape")
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=10000")
    if writes:
        with suppress(sqlite3.DatabaseError):  # a file that cannot be used is told of by its reader
            cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _is_damage(error: sa.exc.DatabaseError) -> bool:
    """Whether SQLite says that the file itself is damaged where it was reading."""
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG)


def ledger_place(directory: Path) -> str:
    """Where the ledger of an operator's directory is: its file, or its URL."""
    url = directory / "ledger.url"
    if not url.is_file():
        return str(directory / "ledger.db")
    return read_text(url, "the ledger's URL").strip()


def read_ledger(place: Path | str) -> list[Entry]:
    """The entries of a ledger wherever it is: a directory, a file, an export or a URL."""
    place, path = str(place), Path(place)
    if "://" not in place and path.is_dir():
        place = ledger_place(path)
    if place.endswith(".jsonl"):
        return read_export(Path(place))
    if not (file := _file_of(place)):
        return _entries(Ledger.at(place))
    if not is_file(file):
        raise InputError(f"{file}: there is no ledger; name ledger.db, its URL or an export")
    with copy_of(file) as copy:
        try:
            return _entries(Ledger(sa.URL.create("sqlite", database=str(copy)), new=False))
        except Unreadable:
            raise
        except FedfactError as error:
            raise type(error)(f"{file}: {error}") from None


def _entries(ledger: Ledger) -> list[Entry]:
    try:
        return ledger.entries()
    finally:
        ledger.close()


def _file_of(place: str) -> Path | None:
    """The file that a place or a URL of SQLite's names; none for another data base."""
    if "://" not in place:
        return Path(place)
    try:
        url = sa.make_url(place)
    except (sa.exc.ArgumentError, ValueError):
        return None
    plain = url.get_backend_name() == "sqlite" and url.database and not url.query
    return Path(url.database) if plain and url.database else None
