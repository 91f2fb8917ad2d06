"""What a ledger says of disputes so far: who disputes a settlement, and what became of it.

A dispute is open until the arbiter decides it or, where the terms name none, the operator answers
it. After a decision that reverses the settlement come the reversal and the corrections, and nothing
in between.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ...errors import LedgerError
from ..agreement.disputes import Arbitration, Decision
from .entries import Answered, Correction, Reversal
from .entry import Entry


@dataclass(slots=True)
class Dispute:
    """One member's dispute of one settlement; ``opened`` is the entry with the member's answer."""

    member: str
    settlement: int
    opened: Entry
    why: list[str]
    answered: Entry | None = None
    answer: str | None = None
    decided: int | None = None
    decision: Decision | None = None
    reversed: bool = False


class Disputes:
    """All disputes of a season, in order."""

    def __init__(self, arbitration: Arbitration, terms: str) -> None:
        self._arbitration, self._terms = arbitration, terms
        self.all: list[Dispute] = []
        self.decisions: dict[int, Decision] = {}
        self._reversing: int | None = None  # the decision that a reversal must follow
        self._wrong: list[str] = []  # members whose counts are still to be corrected

    @property
    def next_kind(self) -> str | None:
        """The kind of entry that must come next, where only one may."""
        if self._reversing is not None:
            return "reversal"
        return "correction" if self._wrong else None

    @property
    def open(self) -> list[Dispute]:
        """Those that wait for the arbiter or, without one, for the operator's answer."""
        decides = self._arbitration.arbiter is not None
        return [
            each
            for each in self.all
            if not each.reversed and (each.decision is None if decides else each.answered is None)
        ]

    def answer_by(self, dispute: Dispute) -> datetime:
        """Until when the operator is to answer."""
        days = timedelta(days=self._arbitration.answer_days)
        return datetime.fromisoformat(dispute.opened.time) + days

    def of(self, member: str, settlement: int) -> Dispute | None:
        """This member's dispute of that settlement, if it disputes it."""
        wanted = (member, settlement)
        return next((each for each in self.all if (each.member, each.settlement) == wanted), None)

    def begin(self, member: str, settlement: int, entry: Entry, why: list[str]) -> None:
        """A member does not agree with its statement."""
        self.all.append(Dispute(member, settlement, entry, why))

    def answer(self, said: Answered, entry: Entry) -> None:
        """The operator answers."""
        dispute = self._undecided(said.member, said.settlement, "an answer")
        _require(dispute.answered is None, "a second answer to a dispute")
        dispute.answered, dispute.answer = entry, said.says

    def decide(self, said: Decision, number: int) -> None:
        """The arbiter decides."""
        _require(self._arbitration.arbiter is not None, "a decision, and the terms name no arbiter")
        _require(said.terms == self._terms, "a decision about another season")
        dispute = self._undecided(said.member, said.settlement, "a decision")
        _require(said.dispute == dispute.opened.hash, "a decision about another ledger than this")
        stands = said.outcome == "stands"
        _require(not (stands and said.corrected), "counts corrected of a settlement that stands")
        dispute.decided, dispute.decision = number, said
        self.decisions[number] = said
        self._reversing = None if stands else number

    def reverse(self, said: Reversal) -> None:
        """The settlement is undone: by a decision, or by the operator where nothing is disputed
        that an arbiter decides."""
        _require(said.decision == self._reversing, "a reversal by a decision that there is not")
        _require(said.decision is not None or said.why.strip() != "", "a reversal without a reason")
        disputed = [each for each in self.all if each.settlement == said.settlement]
        _require(
            said.decision is not None or self._arbitration.arbiter is None or not disputed,
            "a reversal by the operator of what is disputed, which is for the arbiter to decide",
        )
        for each in disputed:
            each.reversed = True
        self._reversing = None
        if said.decision is not None:
            self._wrong = sorted(self.decisions[said.decision].corrected)

    def correct(self, said: Correction) -> None:
        """A count that was wrong is put right."""
        _require(self._wrong[:1] == [said.member], "a correction that nobody decided")
        _require(said.decision == max(self.decisions), "a correction of another decision")
        self._wrong.pop(0)

    def _undecided(self, member: str, settlement: int, what: str) -> Dispute:
        dispute = self.of(member, settlement)
        if dispute is None or dispute.reversed:
            raise LedgerError(f"{what} to a dispute of {member} that there is not")
        _require(dispute.decision is None, f"{what} to a dispute that is decided")
        return dispute


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise LedgerError(otherwise)
