"""What the operator does about disputes: answer them, and enter what the arbiter decided.

A decision that reverses the settlement brings with it the reversal and the corrected counts, all
at once: there is nothing left for the operator to choose. `resume` shows them to the members and
settles anew.
"""

from ....errors import InputError
from ...agreement.disputes import Decision, corrected_delivery
from ...ledger.disputes import Dispute
from ...ledger.entries import Answered, Correction, Reversal
from ...wire.document import Document, checked_words
from ..session import Session


def answer(session: Session, member: str, says: str) -> int:
    """Say something to a member's dispute, once; the number of the settlement it disputes."""
    dispute = _dispute(session, member)
    if dispute.answered is not None:
        raise InputError(f"{member} was answered already: {dispute.answer}")
    words = checked_words(says, "an answer")
    number = dispute.settlement
    session.add(("answered", Answered(member=member, settlement=number, says=words)))
    return number


def enter(session: Session, decision: Decision) -> None:
    """Enter a decision; where it reverses the settlement, the reversal and the corrections too."""
    record = session.record
    arbiter = record.terms.disputes.arbiter
    if arbiter is None:
        raise InputError("the terms name no arbiter, so nobody's decision can be entered")
    if not decision.is_by(arbiter):
        raise InputError("the decision is not signed by the arbiter of the terms, or was changed")
    if decision.terms != record.federation:
        raise InputError("the decision is about another season, or another federation")
    if decision.settlement != record.settlement:
        stands = "none stands now" if record.settlement is None else f"{record.settlement} stands"
        raise InputError(f"the decision is about settlement {decision.settlement}, and {stands}")
    dispute = _dispute(session, decision.member)
    if dispute.opened.hash != decision.dispute:
        raise InputError(
            f"the decision is about another dispute than entry {dispute.opened.number} of this "
            "ledger; give the arbiter an export of this one"
        )
    number = session.state.head.number + 1
    what: list[tuple[str, Document]] = [("decision", decision)]
    if decision.outcome == "reversed":
        undone = Reversal(settlement=decision.settlement, why="", decision=number)
        what.append(("reversal", undone))
        for member, counts in sorted(decision.corrected.items()):
            if member not in record.deliveries:
                raise InputError(f"the decision corrects {member}, which delivered nothing")
            delivery = corrected_delivery(
                record.deliveries[member],
                counts,
                record.contracts[member],
                record.money,
                record.rounds_so_far,
                record.gone,
            )
            what.append(("correction", Correction(decision=number, delivery=delivery)))
    session.add(*what)


def _dispute(session: Session, member: str) -> Dispute:
    """The dispute of the settlement that stands that is still to be decided."""
    record = session.record
    dispute = None if record.settlement is None else record.disputes.of(member, record.settlement)
    if dispute is None:
        disputing = ", ".join(each.member for each in record.disputes.open) or "nobody"
        raise InputError(f"{member} disputes no settlement that stands; open disputes: {disputing}")
    if dispute.decision is not None:
        raise InputError(
            f"the dispute of {member} is decided: settlement {dispute.settlement} stands"
        )
    return dispute
