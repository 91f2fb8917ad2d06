"""The operator's session: its directory, what the ledger says so far, and the agents it can ask."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from ...errors import FedfactError, InputError
from ...io.files import log_line
from ..agreement.contract import Enrolment
from ..ledger.state import replay
from ..wire.document import Document
from ..wire.message import OPERATOR, Message, read_message, write_message
from ..wire.transport import Failure, Stopped, Transport
from .directory import OperatorDirectory, refuse_lost_ledger

_MOST_WAIT = 30.0


class Paused(FedfactError):  # noqa: N818  (no error: a state)
    """Too few agents are there to go on; nothing is lost."""


class Session:
    """What every step of the protocol works with: add to the ledger, ask agents."""

    def __init__(self, directory: OperatorDirectory, transport: Transport) -> None:
        self.directory, self._transport = directory, transport
        self.record = replay(directory.ledger.entries())
        self._trained_before = bool(self.record.deliveries)
        if self.record.head is None:
            refuse_lost_ledger(directory.path, empty=True)
            self.add(("terms", directory.published))
        if self.record.terms != directory.published:
            raise InputError(f"{directory.path}: the ledger is of a federation with other terms")
        self.plan = directory.published.plan()
        self.conduct = directory.published.conduct

    def add(self, *documents: tuple[str, Document]) -> None:
        """Add entries to the ledger, all at once; none that could not be replayed."""
        self.directory.ledger.add(self.directory.key, documents, self.record.add)

    def ask(
        self,
        kind: str,
        contents: Mapping[str, dict[str, Any]],
        body: bytes = b"",
        seconds: float | None = None,
        most_body: int = 0,
    ) -> dict[str, Message | Failure]:
        """Ask each agent; a reply that is not what it should be is a failure of that agent."""
        assert self.record.head is not None
        head = {"number": self.record.head.number, "hash": self.record.head.hash}
        federation = self.record.federation
        there = self._transport.reachable()
        requests = {
            agent: write_message(
                self.directory.key,
                federation=federation,
                kind=kind,
                sender=OPERATOR,
                to=agent,
                content={"ledger": head, **content},
                body=body,
            )
            for agent, content in contents.items()
            if agent in there
        }
        wait = seconds or self.conduct.answer_seconds
        replies = self._transport.ask(kind, requests, wait) if requests else {}
        said: dict[str, Message | Failure] = {}
        for agent in contents:
            reply = replies.get(agent, Failure("unreachable"))
            try:
                said[agent] = (
                    reply
                    if isinstance(reply, Failure)
                    else self._read(kind, agent, requests[agent], reply, most_body)
                )
            except InputError as error:
                said[agent] = Failure("error", str(error))
            failed = said[agent]
            if isinstance(failed, Failure):
                self.log(f"{kind}, {agent}: {failed.reason} {failed.detail}")
        return said

    def give_a_chance(self, agents: AbstractSet[str]) -> None:
        """Wait until these can be asked, as long as for an answer and half a minute at most.

        Where some can only be asked in another run, this one ends for it. It does so once, when the
        training has just ended: nobody holds up the others by coming and going.
        """
        wait = min(self.conduct.answer_seconds, _MOST_WAIT)
        if self._transport.wait_for(agents, wait) and not self._trained_before:
            raise Stopped

    def log(self, text: str) -> None:
        """Leave word of what went wrong with an agent, for the operator's eyes only."""
        log_line(self.directory.path / "operator.log", text)

    def _read(self, kind: str, agent: str, request: bytes, reply: bytes, most: int) -> Message:
        message, asked = read_message(reply, most), read_message(request, len(request))
        if kind == "enrol":
            enrolment = Enrolment.take(message.head.content)
            public = enrolment.key
            if enrolment.agent != agent:
                raise InputError("an enrolment under another name")
        else:
            public = self.record.enrolments[agent].key
        federation = self.record.federation
        message.check(federation=federation, kind=kind, sender=agent, to=OPERATOR, public=public)
        if message.head.answers != asked.hash:
            raise InputError("a reply to another request")
        return message
