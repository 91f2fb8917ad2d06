"""Members come and go: invited to the next season that begins, and retired from those to come.

The ledger speaks of them by id. Who they are and how they are reached is noted beside it, for the
operator's eyes, and can be erased: the ledger still verifies.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...io.files import alone, write_whole
from ..agreement.terms import Published
from ..ledger.entries import Retired
from ..ledger.state import LedgerState, replay
from ..ledger.store import ledger_place, read_ledger
from ..wire.document import FORMAT, Document, Name, Stored, Words
from .directory import (
    AWAITED,
    INVITED,
    MEMBERS,
    Invited,
    Members,
    OperatorDirectory,
    read_invitation,
    read_stored,
    season_folder,
)
from .founding import check_names, check_roster, refuse_partial
from .session import registrations

CONTACTS = "contacts.json"


@dataclass(frozen=True, slots=True)
class Membership:
    """How a directory stands between two commands.

    To a season that has ``begun`` nobody can come any more: the ledger has who is invited.
    """

    state: LedgerState
    published: Published
    invited: dict[str, int]
    keys: dict[str, str]
    awaited: dict[str, str]

    @classmethod
    def of(cls, directory: Path) -> "Membership":
        """That of this directory; nothing is written."""
        published, invited = read_invitation(directory)
        place = ledger_place(directory)
        there = "://" in place or Path(place).exists()
        return cls(
            replay(read_ledger(place)) if there else LedgerState(),
            published,
            invited,
            read_stored(directory / MEMBERS, Members).members,
            read_awaited(directory),
        )

    @property
    def begun(self) -> bool:
        """Whether the ledger has the season that is on."""
        return len(self.state.seasons) >= self.published.season

    @property
    def admitted(self) -> set[str]:
        """Who may connect: who is invited, but for those retired that the season owes nothing."""
        owed = set[str]()
        if self.begun:
            record = self.state.seasons[-1]
            owed |= set(record.contracts if record.settled is None else record.owed)
        return set(self.invited) - (self.state.retired.keys() - owed)


def read_awaited(directory: Path) -> dict[str, str]:
    """The keys of those who were invited after the season that is on had begun."""
    path = directory / AWAITED
    return read_stored(path, Members).members if path.exists() else {}


def invite(directory: Path, keys: Mapping[str, str], sizes: Mapping[str, int] | None = None) -> int:
    """Take these into the next season that begins, with the keys they sign with; its number.

    Where its terms are published they are invited to it at once; else they are remembered for it.
    """
    with alone(directory, wait=False):
        now = Membership.of(directory)
        check_names(list(keys))
        known = now.keys | now.awaited
        for member, key in keys.items():
            if member in now.state.retired:
                raise InputError(f"{member} is retired; who comes back takes another name")
            if known.get(member, key) != key:
                raise InputError(f"{member}: registered with another key")
            other = next((name for name, own in known.items() if own == key), member)
            if other != member:
                raise InputError(f"{member}: signs with the key of {other}; it makes its own")
        if now.begun:
            if sizes:
                raise InputError("sizes are given with the season that they are for: season new")
            _write(directory / AWAITED, _members(now.awaited | dict(keys)))
            return now.published.season + 1
        refuse_partial(now.published.disputes, keys)
        new = {member: 1 for member in keys if member not in now.invited}
        roster = now.invited | new | dict(sizes or {})
        check_roster(now.published.terms(), now.published.conduct, roster, sized=_sized(roster))
        _write(directory / MEMBERS, _members(now.keys | dict(keys)))
        _write(directory / f"season-{now.published.season}" / INVITED, _invited(roster))
        return now.published.season


def retire(directory: Path, member: str, why: str) -> int | None:
    """Enter that a member is in no season to come; the number of the entry.

    None for one that was only awaited: of it the ledger knows nothing. In a season that has begun
    it keeps what it signed; of one that has not it is taken out.
    """
    if not why.strip() or not why.isprintable():
        raise InputError("give a reason in words, for the ledger: --why")
    with alone(directory, wait=False):
        now = Membership.of(directory)
        awaited = {name: key for name, key in now.awaited.items() if name != member}
        if member not in now.keys | now.awaited:
            raise InputError(f"{directory}: has no member {member!r}; look at members.json")
        if member in now.state.retired:
            raise InputError(f"{member} is retired already: {now.state.retired[member].why}")
        if member in now.invited and not now.begun:
            rest = {name: size for name, size in now.invited.items() if name != member}
            check_roster(now.published.terms(), now.published.conduct, rest, sized=_sized(rest))
            _write(season_folder(directory) / INVITED, _invited(rest))
        if awaited != now.awaited:
            _write(directory / AWAITED, _members(awaited))
        if member not in now.keys:
            return None
        with OperatorDirectory(directory) as opened:
            state = replay(opened.ledger.entries())
            entries: list[tuple[int, str, Document]] = registrations(opened, state)
            entries.append((0, "retired", Retired(member=member, why=why[:500])))
            added = opened.ledger.add(opened.key, entries, state.add)
        return added[-1].number


class Contacts(Stored):
    """What the operator noted of members, such as a name and an address."""

    members: dict[Name, Words]


def read_contacts(directory: Path) -> dict[str, str]:
    """What there is of each member."""
    path = directory / CONTACTS
    return read_stored(path, Contacts).members if path.exists() else {}


def keep_contacts(directory: Path, contacts: dict[str, str]) -> None:
    """Keep these, for the operator alone; what is there of others stays."""
    _write_contacts(directory, read_contacts(directory) | contacts)


def erase_contact(directory: Path, member: str) -> bool:
    """Forget what is there of a member; whether there was something."""
    known = read_contacts(directory)
    if member not in known:
        return False
    _write_contacts(directory, {name: words for name, words in known.items() if name != member})
    return True


def _write_contacts(directory: Path, contacts: dict[str, str]) -> None:
    made = Contacts.take({"format": FORMAT, "members": contacts})
    write_whole(directory / CONTACTS, made.encoded(), private=True)


def _sized(roster: Mapping[str, int]) -> bool:
    return any(size != 1 for size in roster.values())


def _members(keys: Mapping[str, str]) -> Members:
    return Members.take({"format": FORMAT, "members": dict(keys)})


def _invited(roster: Mapping[str, int]) -> Invited:
    return Invited.take({"format": FORMAT, "members": dict(roster)})


def _write(path: Path, document: Document) -> None:
    write_whole(path, document.encoded())
