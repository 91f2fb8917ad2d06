"""The operator's side of the protocol: publish, enrol, agree, train, deliver, settle, tell.

Every step ends with entries in the ledger, added at once; what the ledger has is never done again.
So the operator may be killed at any instant and started again: it replays the ledger, asks again
what it has no answer to, and agents answer the same question with the same answer.
"""

from pathlib import Path

from ..files import alone
from .consortium import Consortium
from .desk import Desk
from .enrolling import agree, enrol
from .opening import open_nonces
from .rounds import train
from .settling import deliver, hand_out, settle
from .settling import reverse as reverse_settlement
from .transport import InProcess, Transport


def run(desk: Desk) -> None:
    """All that is still to be done."""
    record = desk.record
    if record.roster is None:
        enrol(desk)
        agree(desk)
    if record.nonces is None and not record.deliveries:
        train(desk)
        deliver(desk)
    if record.nonces is None:
        open_nonces(desk)
    if record.settled is None:
        settle(desk)
    hand_out(desk)


def operate(directory: Path, transport: Transport) -> None:
    """Run a federation from its operator's directory, from wherever it stands."""
    with alone(directory / "models", wait=False), Consortium(directory) as house:
        run(Desk(house, transport))


def reverse(directory: Path, why: str) -> int:
    """Undo the settlement of a federation that is not running; the number of its entry."""
    with alone(directory / "models", wait=False), Consortium(directory) as house:
        return reverse_settlement(Desk(house, InProcess({})), why)
