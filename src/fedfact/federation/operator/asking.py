"""The operator asks members: signed requests out, replies in that are what they should be."""

from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...io.files import log_line
from ..agreement.contract import Enrolment
from ..wire.message import OPERATOR, Message, read_message, write_message
from ..wire.transport import Failure, Transport
from .directory import OperatorDirectory


class Asking:
    """What asks, in the operator's name."""

    def __init__(self, directory: OperatorDirectory, transport: Transport) -> None:
        self._directory, self._transport = directory, transport

    def ask(
        self,
        kind: str,
        contents: Mapping[str, dict[str, Any]],
        *,
        federation: str,
        keys: Mapping[str, str],
        seconds: float,
        body: bytes = b"",
        most_body: int = 0,
    ) -> dict[str, Message | Failure]:
        """Ask each member; a reply that is not what it should be is a failure of that member.

        ``keys``: with which members sign; of those that have none here, anybody's signature does.
        """
        there = self._transport.reachable()
        requests = {
            member: write_message(
                self._directory.key,
                federation=federation,
                kind=kind,
                sender=OPERATOR,
                to=member,
                content=content,
                body=body,
            )
            for member, content in contents.items()
            if member in there
        }
        replies = self._transport.ask(kind, requests, seconds) if requests else {}
        said: dict[str, Message | Failure] = {}
        for member in contents:
            reply = replies.get(member, Failure("unreachable"))
            try:
                said[member] = (
                    reply
                    if isinstance(reply, Failure)
                    else _read(requests[member], reply, most_body, keys.get(member))
                )
            except InputError as error:
                said[member] = Failure("error", str(error))
            failed = said[member]
            if isinstance(failed, Failure) and kind != "shown":  # before there may be a ledger
                self.log(f"{kind}, {member}: {failed.reason} {failed.detail}")
        return said

    def log(self, text: str) -> None:
        """Leave word of what went wrong with a member, for the operator's eyes only."""
        log_line(self._directory.path / "operator.log", text)


def _read(request: bytes, reply: bytes, most: int, public: str | None) -> Message:
    message, asked = read_message(reply, most), read_message(request, len(request))
    federation, kind, member = asked.head.federation, asked.head.kind, asked.head.to
    if kind == "enrol" and Enrolment.take(message.head.content).member != member:
        raise InputError("an enrolment under another name")
    if public is not None:
        message.check(federation=federation, kind=kind, sender=member, to=OPERATOR, public=public)
    if message.head.answers != asked.hash:
        raise InputError("a reply to another request")
    return message
