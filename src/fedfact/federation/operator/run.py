"""The operator's side of the protocol: publish, enrol, agree, train, deliver, settle, tell.

Every step ends with entries in the ledger, added at once; what the ledger has is never done again.
So the operator may be killed at any instant and started again: it replays the ledger, asks again
what it has no answer to, and members answer the same question with the same answer.
"""

from pathlib import Path

from ...io.files import alone
from ..wire.transport import InProcess, Transport
from .deposits import has_deposits
from .directory import OperatorDirectory
from .enrol import agree, enrol
from .nonces import open_nonces
from .rounds import train
from .session import Session
from .settle import deliver, hand_out, settle
from .settle import reverse as reverse_settlement


def run(session: Session) -> None:
    """All that is still to be done."""
    record = session.record
    if record.roster is None:
        enrol(session)
        agree(session)
    if record.nonces is None and not record.deliveries:
        if has_deposits(session):
            train(session)
        deliver(session)
    if record.nonces is None:
        open_nonces(session)
    if record.settled is None:
        settle(session)
    hand_out(session)


def operate(directory: Path, transport: Transport) -> None:
    """Run a federation from its operator's directory, from wherever it stands."""
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        run(Session(opened, transport))


def reverse(directory: Path, why: str) -> int:
    """Undo the settlement of a federation that is not running; the number of its entry."""
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        return reverse_settlement(Session(opened, InProcess({})), why)
