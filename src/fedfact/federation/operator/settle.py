"""After training: deliveries, settlement, statements, and reversals (steps 5 to 7)."""

from ...errors import InputError
from ..agreement.lines import lines_of, settlement_of
from ..agreement.statement_message import Answer, StatementMessage
from ..ledger.entries import Acknowledged, Handed, Revealed, Reversal, settled_of
from ..wire.canonical import digest
from ..wire.document import Document, checked_words
from ..wire.message import Message
from .session import Session


def deliver(session: Session) -> None:
    """Close the training: what each member delivered (step 5), before any nonce is opened."""
    session.add(*(("delivery", each) for each in session.record.deliveries_now()))


def settle(session: Session) -> None:
    """Reveal, settlement and lines (step 6), all at once."""
    record, first = session.record, list[tuple[str, Document]]()
    revealed = record.revealed
    if revealed is None:
        draw = record.seed_of_draw(session.directory.seed)
        revealed = Revealed(seed=session.directory.seed.hex(), draw=f"{draw:064x}")
        first.append(("reveal", revealed))
    settlement = settlement_of(
        record.deliveries.values(), record.contracts, record.money, revealed.draw
    )
    opening = settled_of(settlement, record.money.rule, record.void_now)
    lines = lines_of(settlement)
    session.add(*first, ("settlement", opening), *(("line", line) for line in lines))


def hand_out(session: Session) -> None:
    """Statements to all who have not acknowledged theirs (step 7), and the model to stayers."""
    record = session.record
    assert record.settlement is not None
    assert record.settled is not None
    waiting = list(record.owed)
    if not waiting:
        return
    if record.settled.void:
        if model := _final_model(session):
            _hand_out_model(session, waiting, model)
        return
    told = record.statement_messages(waiting)
    stay = {member: told[member].dump() for member in waiting if told[member].model}
    left = {member: told[member].dump() for member in waiting if not told[member].model}
    model = _final_model(session) if stay else b""
    said = session.ask("statement", stay, model) | session.ask("statement", left)
    session.add(
        *(
            (
                "acknowledged",
                Acknowledged(member=member, settlement=record.settlement, said=message.evidence),
            )
            for member, message in said.items()
            if isinstance(message, Message) and _answers(message, told[member])
        )
    )


def _hand_out_model(session: Session, waiting: list[str], model: bytes) -> None:
    """Of a void settlement: no money moves, but its trainers get the model, and sign for it."""
    record, content = session.record, {"model": digest(model)}
    assert record.settlement is not None
    said = session.ask("model", dict.fromkeys(waiting, content), model)
    session.add(
        *(
            (
                "handed",
                Handed(member=member, settlement=record.settlement, said=message.evidence),
            )
            for member, message in said.items()
            if isinstance(message, Message) and message.head.content == content
        )
    )


def _final_model(session: Session) -> bytes:
    """The model after the last round; nothing where it is lost and the operator is to finish."""
    record, directory = session.record, session.directory
    try:
        return directory.load_model(len(record.rounds), record.rounds[-1].model)
    except InputError as lost:
        if not directory.is_to_finish:
            raise
        session.log(f"members get their statements without the model: {lost}")
        return b""


def _answers(message: Message, told: StatementMessage) -> bool:
    """Whether this is an answer to that statement."""
    try:
        return Answer.take(message.head.content).statement == told.hash()
    except InputError:
        return False


def reverse(session: Session, why: str) -> int:
    """Undo the settlement: all its postings, with the opposite sign."""
    record = session.record
    if record.settlement is None:
        raise InputError("there is no settlement to reverse")
    number = record.settlement
    disputed = [each.member for each in record.disputes.all if each.settlement == number]
    if disputed and record.terms.disputes.arbiter is not None:
        raise InputError(
            f"{', '.join(disputed)} disputed the settlement, and by the terms the arbiter decides; "
            "enter its decision with fedfact federation dispute enter"
        )
    said = Reversal(settlement=number, why=checked_words(why, "a reason"), decision=None)
    session.add(("reversal", said))
    return number
