"""What is checked of a season's money: settlements, what members answered, what became of disputes.

Each says in words what it found, or raises a `Fault` that names the first entry that breaks it.
"""

from collections.abc import Iterable

from ...errors import InputError
from ..agreement.delivery import Delivery, why_void
from ..agreement.disputes import Decision, corrected_delivery
from ..agreement.lines import Line, lines_of, settlement_of
from ..agreement.statement_message import Answer, StatementMessage
from ..ledger.entries import (
    Acknowledged,
    Correction,
    Handed,
    SeasonOpened,
    Settled,
    settled_of,
)
from ..ledger.season import SeasonState
from ..wire.message import OPERATOR
from .findings import Fault, Replayed, said_in


def amounts(replayed: Replayed) -> str:
    """Every amount of every settlement, worked out again from the deliveries that there were."""
    documents, record = replayed
    if record.revealed is None:
        return "not settled yet"
    delivered: dict[str, Delivery] = {}
    opening: Settled | None = None
    lines: dict[str, Line] = {}
    found, due, last = 0, 0, None
    for entry, document in documents:
        if isinstance(document, Delivery):
            delivered[document.member] = document
        elif isinstance(document, Correction):
            delivered[document.member], opening = document.delivery, None
        elif isinstance(document, Settled):
            if due:
                raise Fault(last, f"lacks {due} of its lines")
            if opening is None:
                opening, lines = _settled(record, delivered.values())
            if document != opening:
                raise Fault(entry, "has other sums than follow from the deliveries")
            found, due, last = found + 1, len(lines), entry
        elif isinstance(document, Line):
            if document != lines.get(document.member):
                raise Fault(entry, "has amounts that do not follow from the deliveries")
            due -= 1
    if due:
        raise Fault(last, f"lacks {due} of its lines")
    return f"{len(lines)} lines, {found} settlement" + ("s" if found != 1 else "")


def _settled(record: SeasonState, given: Iterable[Delivery]) -> tuple[Settled, dict[str, Line]]:
    """The settlement that follows from these deliveries, and its lines."""
    assert record.revealed is not None
    delivered, contracts, terms = [*given], record.contracts, record.money
    settlement = settlement_of(delivered, contracts, terms, record.revealed.draw)
    opening = settled_of(settlement, terms.rule, why_void(delivered, contracts, terms))
    return opening, {line.member: line for line in lines_of(settlement)}


def balance(replayed: Replayed) -> str:
    """Postings add up to zero, and nothing is ever owed by the operator."""
    documents, record = replayed
    settled = None
    for entry, document in documents:
        if isinstance(document, Settled):
            settled = entry
        if isinstance(document, Line) and sum(each.amount for each in document.postings) != 0:
            raise Fault(entry, "does not balance")
    if record.settled is None:
        return "no settlement stands"
    surplus, said = record.balances().get(OPERATOR, 0), record.settled.surplus
    written = record.money.money_unit.money
    if surplus != said or surplus < 0:
        raise Fault(settled, f"leaves the operator {written(surplus)}, not {written(said)}")
    return f"surplus {written(surplus)}"


def acknowledgements(replayed: Replayed) -> str:
    """Who got its statement signed for it, and whether for the one that follows from the ledger.

    Of a void settlement there are no statements, and members sign for the model.
    """
    documents, record = replayed
    (_, opened), *rest = documents
    assert isinstance(opened, SeasonOpened)
    disputed, told, so_far = [], dict[str, StatementMessage](), SeasonState(opened, record.keys)
    for entry, document in rest:
        so_far.take(entry, document)
        if isinstance(document, Acknowledged):
            head = said_in(entry, document.said, record, "statement", document.member)
            told = told or so_far.statement_messages(list(so_far.lines))
            try:
                answer = Answer.take(head.content)
            except InputError as error:
                raise Fault(entry, f"{document.member}: {error}") from None
            if answer.statement != told[document.member].hash():
                raise Fault(entry, f"{document.member} was told something else")
            if not answer.agrees:
                disputed.append(document.member)
        elif isinstance(document, Handed):
            head = said_in(entry, document.said, record, "model", document.member)
            if head.content != {"model": record.rounds[-1].model}:
                raise Fault(entry, f"{document.member} signed for another model than the last one")
        else:
            told = {}
    if record.settled is not None and record.settled.void:
        return f"{len(record.handed)} models, {len(record.owed)} to hand out"
    says = f"{len(record.acknowledged)} of {len(record.lines)} statements"
    return says + (f", disputed by {', '.join(disputed)}" if disputed else "")


def disputes(replayed: Replayed) -> str:
    """The arbiter of the terms signed every decision, and every correction follows from one."""
    documents, record = replayed
    arbiter, first = record.terms.disputes.arbiter, dict[str, Delivery]()
    for entry, document in documents:
        if isinstance(document, Delivery):
            first[document.member] = document
        elif isinstance(document, Decision):
            if arbiter is None or not document.is_by(arbiter):
                raise Fault(entry, "is a decision that the arbiter did not sign")
        elif isinstance(document, Correction):
            member, decision = document.member, record.disputes.decisions[document.decision]
            try:
                wanted = corrected_delivery(
                    first[member],
                    decision.corrected[member],
                    record.contracts[member],
                    record.money,
                    record.rounds_so_far,
                    record.gone,
                )
            except InputError as error:
                raise Fault(entry, str(error)) from None
            if document.delivery != wanted:
                raise Fault(entry, "is not what follows from the counts that were decided on")
    found = record.disputes
    if not found.all:
        return "none"
    words = [f"{len(found.all)} in all", f"{len(found.decisions)} decided"]
    if found.open:
        words.append(f"open: {', '.join(each.member for each in found.open)}")
    return ", ".join(words)
