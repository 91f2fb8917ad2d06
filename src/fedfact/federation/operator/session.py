"""The operator's session: its directory, what the ledger says so far, and members to ask."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from ...errors import FedfactError, InputError
from ..ledger.entries import Registered, SeasonOpened
from ..ledger.state import LedgerState, replay
from ..wire.document import Document
from ..wire.message import Message
from ..wire.transport import Failure, Stopped, Transport
from .asking import Asking
from .directory import OperatorDirectory, refuse_lost_ledger
from .mending.up_to_date import bring_up_to_date

_MOST_WAIT = 30.0


class Paused(FedfactError):  # noqa: N818  (no error: a state)
    """Too few members are there to go on; nothing is lost."""


class Session:
    """What every step of the protocol works with: add to the ledger, ask members."""

    def __init__(self, directory: OperatorDirectory, transport: Transport) -> None:
        self.directory, self._transport = directory, transport
        entries = directory.ledger.entries()
        self.state = replay(entries)
        self._asking = Asking(directory, transport)
        there = transport.reachable()
        self.is_compared = bring_up_to_date(directory, self.state, entries, self._asking, there)
        self._open()
        self.record = self.state.seasons[directory.published.season - 1]
        self._trained_before = bool(self.record.deliveries)
        self.plan = directory.published.plan()
        self.conduct = directory.published.conduct

    def _open(self) -> None:
        """Enter what the directory has and the ledger has not: consortium, members, season."""
        state, directory = self.state, self.directory
        missing, number = registrations(directory, state), directory.published.season
        if (lost := len(state.seasons)) > directory.last_season:
            raise InputError(
                f"{directory.path}: the ledger has season {lost}, and season-{lost} with its terms "
                "and its seed is gone; restore it from a backup"
            )
        if len(state.seasons) < number:
            opened = SeasonOpened(terms=directory.published, members=directory.members)
            missing.append((number, "season", opened))
        elif state.seasons[number - 1].terms != directory.published:
            raise InputError(f"{directory.path}: the ledger is of a federation with other terms")
        directory.ledger.add(directory.key, missing, state.add)

    def add(self, *documents: tuple[str, Document]) -> None:
        """Add entries of the season to the ledger, all at once; none that could not be replayed."""
        entries = [(self.record.number, kind, document) for kind, document in documents]
        self.directory.ledger.add(self.directory.key, entries, self.state.add)

    def add_of_none(self, *documents: tuple[str, Document]) -> None:
        """Add entries that are of no season."""
        entries = [(0, kind, document) for kind, document in documents]
        self.directory.ledger.add(self.directory.key, entries, self.state.add)

    def ask(
        self,
        kind: str,
        contents: Mapping[str, dict[str, Any]],
        body: bytes = b"",
        seconds: float | None = None,
        most_body: int = 0,
    ) -> dict[str, Message | Failure]:
        """Ask each member; a reply that is not what it should be is a failure of that member.

        A request names the head of the ledger, and the key that it has of the member.
        """
        head, keys = self.state.head.dump(), {m: self.state.keys.of(m) for m in contents}
        return self._asking.ask(
            kind,
            {m: {"ledger": head, "key": keys[m], **each} for m, each in contents.items()},
            federation=self.record.federation,
            keys=keys,
            seconds=seconds or self.conduct.answer_seconds,
            body=body,
            most_body=most_body,
        )

    def give_a_chance(self, members: AbstractSet[str]) -> None:
        """Wait until these can be asked, as long as for an answer and half a minute at most.

        Where some can only be asked in another run, this one ends for it. It does so once, when the
        training has just ended: nobody holds up the others by coming and going.
        """
        wait = min(self.conduct.answer_seconds, _MOST_WAIT)
        if self._transport.wait_for(members, wait) and not self._trained_before:
            raise Stopped

    def log(self, text: str) -> None:
        """Leave word of what went wrong with a member, for the operator's eyes only."""
        self._asking.log(text)


def registrations(
    directory: OperatorDirectory, state: LedgerState
) -> list[tuple[int, str, Document]]:
    """The entries that the ledger lacks of what belongs to no season: consortium and members."""
    missing: list[tuple[int, str, Document]] = []
    if state.last is None:
        refuse_lost_ledger(directory.path, empty=True)
        missing.append((0, "consortium", directory.consortium))
    elif state.consortium != directory.consortium:
        raise InputError(f"{directory.path}: the ledger is of another consortium")
    registered = state.members
    for member, key in sorted(directory.keys.items()):
        if member not in registered:
            missing.append((0, "member", Registered(member=member, key=key)))
        elif state.keys.registered(member) != key:
            raise InputError(f"{directory.path}: the ledger has another key of {member}")
    return missing
