"""The double-entry book of a consortium: every amount of its ledger, from one account to another.

Debits are above 0, credits below, and each transaction adds up to zero. The book is the operator's:
its ``operator/bank`` is the account at the bank through which the members' money goes.

Of a member, under ``member/NAME/``:
receivable   what it owes by its settlements; below 0 the operator owes it
fees, charges, rebates, rewards   what its settlements are made of
deposits     what it deposited; ``forfeits`` is what was taken of that
surplus      what it was paid of a surplus

Of the operator, under ``operator/``:
bank         what came in and did not go out
remainder    what of fees and charges no member got: it goes to
surplus      where the surplus is kept or returned, or to
reserve      where it is carried to later seasons
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...errors import FedfactError, LedgerError
from ...money import MoneyUnit
from ..agreement.lines import Line
from ..ledger.entries import Payment, Settled
from ..ledger.entry import Entry, is_time
from ..ledger.state import LedgerState

OF_MEMBER = (
    *("receivable", "fees", "charges", "rebates", "rewards"),
    *("deposits", "forfeits", "surplus"),
)
OF_OPERATOR = ("bank", "remainder", "surplus", "reserve")

_LAST = "9999"  # a year; after it there is no next day

_BOOKED = {
    "deposit": ("operator/bank", "deposits"),
    "refund": ("operator/bank", "deposits"),
    "settlement": ("operator/bank", "receivable"),
    "forfeit": ("forfeits", "receivable"),
    "surplus": ("operator/bank", "surplus"),
}
"""The accounts that a payment to the operator debits and credits; one to a member turns it round.
Names without the operator's are those of the member's own accounts."""


@dataclass(frozen=True, slots=True)
class Move:
    """What a transaction does to one account: debit above 0, credit below."""

    account: str
    amount: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """What one entry of the ledger does to the accounts."""

    date: str
    entry: int
    season: int
    narration: str
    reference: str
    moves: tuple[Move, ...]

    def __post_init__(self) -> None:
        if sum(move.amount for move in self.moves):
            raise LedgerError("its amounts do not add up; check the ledger with fedfact verify")

    def undone(self, by: Entry, date: str, narration: str, reference: str) -> "Transaction":
        """The transaction with which a later entry undoes this one."""
        moves = tuple(Move(move.account, -move.amount) for move in self.moves)
        return Transaction(date, by.number, self.season, narration, reference, moves)


@dataclass(frozen=True, slots=True)
class Book:
    """All transactions, in the order of the ledger's entries, and what amounts are counted in."""

    consortium: str
    unit: MoneyUnit
    members: tuple[str, ...]
    transactions: tuple[Transaction, ...]

    def balances(self) -> dict[str, int]:
        """What has come together on every account that was ever used."""
        sums: dict[str, int] = {}
        for transaction in self.transactions:
            for move in transaction.moves:
                sums[move.account] = sums.get(move.account, 0) + move.amount
        return sums

    def of(self, *, season: int | None = None) -> "Book":
        """The part of the book that is of one season."""
        kept = (each for each in self.transactions if season in (None, each.season))
        return replace(self, transactions=tuple(kept))


def book_of(entries: Iterable[Entry]) -> Book:
    """The book of a ledger with these entries."""
    state, written = LedgerState(), _Written()
    for entry in entries:
        try:
            _require_day(entry)
            document = state.add(entry)
            written.take(entry, document, state)
        except FedfactError as error:
            raise LedgerError(f"{entry.name}: {error}") from None
    founded, kept = state.consortium, tuple(each for each in written.all if each.moves)
    return Book(founded.name, founded.money_unit, tuple(state.members), kept)


def _require_day(entry: Entry) -> None:
    """Refuse a day that no file of accounts could have."""
    if not is_time(entry.time) or entry.time >= _LAST:
        raise LedgerError("its time is not as times are written")


class _Written:
    """The transactions so far, and which of them may still be undone."""

    def __init__(self) -> None:
        self.all: list[Transaction] = []
        self._settled: dict[int, list[Transaction]] = {}  # by season, of what stands
        self._paid: dict[int, Transaction] = {}

    def take(self, entry: Entry, document: object, state: LedgerState) -> None:
        """Write down what an entry does, if it does anything to the accounts."""
        day = entry.time[:10]
        if isinstance(document, Settled):
            terms = state.seasons[entry.season - 1].terms.payment
            surplus = "reserve" if terms.surplus == "carried" else "surplus"
            moves = {"operator/remainder": document.surplus}
            moves[f"operator/{surplus}"] = -document.surplus
            self._settled[entry.season] = []
            self._settle(_transaction(entry, day, f"surplus, {terms.surplus}", moves))
        elif isinstance(document, Line):
            moves = _of_line(document)
            self._settle(_transaction(entry, day, f"settlement of {document.member}", moves))
        elif entry.kind == "reversal":
            for each in self._settled.pop(entry.season):
                narration = f"reversed: {each.narration}"
                self.all.append(each.undone(entry, day, narration, ""))
        elif isinstance(document, Payment):
            self._pay(entry, document)

    def _settle(self, made: Transaction) -> None:
        self.all.append(made)
        self._settled[made.season].append(made)

    def _pay(self, entry: Entry, said: Payment) -> None:
        if said.corrects is None:
            made = _transaction(entry, said.date, _narration(said), _of_payment(said))
            self._paid[entry.number] = made = replace(made, reference=said.reference)
        else:
            first = self._paid.pop(said.corrects)
            narration = f"corrected: {first.narration} (entry {said.corrects})"
            made = first.undone(entry, said.date, narration, said.reference)
        self.all.append(made)


def _transaction(entry: Entry, date: str, narration: str, moves: dict[str, int]) -> Transaction:
    made = tuple(Move(account, amount) for account, amount in moves.items() if amount)
    return Transaction(date, entry.number, entry.season, narration, "", made)


def _of_line(line: Line) -> dict[str, int]:
    own = f"member/{line.member}"
    return {
        f"{own}/receivable": -line.net,
        f"{own}/fees": -line.fee,
        f"{own}/charges": -line.charge,
        f"{own}/rebates": line.rebate,
        f"{own}/rewards": line.reward,
    }


def _of_payment(said: Payment) -> dict[str, int]:
    amount = said.amount if said.incoming else -said.amount
    debit, credit = (
        name if "/" in name else f"member/{said.member}/{name}" for name in _BOOKED[said.purpose]
    )
    return {debit: amount, credit: -amount}


def _narration(said: Payment) -> str:
    if said.purpose == "forfeit":
        return f"taken from the deposit of {said.member}"
    return f"{said.purpose} {'from' if said.incoming else 'to'} {said.member}"
