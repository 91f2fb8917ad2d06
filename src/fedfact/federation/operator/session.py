"""The operator's session: its directory, what the ledger says so far, and members to ask."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from ...errors import FedfactError, InputError
from ...io.files import log_line
from ..agreement.contract import Enrolment
from ..ledger.entries import Registered, SeasonOpened
from ..ledger.state import LedgerState, replay
from ..wire.document import Document
from ..wire.message import OPERATOR, Message, read_message, write_message
from ..wire.transport import Failure, Stopped, Transport
from .directory import OperatorDirectory, refuse_lost_ledger

_MOST_WAIT = 30.0


class Paused(FedfactError):  # noqa: N818  (no error: a state)
    """Too few members are there to go on; nothing is lost."""


class Session:
    """What every step of the protocol works with: add to the ledger, ask members."""

    def __init__(self, directory: OperatorDirectory, transport: Transport) -> None:
        self.directory, self._transport = directory, transport
        self.state = replay(directory.ledger.entries())
        self._open()
        self.record = self.state.seasons[directory.published.season - 1]
        self._trained_before = bool(self.record.deliveries)
        self.plan = directory.published.plan()
        self.conduct = directory.published.conduct

    def _open(self) -> None:
        """Enter what the directory has and the ledger has not: consortium, members, season."""
        state, directory = self.state, self.directory
        missing, number = registrations(directory, state), directory.published.season
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
        """Ask each member; a reply that is not what it should be is a failure of that member."""
        head, federation = self.state.head.dump(), self.record.federation
        there = self._transport.reachable()
        requests = {
            member: write_message(
                self.directory.key,
                federation=federation,
                kind=kind,
                sender=OPERATOR,
                to=member,
                content={"ledger": head, **content},
                body=body,
            )
            for member, content in contents.items()
            if member in there
        }
        wait = seconds or self.conduct.answer_seconds
        replies = self._transport.ask(kind, requests, wait) if requests else {}
        said: dict[str, Message | Failure] = {}
        for member in contents:
            reply = replies.get(member, Failure("unreachable"))
            try:
                said[member] = (
                    reply
                    if isinstance(reply, Failure)
                    else self._read(kind, member, requests[member], reply, most_body)
                )
            except InputError as error:
                said[member] = Failure("error", str(error))
            failed = said[member]
            if isinstance(failed, Failure):
                self.log(f"{kind}, {member}: {failed.reason} {failed.detail}")
        return said

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
        log_line(self.directory.path / "operator.log", text)

    def _read(self, kind: str, member: str, request: bytes, reply: bytes, most: int) -> Message:
        message, asked = read_message(reply, most), read_message(request, len(request))
        if kind == "enrol" and Enrolment.take(message.head.content).member != member:
            raise InputError("an enrolment under another name")
        public = self.state.members[member]
        federation = self.record.federation
        message.check(federation=federation, kind=kind, sender=member, to=OPERATOR, public=public)
        if message.head.answers != asked.hash:
            raise InputError("a reply to another request")
        return message


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
    registered = {} if state.last is None else state.members
    for member, key in sorted(directory.keys.items()):
        if member not in registered:
            missing.append((0, "member", Registered(member=member, key=key)))
        elif registered[member] != key:
            raise InputError(f"{directory.path}: the ledger has another key of {member}")
    return missing
