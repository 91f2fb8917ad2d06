"""The money of one season that has really come and gone, member by member.

A settlement says who owes what; payments say what came of it. Rebates and rewards are paid from
what was collected, pro rata: of a claim C, the part ⌊C·(collected)/(all claims)⌋ can be paid now.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...errors import LedgerError
from ..agreement.payment import PaymentTerms
from .entries import Payment


@dataclass(frozen=True, slots=True)
class Position:
    """How one member stands with the money of a season, in minor units.

    Attributes:
        asked: the deposit without which training does not start.
        net: what it receives by the settlement that stands; below 0 it is to pay.
        deposited: less what was refunded.
        forfeited: taken from the deposit.
        paid, received: for settlements, by the member and by the operator.
        returned: of the surplus.
        stayed: whether it is settled and did not leave.
    """

    asked: int
    net: int = 0
    deposited: int = 0
    forfeited: int = 0
    paid: int = 0
    received: int = 0
    returned: int = 0
    stayed: bool = False

    @property
    def held(self) -> int:
        """What is left of its deposit."""
        return self.deposited - self.forfeited

    @property
    def given(self) -> int:
        """What it has put in for settlements, less what it got out."""
        return self.paid + self.forfeited - self.received

    @property
    def debt(self) -> int:
        """What the settlement asks of it."""
        return max(0, -self.net)

    @property
    def claim(self) -> int:
        """What the settlement promises it."""
        return max(0, self.net)

    @property
    def owes(self) -> int:
        """What it is still to pay."""
        return max(0, -self.net - self.given)

    @property
    def collected(self) -> int:
        """What it has paid of its debt."""
        return min(max(0, self.given), self.debt)

    @property
    def credit(self) -> int:
        """Its own money beyond its debt, as where a settlement was reversed: it gets that back."""
        return max(0, self.given - self.debt)

    @property
    def had(self) -> int:
        """What it was paid of its claim."""
        return min(max(0, -self.given), self.claim)

    @property
    def excess(self) -> int:
        """What it was paid beyond its claim, as where a settlement was reversed: it owes that."""
        return max(0, -self.given - self.claim)


_SUMMED = ("given", "collected", "claim", "credit", "had", "excess", "returned")


class Purse:
    """All payments of a season, and where every member stands.

    Attributes:
        payments: that stand, by the number of their entries; corrected ones are not among them.
        settled: the day of the settlement that stands, None where none does.
        surplus: what it leaves to no member.
    """

    def __init__(self, terms: PaymentTerms) -> None:
        self.terms = terms
        self.positions: dict[str, Position] = {}
        self.payments: dict[int, Payment] = {}
        self.settled: str | None = None
        self.surplus = 0
        self._sum = Counter[str]()
        self._stayed = 0

    @property
    def cash(self) -> int:
        """What came in for settlements and did not go out; below 0 the reserve paid for it."""
        return self._sum["given"] - self._sum["returned"]

    @property
    def collected(self) -> int:
        """What was paid of debts, and is not out with somebody who had too much."""
        return max(0, self._sum["collected"] - self._sum["excess"])

    @property
    def claims(self) -> int:
        """What the settlement promises all members together."""
        return self._sum["claim"]

    @property
    def spare(self) -> int:
        """What is there beyond all that members have a claim to: the surplus, once collected."""
        if self.settled is None:
            return 0
        due = self._sum["claim"] - self._sum["had"] + self._sum["credit"]
        return max(0, self.cash - due)

    @property
    def due_date(self) -> str | None:
        """The last day on which the settlement is paid in time."""
        return None if self.settled is None else self.terms.due_date(self.settled)

    def lacking(self) -> dict[str, int]:
        """What of the deposits is not there yet, by member."""
        return {
            member: each.asked - each.held
            for member, each in self.positions.items()
            if each.held < each.asked
        }

    def payable(self, member: str, reserve: int = 0) -> int:
        """What a member can be paid now: its own money back, and its part of what was collected.

        ``reserve``: what the consortium's can add; below 0, what this season owes to it.
        """
        if self.settled is None:
            return 0
        position, there = self.positions[member], self.collected + max(0, reserve)
        claim, claims = position.claim, self.claims
        share = claim if there >= claims else claim * there // claims
        due = position.credit + max(0, share - position.had)
        return max(0, min(due, self.cash + reserve))

    def returnable(self, member: str) -> int:
        """What a member can be paid of the surplus now: an equal part, when all claims are safe."""
        position = self.positions[member]
        if self.terms.surplus != "returned" or self.settled is None:
            return 0
        if not position.stayed or position.owes:
            return 0
        there = min(self.surplus, max(0, self.collected - self.claims))
        return max(0, min(there // self._stayed - position.returned, self.cash))

    def refundable(self, member: str) -> int:
        """What a member can be paid of its deposit now: all that secures nothing any more."""
        position = self.positions[member]
        kept = position.asked if self.settled is None else position.owes
        return max(0, position.held - kept)

    def contracted(self, member: str, deposit: int) -> None:
        """A member signed its contract, which asks for this deposit."""
        self.positions[member] = Position(deposit)

    def settle(self, day: str, surplus: int) -> None:
        """A settlement was made; its lines follow."""
        self.settled, self.surplus = day, surplus

    def line(self, member: str, net: int, stayed: bool) -> None:
        """What a member receives by the settlement, or pays."""
        self._set(member, replace(self.positions[member], net=net, stayed=stayed))
        self._stayed += stayed

    def reverse(self) -> None:
        """The settlement was reversed: what was paid stays paid."""
        self.settled, self.surplus, self._stayed = None, 0, 0
        for member, each in self.positions.items():
            self._set(member, replace(each, net=0, stayed=False))

    def take(self, said: Payment, number: int) -> None:
        """Take a payment, which `treasury` has looked at."""
        if said.corrects is None:
            self.payments[number] = said
            self._move(said, said.amount)
        else:
            self._move(self.payments.pop(said.corrects), -said.amount)

    def _move(self, said: Payment, amount: int) -> None:
        kinds: Mapping[str, tuple[str, int]] = {
            "deposit": ("deposited", amount),
            "refund": ("deposited", -amount),
            "forfeit": ("forfeited", amount),
            "settlement": ("paid" if said.incoming else "received", amount),
            "surplus": ("returned", amount),
        }
        field, change = kinds[said.purpose]
        before = self.positions[said.member]
        self._set(said.member, replace(before, **{field: getattr(before, field) + change}))

    def _set(self, member: str, after: Position) -> None:
        before = self.positions[member]
        for name in _SUMMED:
            self._sum[name] += getattr(after, name) - getattr(before, name)
        self.positions[member] = after


def require(holds: bool, otherwise: str) -> None:
    """Refuse an entry that cannot be."""
    if not holds:
        raise LedgerError(otherwise)
