"""The operator's side of the protocol: publish, enrol, agree, train, deliver, settle, tell, show.

Every step ends with entries in the ledger, added at once; what the ledger has is never done again.
So the operator may be killed at any instant and started again: it replays the ledger, asks again
what it has no answer to, and members answer the same question with the same answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...io.files import alone
from ..agreement.disputes import Decision
from ..wire.transport import InProcess, Transport
from .directory import OperatorDirectory
from .disputes import answer as answer_dispute
from .disputes import enter as enter_decision
from .enrol import agree, enrol
from .nonces import open_nonces
from .rounds import train
from .session import Session
from .settle import deliver, hand_out, settle
from .settle import reverse as reverse_settlement
from .witnesses import witness


def run(session: Session) -> None:
    """All that is still to be done."""
    record = session.record
    if record.roster is None:
        enrol(session)
        agree(session)
    if record.nonces is None and not record.deliveries:
        train(session)
        deliver(session)
    if record.nonces is None:
        open_nonces(session)
    if record.settled is None:
        witness(session)  # a reversal, before what follows from it
        settle(session)
    hand_out(session)
    witness(session)


def operate(directory: Path, transport: Transport) -> None:
    """Run a federation from its operator's directory, from wherever it stands."""
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        run(Session(opened, transport))


@contextmanager
def unattended(directory: Path) -> Iterator[Session]:
    """A session in a federation that is not running, to add to its ledger; nobody is asked."""
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        yield Session(opened, InProcess({}))


def reverse(directory: Path, why: str) -> int:
    """Undo the settlement of a federation that is not running; the number of its entry."""
    with unattended(directory) as session:
        return reverse_settlement(session, why)


def answer(directory: Path, member: str, says: str) -> int:
    """Answer a member's dispute; the number of the settlement that it disputes."""
    with unattended(directory) as session:
        return answer_dispute(session, member, says)


def enter(directory: Path, decision: Decision) -> None:
    """Enter what the arbiter decided, and what follows from it."""
    with unattended(directory) as session:
        enter_decision(session, decision)
