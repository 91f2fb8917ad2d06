"""One entry of the ledger: chained to the one before by its hash, and signed by the operator.

The hash covers the entry's number, season, kind, time, body and the hash of the entry before. The
operator signs that hash together with the root of the tree over all entries so far, so that each
entry's signature makes the ledger's head (`wire.ledger_head`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from ...errors import LedgerError
from ...io.files import printable
from ..wire.canonical import canonical, digest

FIRST = "0" * 64
"""The hash before the first entry."""

RESTORE = "restore the ledger from a backup or an export"
"""What to do where an entry cannot be read."""

CLOCKS_MAY_DIFFER = 86_400.0
"""Seconds by which clocks may differ or be set; one that errs by more is told of."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it is stored; what ``body`` says is for `entries.read_entry`.

    ``season`` is the season that it is of, 0 if it is of none.
    """

    number: int
    season: int
    kind: str
    time: str
    body: str
    previous: str
    hash: str
    signature: str

    def __post_init__(self) -> None:
        texts = (self.kind, self.time, self.body, self.previous, self.hash, self.signature)
        numbers = type(self.number), type(self.season)
        if numbers != (int, int) or not all(map(_is_text, texts)):
            raise LedgerError(f"entry {self.number!r}: is not as entries are written")

    def own_hash(self) -> str:
        """The hash that it should have."""
        return hash_of(self.number, self.season, self.kind, self.time, self.body, self.previous)

    @property
    def name(self) -> str:
        """What to call it in words."""
        return f"entry {self.number} ({printable(self.kind[:40])})"


class Unreadable(LedgerError):  # noqa: N818  (said of an entry)
    """An entry that cannot be read: its number, and those ``before`` it, which can."""

    def __init__(self, number: int, before: list[Entry], why: str) -> None:
        super().__init__(why)
        self.number, self.before = number, before


def _is_text(value: object) -> bool:
    """Whether it is text; what is not UTF-8 comes out of SQLite as surrogates (`_set_up`)."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def hash_of(number: int, season: int, kind: str, time: str, body: str, previous: str) -> str:
    """The hash of an entry."""
    return digest(canonical([number, season, kind, time, body, previous]))


def is_time(text: str) -> bool:
    """Whether it is a time as entries have it, which sorts as text.

    >>> is_time("2026-07-01T09:30:00.000+00:00"), is_time("2026-07-01T11:30:00.000+02:00")
    (True, False)
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return False
    return time.tzinfo is UTC and time.isoformat(timespec="milliseconds") == text
