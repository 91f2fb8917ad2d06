"""The money of all seasons: which payments can be, and the reserve that seasons share.

What is refused here is refused whoever enters it: nobody is paid out of what others have not paid
in, and no deposit is taken or given back that secures something.
"""

from datetime import date, timedelta

from ...errors import LedgerError
from ...money import MoneyUnit
from ..wire.message import OPERATOR
from .entries import Payment
from .entry import Entry
from .purse import Purse, require

_A_DAY = timedelta(1)  # clocks and time zones differ


class Treasury:
    """What the seasons' purses have together: the reserve, and the references of payments."""

    def __init__(self) -> None:
        self.purses: list[Purse] = []
        self._opened: list[str] = []
        self._references: dict[str, int] = {}  # of payments that stand, with their entries

    def open(self, purse: Purse, day: str) -> None:
        """A season was opened, that day."""
        self.purses.append(purse)
        self._opened.append(day)

    def reserve(self, season: int) -> int:
        """How far the reserve lets a season go below what it collected.

        It is what carried seasons before it have to spare and no other season drew on. Below 0,
        others drew on this one, and so much of its money is theirs.
        """
        own, others = self.purses[season - 1], list(enumerate(self.purses, 1))
        others = [(number, each) for number, each in others if number != season]
        carried = [(number, each) for number, each in others if each.terms.surplus == "carried"]
        spare = sum(each.spare for number, each in carried if number < season)
        drawn = sum(max(0, -each.cash) for _, each in others)
        there = sum(each.cash for _, each in carried)
        there -= sum(max(0, -each.cash) for _, each in others if each.terms.surplus != "carried")
        free = min(max(0, spare - drawn), there)
        return free if own.terms.surplus == "carried" else max(0, free)

    def check(self, entry: Entry, said: Payment, unit: MoneyUnit) -> None:
        """Refuse a payment that cannot be."""
        purse = self.purses[entry.season - 1]
        require(
            (said.payer == OPERATOR) != (said.payee == OPERATOR),
            "a payment that is not between the operator and a member",
        )
        require(said.member in purse.positions, f"a payment of {said.member}, who has no contract")
        first = self._references.get(said.reference)
        require(first is None, f"the reference of the payment in entry {first}")
        self._check_date(entry, said)
        require(
            (said.purpose == "correction") == (said.corrects is not None),
            "a correction names the entry that it undoes, and no other payment does",
        )
        if said.corrects is not None:
            self._check_correction(entry.season, said)
        else:
            self._check_amount(entry.season, said, unit)

    def keep(self, entry: Entry, said: Payment) -> None:
        """Keep the reference of a payment that was taken; that of a corrected one is free again."""
        if said.corrects is not None:
            kept = self._references.items()
            self._references = {words: n for words, n in kept if n != said.corrects}
        self._references[said.reference] = entry.number

    def _check_date(self, entry: Entry, said: Payment) -> None:
        """A payment is entered when it was made: not before, nor dated to before the season."""
        day, entered = _date(said.date), _date(entry.time[:10])
        require(day - entered <= _A_DAY, f"a payment of {said.date}, which is yet to come")
        opened = _date(self._opened[entry.season - 1])
        require(opened - day <= _A_DAY, f"a payment of {said.date}, before the season was opened")

    def _check_amount(self, season: int, said: Payment, unit: MoneyUnit) -> None:
        """Refuse more than there is for its purpose."""
        purse, member = self.purses[season - 1], said.member
        incoming = said.purpose in ("deposit", "forfeit")
        if said.purpose != "settlement":
            require(said.incoming == incoming, f"a {said.purpose} that goes the other way")
        if said.purpose == "deposit":
            return
        if said.purpose in ("settlement", "surplus", "forfeit"):
            require(purse.settled is not None, f"a {said.purpose} where no settlement stands")
        position = purse.positions[member]
        if said.purpose == "forfeit":
            due = purse.due_date or ""
            require(said.date > due, f"a forfeit before what {member} owes is overdue, after {due}")
            most, why = min(position.owes, position.held), "is overdue and was deposited"
        elif said.purpose == "refund":
            most, why = purse.refundable(member), "is left of its deposit and secures nothing"
        elif said.purpose == "surplus":
            most, why = purse.returnable(member), "of the surplus can be returned to it now"
        elif said.incoming:
            most, why = position.owes, "is what it owes; enter the rest as its deposit"
        else:
            reserve = self.reserve(season)
            most, why = purse.payable(member, reserve), "can be paid to it of what was collected"
        if said.amount > most:
            raise LedgerError(
                f"a {said.purpose} of {unit.money(said.amount)} for {member}: {unit.money(most)} "
                + why
            )

    def _check_correction(self, season: int, said: Payment) -> None:
        """A correction undoes one payment, and takes nothing away that was paid out since."""
        purse = self.purses[season - 1]
        assert said.corrects is not None
        undone = purse.payments.get(said.corrects)
        if undone is None:
            raise LedgerError(f"a correction of entry {said.corrects}, no payment that stands")
        require(
            (said.payer, said.payee, said.amount) == (undone.payee, undone.payer, undone.amount),
            f"a correction that is not the opposite of entry {said.corrects}",
        )
        if undone.purpose == "deposit":
            held = purse.positions[undone.member].held
            require(undone.amount <= held, _SPENT)
        elif undone.incoming:
            require(undone.amount <= purse.cash + self.reserve(season), _SPENT)


def _date(day: str) -> date:
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise LedgerError("an entry's time is not as times are written") from None


_SPENT = "a correction of money that was paid out since; correct that payment first"
