"""How the operator reaches members, whatever carries the messages: three functions and no more.

The server side asks, the member side handles: ``ask(kind, {member: request}, timeout)`` there,
``handle(kind, request) -> reply`` here. Everything said is bytes (`message`).
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, Protocol

Handler = Callable[[str, bytes], bytes]
"""``handle(kind, request) -> reply``, at a member."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a member gave no reply; ``detail`` is for the operator's eyes only."""

    reason: Literal["timeout", "unreachable", "error"]
    detail: str = ""


class Stopped(Exception):  # noqa: N818  (no error: somebody asked for it)
    """The operator was told to stop; what is in the ledger is all there is to go on from."""


class Transport(Protocol):
    """What carries messages between the operator and its members."""

    def ask(
        self, kind: str, requests: Mapping[str, bytes], timeout: float
    ) -> dict[str, bytes | Failure]:
        """Send each member its request; return when all have answered or the seconds are over."""

    def reachable(self) -> set[str]:
        """Members that may be asked now. One that timed out may not, until it is heard of again."""

    def wait_for(self, members: AbstractSet[str], timeout: float) -> AbstractSet[str]:
        """Wait until these may be asked, at most so long, and not for those that only another run
        of the protocol can reach again; returns these."""


class InProcess:
    """Members of this very process, asked one after the other."""

    def __init__(self, members: Mapping[str, Handler]) -> None:
        self._members = dict(members)

    def ask(
        self, kind: str, requests: Mapping[str, bytes], timeout: float
    ) -> dict[str, bytes | Failure]:
        """A member's exception is that member's failure and nobody else's."""
        return {member: self._one(member, kind, request) for member, request in requests.items()}

    def _one(self, member: str, kind: str, request: bytes) -> bytes | Failure:
        if member not in self._members:
            return Failure("unreachable")
        try:
            return self._members[member](kind, request)
        except TimeoutError:
            return Failure("timeout")
        except Exception as error:
            return Failure("error", str(error))

    def reachable(self) -> set[str]:
        """Every member: all are in this process."""
        return set(self._members)

    def wait_for(self, members: AbstractSet[str], timeout: float) -> AbstractSet[str]:
        """All that there will ever be are here."""
        return frozenset()
