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
from ..ledger.state import replay
from ..ledger.store import ledger_place, read_ledger
from ..wire.ledger_head import Cosigned
from ..wire.transport import InProcess, Transport
from .deposits import has_deposits
from .directory import OperatorDirectory, read_invitation
from .enrol import agree, enrol
from .entered.disputes import answer as answer_dispute
from .entered.disputes import enter as enter_decision
from .mending.compare import StaleLedger
from .nonces import open_nonces
from .rounds import train
from .session import Session
from .settle import deliver, hand_out, settle
from .settle import reverse as reverse_settlement
from .witnesses import enter_cosigned, witness


def run(session: Session) -> None:
    """All that is still to be done."""
    record = session.record
    if session.directory.is_to_finish and record.settled is None and not session.is_compared:
        raise StaleLedger(
            "no member is there to say whether the ledger is up to date; settle with --finish when "
            "one is"
        )
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
        witness(session)  # a reversal, before what follows from it
        settle(session)
    hand_out(session)
    witness(session)


def operate(directory: Path, transport: Transport) -> None:
    """Run a federation from its operator's directory, from wherever it stands.

    First of all what is left of earlier seasons, where a dispute was decided since.
    """
    with alone(directory, wait=False):
        with OperatorDirectory(directory) as opened:
            earlier = unfinished(opened) if opened.published.season > 1 else []
        for season in (*earlier, None):
            with OperatorDirectory(directory, season) as opened:
                run(Session(opened, transport))


def unfinished(directory: OperatorDirectory) -> list[int]:
    """The seasons before the last one in which members are to be told something."""
    earlier = replay(directory.ledger.entries()).seasons[: directory.published.season - 1]
    return [each.number for each in earlier if each.settled is None or each.missing]


@contextmanager
def unattended(directory: Path, season: int | None = None) -> Iterator[Session]:
    """A session in a federation that is not running, to add to its ledger; nobody is asked."""
    with alone(directory, wait=False), OperatorDirectory(directory, season) as opened:
        yield Session(opened, InProcess({}))


def reverse(directory: Path, why: str) -> int:
    """Undo the settlement of a federation that is not running; the number of its entry."""
    with unattended(directory) as session:
        return reverse_settlement(session, why)


def answer(directory: Path, member: str, says: str) -> int:
    """Answer a member's dispute, of whichever season; the settlement that it disputes."""
    disputed = replay(read_ledger(ledger_place(directory))).disputed_by(member)
    with unattended(directory, None if disputed is None else disputed.number) as session:
        return answer_dispute(session, member, says)


def cosigned(directory: Path, signed: Cosigned) -> None:
    """Enter a head that a third party signed."""
    with unattended(directory) as session:
        enter_cosigned(session, signed)


def enter(directory: Path, decision: Decision) -> None:
    """Enter what the arbiter decided, in whichever season, and what follows from it."""
    season = season_of(directory, decision.terms)
    with unattended(directory, season) as session:
        enter_decision(session, decision)


def season_of(directory: Path, terms: str) -> int | None:
    """The season whose terms have this hash; None where none has."""
    seasons = range(1, read_invitation(directory)[0].season + 1)
    return next((n for n in seasons if read_invitation(directory, n)[0].hash() == terms), None)
