"""What a ledger says of one season so far, to go on from and for anybody to check.

Entries are taken one by one, in the order of the protocol; one that cannot come next is refused.
Nothing is believed here but the order: signatures and figures are for `verify`.
"""

from typing import Any

from ...mechanism import Settlement
from ..agreement.delivery import Void, void_in_words, why_void
from ..agreement.disputes import Decision
from ..agreement.lines import Line, settlement_of
from ..agreement.statement_message import StatementMessage
from ..wire.document import FORMAT
from .disputes import Disputes
from .entries import (
    Acknowledged,
    Answered,
    Correction,
    Handed,
    Payment,
    Reversal,
    SeasonOpened,
    Settled,
    Witnessed,
)
from .entry import Entry
from .member_keys import MemberKeys
from .training_state import TrainingState, require, require_sorted
from .witnesses import Witnesses


class SeasonState(TrainingState):
    """The state of a season. ``settlement`` is the number of the entry, None if not settled."""

    def __init__(self, opened: SeasonOpened, keys: MemberKeys) -> None:
        super().__init__(opened, keys)
        self.settlement: int | None = None
        self.settled: Settled | None = None
        self._void: Void | None = None  # whatever ``settled`` says
        self.lines: dict[str, Line] = {}
        self.acknowledged: dict[str, Acknowledged] = {}
        self.handed: dict[str, Handed] = {}  # of a void settlement
        self.disputes = Disputes(self.terms.disputes, self.federation)
        self.witnesses = Witnesses()

    def take(self, entry: Entry, document: Any) -> None:
        """Take the next entry of the season, which says this."""
        only = self.disputes.next_kind
        require(only in (None, entry.kind), f"a {entry.kind} where a {only} has to come")
        self._entry = entry
        getattr(self, f"_take_{entry.kind}")(document, entry.number)

    @property
    def phase(self) -> str:
        """How far the federation has come, in words."""
        if self.settled is not None:
            what = "models" if self.settled.void else "statements"
            waits = {
                f"{what} to hand out": self.owed,
                "members to sign the head of the ledger": self.witnesses.waiting,
                "disputes open": self.disputes.open,
            }
            first = next((f"{len(who)} {words}" for words, who in waits.items() if who), None)
            return f"settled, {first}" if first else "finished"
        if self.revealed is not None:
            return "settlement reversed"
        if self.nonces is not None:
            return "to be settled"
        if self.deliveries:
            return "nonces to open"
        if self.roster is not None:
            if not self.rounds and (lacking := self.purse.lacking()):
                return f"waiting for {len(lacking)} deposits"
            return f"training, {len(self.rounds)} of {self.terms.plan().rounds} rounds"
        return "enrolling"

    @property
    def owed(self) -> dict[str, str]:
        """Who has not got yet what a settlement owes it: its statement, which the model comes with,
        or the model alone where the settlement is void."""
        if self.settled is None:
            return {}
        if not self.settled.void:
            return dict.fromkeys(sorted(self.lines.keys() - self.acknowledged.keys()), "statement")
        stayed = {member for member, each in self.deliveries.items() if not each.left}
        return dict.fromkeys(sorted(stayed - self.handed.keys()), "model")

    @property
    def missing(self) -> frozenset[str]:
        """Whom a season waits for that was settled: to get what is owed, or to sign the head."""
        return frozenset({*self.owed, *self.witnesses.waiting})

    @property
    def void_now(self) -> Void | None:
        """Why the settlement that follows from the deliveries is void, where it is."""
        return why_void(self.deliveries.values(), self.contracts, self.money)

    @property
    def void_in_words(self) -> str | None:
        """Why the settlement that stands is void, for people; None where it is not."""
        if self.settled is None or self.settled.void is None:
            return None
        delivered = self.deliveries.values()
        return void_in_words(self.settled.void, delivered, self.contracts, self.money)

    def settlement_now(self) -> Settlement | None:
        """The settlement that follows from deliveries and draw; None where it is void."""
        assert self.revealed is not None
        delivered, draw = self.deliveries.values(), self.revealed.draw
        return settlement_of(delivered, self.contracts, self.money, draw)

    def statement_messages(self, members: list[str]) -> dict[str, StatementMessage]:
        """What these members are told of the settlement."""
        assert self.settlement is not None
        assert self.settled is not None
        settlement = self.settlement_now()
        assert settlement is not None
        last = self.rounds[-1].model
        return {
            member: StatementMessage(
                format=FORMAT,
                settlement=self.settlement,
                rounds=len(self.rounds),
                members=self.settled.members,
                samples=self.settled.samples,
                size=settlement.population.total_size,
                left=self.deliveries[member].left,
                attended=self.deliveries[member].attended,
                asked=self.deliveries[member].asked,
                last_round=self.deliveries[member].last_round,
                line=self.lines[member],
                restored=self.keys.restored(member, self.number, before=self.settlement),
                model=None if self.deliveries[member].left else last,
            )
            for member in members
        }

    def balances(self) -> dict[str, int]:
        """What each account has received less what it has paid."""
        sums: dict[str, int] = {}
        for posting in (posting for line in self.lines.values() for posting in line.postings):
            sums[posting.account] = sums.get(posting.account, 0) + posting.amount
        return sums

    def _take_settlement(self, said: Settled, number: int) -> None:
        require(self.revealed is not None, "a settlement before the seed was revealed")
        require(self.settled is None, "a second settlement that no reversal came before")
        self.settlement, self.settled, self._void = number, said, self.void_now
        self.lines, self.acknowledged, self.handed = {}, {}, {}
        self.purse.settle(self._entry.time[:10], said.surplus)

    def _take_line(self, said: Line, number: int) -> None:
        require(self.settled is not None, "a line of no settlement")
        require(said.member not in self.lines, "a second line")
        require(said.member in self.deliveries, "a line for a member that delivered nothing")
        require(not self._void, "a line of a settlement that is void")
        require_sorted(said.member, self.lines)
        require(not self.acknowledged, "a line after statements were handed out")
        self.lines[said.member] = said
        self.purse.line(said.member, said.net, not self.deliveries[said.member].left)

    def _take_acknowledged(self, said: Acknowledged, number: int) -> None:
        require(said.settlement == self.settlement, "a statement of another settlement")
        require(said.member in self.lines, "a statement for nobody")
        require(said.member not in self.acknowledged, "a statement acknowledged twice")
        self.acknowledged[said.member] = said
        self.witnesses.show([said.member], number)
        answer = said.said.read_head().content
        if answer.get("agrees") is not True:
            why = answer.get("why")
            words = [str(each) for each in why] if isinstance(why, list) else []
            self.disputes.begin(said.member, said.settlement, self._entry, words)

    def _take_handed(self, said: Handed, number: int) -> None:
        require(said.settlement == self.settlement, "a model of another settlement")
        require(said.member in self.owed, "a model for nobody that it is owed to")
        require(self.owed[said.member] == "model", "a model that comes with a statement")
        self.handed[said.member] = said
        self.witnesses.show([said.member], number)

    def _take_answered(self, said: Answered, number: int) -> None:
        self.disputes.answer(said, self._entry)
        self.witnesses.show([said.member], number)

    def _take_decision(self, said: Decision, number: int) -> None:
        require(said.corrected.keys() <= self.deliveries.keys(), "counts of nobody that delivered")
        self.disputes.decide(said, number)
        self.witnesses.show(said.concerns, number)

    def _take_reversal(self, said: Reversal, number: int) -> None:
        require(said.settlement == self.settlement, "a reversal of another settlement")
        self.disputes.reverse(said)
        self.witnesses.show(self.deliveries, number)
        self.settlement, self.settled = None, None
        self.lines, self.acknowledged, self.handed = {}, {}, {}
        self.purse.reverse()

    def _take_payment(self, said: Payment, number: int) -> None:
        self.purse.take(said, number)  # whether it can be is for the `treasury`, of all seasons

    def _take_correction(self, said: Correction, number: int) -> None:
        self.disputes.correct(said)
        self.witnesses.show([said.member], number)
        self.deliveries[said.member] = said.delivery

    def _take_witnessed(self, said: Witnessed, number: int) -> None:
        self.witnesses.sign(said, number)
