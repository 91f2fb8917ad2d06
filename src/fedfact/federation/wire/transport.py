"""How the operator reaches agents, whatever carries the messages: three functions and no more.

The server side asks, the agent side handles: ``ask(kind, {agent: request}, timeout)`` there,
``handle(kind, request) -> reply`` here. Everything said is bytes (`message`).
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, Protocol

Handler = Callable[[str, bytes], bytes]
"""``handle(kind, request) -> reply``, at an agent."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an agent gave no reply; ``detail`` is for the operator's eyes only."""

    reason: Literal["timeout", "unreachable", "error"]
    detail: str = ""


class Stopped(Exception):  # noqa: N818  (no error: somebody asked for it)
    """The operator was told to stop; what is in the ledger is all there is to go on from."""


class Transport(Protocol):
    """What carries messages between the operator and its agents."""

    def ask(
        self, kind: str, requests: Mapping[str, bytes], timeout: float
    ) -> dict[str, bytes | Failure]:
        """Send each agent its request; return when all have answered or the seconds are over."""

    def reachable(self) -> set[str]:
        """Agents that may be asked now. One that timed out may not, until it is heard of again."""

    def wait_for(self, agents: AbstractSet[str], timeout: float) -> AbstractSet[str]:
        """Wait until these may be asked, at most so long, and not for those that only another run
        of the protocol can reach again; returns these."""


class InProcess:
    """Agents of this very process, asked one after the other."""

    def __init__(self, agents: Mapping[str, Handler]) -> None:
        self._agents = dict(agents)

    def ask(
        self, kind: str, requests: Mapping[str, bytes], timeout: float
    ) -> dict[str, bytes | Failure]:
        """An agent's exception is that agent's failure and nobody else's."""
        return {agent: self._one(agent, kind, request) for agent, request in requests.items()}

    def _one(self, agent: str, kind: str, request: bytes) -> bytes | Failure:
        if agent not in self._agents:
            return Failure("unreachable")
        try:
            return self._agents[agent](kind, request)
        except TimeoutError:
            return Failure("timeout")
        except Exception as error:
            return Failure("error", str(error))

    def reachable(self) -> set[str]:
        """Every agent: all are in this process."""
        return set(self._agents)

    def wait_for(self, agents: AbstractSet[str], timeout: float) -> AbstractSet[str]:
        """All that there will ever be are here."""
        return frozenset()
