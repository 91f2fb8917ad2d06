"""Who owes what in which season, until when, and what of each claim can be paid now.

A settlement is *due* until its last day, *paid* when nothing is left of it, and *short* after that
day, for every member by itself. What a short member does not pay is first taken from its deposit.
"""

from dataclasses import dataclass

from ..ledger.state import LedgerState

NOT_SETTLED, DUE, PAID, SHORT = "not settled", "due", "paid", "short"


@dataclass(frozen=True, slots=True)
class Dues:
    """How one member stands in one season, on a day. Amounts are in minor units.

    Attributes:
        net: by the settlement that stands: above 0 a claim, below 0 a debt; None where none does.
        state: ``not settled``, ``due``, ``paid`` or ``short``.
        due_date: the last day on which it is paid in time.
        owes: what the member is still to pay.
        gets: what the operator is still to pay, and ``payable`` what of that is there.
        lacks: what of its deposit is still to come before training starts.
        deposit: what is left of it; of that, ``refundable`` secures nothing, and ``forfeit`` can be
            taken for what is overdue.
        returnable: what can be paid to it of the surplus.
    """

    season: int
    member: str
    net: int | None
    state: str
    due_date: str | None
    owes: int
    gets: int
    payable: int
    lacks: int
    deposit: int
    refundable: int
    forfeit: int
    returnable: int


def dues_of(state: LedgerState, day: str) -> list[Dues]:
    """How every member with a contract stands that day, season by season."""
    found = []
    for season in state.seasons:
        purse, due = season.purse, season.purse.due_date
        reserve, overdue = state.treasury.reserve(season.number), bool(due and day > due)
        for member, at in purse.positions.items():
            settled = due is not None
            gets = at.claim - at.had + at.credit if settled else 0
            owes = at.owes if settled else 0
            found.append(
                Dues(
                    season=season.number,
                    member=member,
                    net=at.net if settled else None,
                    state=_state(settled, owes + gets, overdue),
                    due_date=due,
                    owes=owes,
                    gets=gets,
                    payable=purse.payable(member, reserve),
                    lacks=0 if season.rounds or settled else max(0, at.asked - at.held),
                    deposit=at.held,
                    refundable=purse.refundable(member),
                    forfeit=min(owes, at.held) if overdue else 0,
                    returnable=purse.returnable(member),
                )
            )
    return found


def _state(settled: bool, left: int, overdue: bool) -> str:
    if not settled:
        return NOT_SETTLED
    if not left:
        return PAID
    return SHORT if overdue else DUE
