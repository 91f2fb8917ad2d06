"""What a ledger says of one season so far, to go on from and for anybody to check.

Entries are taken one by one, in the order of the protocol; one that cannot come next is refused.
Nothing is believed here but the order: signatures and figures are for `verify`.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ...errors import InputError, LedgerError
from ...mechanism import Settlement, Terms
from ..agreement.contract import Contract, Enrolment
from ..agreement.delivery import (
    NOT_ASKED,
    Attestation,
    Delivery,
    Rounds,
    Void,
    deliveries,
    void_in_words,
    why_void,
)
from ..agreement.draw import commitment, draw_seed
from ..agreement.lines import Line, Posting, settlement_of
from ..agreement.statement_message import StatementMessage
from ..wire.document import FORMAT
from .entries import (
    Acknowledged,
    Agreed,
    Declined,
    Enrolled,
    Handed,
    Leaves,
    Nonces,
    Payment,
    Revealed,
    Reversal,
    Roster,
    RoundDone,
    SeasonOpened,
    Settled,
)
from .entry import Entry
from .purse import Purse


class SeasonState:
    """The state of a season. ``settlement`` is the number of the entry, None if not settled."""

    def __init__(self, opened: SeasonOpened, keys: Mapping[str, str]) -> None:
        self.terms = opened.terms.checked()
        self.federation = opened.terms.hash()  # names the season; every message of it says so
        self.sizes = opened.members  # of all who are invited, as the operator verified them
        self.keys = keys  # that members registered
        self.enrolments: dict[str, Enrolment] = {}
        self.reports: dict[str, Enrolment] = {}  # of those who declined, too
        self.declined: dict[str, Declined] = {}
        self.contracts: dict[str, Contract] = {}
        self.roster: Roster | None = None
        self.nonces: Nonces | None = None
        self.rounds: list[RoundDone] = []
        self.attested: dict[str, Attestation] = {}
        self.attended: Counter[str] = Counter()  # rounds, by member
        self.asked: Counter[str] = Counter()
        self.gone: set[str] = set()  # by their own word
        self.deliveries: dict[str, Delivery] = {}
        self.revealed: Revealed | None = None
        self.settlement: int | None = None
        self.settled: Settled | None = None
        self._void: Void | None = None  # whatever ``settled`` says
        self.lines: dict[str, Line] = {}
        self.acknowledged: dict[str, Acknowledged] = {}
        self.handed: dict[str, Handed] = {}  # of a void settlement
        self.purse = Purse(self.terms.payment)
        self._day = ""

    def take(self, entry: Entry, document: Any) -> None:
        """Take the next entry of the season, which says this."""
        self._day = entry.time[:10]
        getattr(self, f"_take_{entry.kind}")(document, entry.number)

    @property
    def number(self) -> int:
        """Which season it is."""
        return self.terms.season

    @property
    def money(self) -> Terms:
        """The terms of the settlement."""
        return self.terms.terms()

    @property
    def phase(self) -> str:
        """How far the federation has come, in words."""
        if self.settled is not None:
            what = "models" if self.settled.void else "statements"
            return f"settled, {len(self.owed)} {what} to hand out" if self.owed else "finished"
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

    def seed_of_draw(self, operator_seed: bytes) -> int:
        """The seed of the draw, with the commitments of those who withheld their nonces."""
        assert self.nonces is not None
        opened = {
            member: _nonce(evidence.read_head().content.get("nonce"))
            for member, evidence in self.nonces.opened.items()
        }
        kept = {member: self.contracts[member].nonce for member in self.nonces.withheld}
        return draw_seed(operator_seed, opened | kept)

    def deliveries_now(self) -> list[Delivery]:
        """What follows from contracts, attestations and rounds."""
        held = Rounds(self.terms.plan().rounds, len(self.rounds))
        presence = self.attested, self.attended, self.asked
        return deliveries(self.contracts, *presence, held, self.money, self.gone)

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

    def reversed_postings(self) -> list[Posting]:
        """The postings that undo the settlement there is."""
        return [
            Posting(account=posting.account, amount=-posting.amount)
            for line in self.lines.values()
            for posting in line.postings
        ]

    def _take_enrolment(self, said: Enrolled, number: int) -> None:
        _require(said.member in self.sizes, "an enrolment of nobody that was invited")
        _require(self.roster is None, "an enrolment after the roster was closed")
        _require(not self.contracts, "an enrolment after contracts were signed")
        _require(said.member not in self.enrolments, "a second enrolment")
        _require(said.member not in self.declined, "an enrolment of a member that declined before")
        enrolment = Enrolment.take(said.said.read_head().content)
        _require(enrolment.member == said.member, "an enrolment under another name")
        _require(enrolment.key == self.keys[said.member], "an enrolment with another key")
        self.enrolments[said.member] = self.reports[said.member] = enrolment

    def _take_declined(self, said: Declined, number: int) -> None:
        _require(self.roster is None, "somebody declines after the roster was closed")
        _require(said.member not in self.declined, "somebody declines twice")
        _require(said.member not in self.contracts, "somebody declines who signed a contract")
        self.enrolments.pop(said.member, None)
        self.declined[said.member] = said

    def _take_contract(self, said: Agreed, number: int) -> None:
        member = said.contract.member
        _require(self.roster is None, "a contract after the roster was closed")
        _require(member in self.enrolments, "a contract with a member that did not enrol")
        _require(member not in self.contracts, "a second contract")
        _require_sorted(member, self.contracts)
        self.contracts[member] = said.contract
        self.purse.contracted(member, self.terms.payment.deposit_of(said.contract))

    def _take_roster(self, said: Roster, number: int) -> None:
        _require(self.roster is None, "a second roster")
        _require(self.contracts.keys() == self.enrolments.keys(), "a roster without all contracts")
        self.roster = said

    def _take_nonces(self, said: Nonces, number: int) -> None:
        _require(self.roster is not None, "nonces before the roster was closed")
        _require(self.deliveries.keys() == self.attested.keys(), "nonces before all deliveries")
        _require(self.nonces is None, "nonces opened twice")
        named = [*said.opened, *said.withheld]
        _require(sorted(named) == sorted(self.contracts), "nonces of others than the roster")
        self.nonces = said

    def _take_leaves(self, said: Leaves, number: int) -> None:
        _require(self.roster is not None, "somebody leaves before the roster was closed")
        _require(not self.deliveries, "somebody leaves after the deliveries")
        _require(self.nonces is None, "somebody leaves after the nonces were opened")
        _require(said.member in self.contracts, "somebody leaves who has no contract")
        _require(said.member not in self.gone, "somebody leaves twice")
        _require(said.round == len(self.rounds) + 1, f"leaving in round {said.round} out of order")
        self.gone.add(said.member)

    def _take_round(self, said: RoundDone, number: int) -> None:
        _require(self.roster is not None, "a round before the roster was closed")
        _require(not self.deliveries, "a round after the deliveries")
        _require(self.nonces is None, "a round after the nonces were opened")
        _require(said.round == len(self.rounds) + 1, f"round {said.round} out of order")
        _require(bool(self.rounds) or not self.purse.lacking(), "a round before all deposits")
        named = [*said.attested, *said.absent]
        _require(sorted(named) == sorted(self.contracts), "a round of others than the roster")
        for member, evidence in said.attested.items():
            self.attested[member] = Attestation.take(evidence.read_head().content)
        self.attended.update(said.attested.keys())
        self.asked.update(said.attested.keys())
        self.asked.update(each for each, why in said.absent.items() if why not in NOT_ASKED)
        self.rounds.append(said)

    def _take_delivery(self, said: Delivery, number: int) -> None:
        _require(self.nonces is None, "a delivery after the nonces were opened")
        _require(said.member in self.attested, "a delivery of a member that never took part")
        _require(said.member not in self.deliveries, "a second delivery")
        _require_sorted(said.member, self.deliveries)
        self.deliveries[said.member] = said

    def _take_reveal(self, said: Revealed, number: int) -> None:
        _require(self.nonces is not None, "the seed revealed before the nonces")
        _require(self.revealed is None, "the seed revealed twice")
        self.revealed = said

    def _take_settlement(self, said: Settled, number: int) -> None:
        _require(self.revealed is not None, "a settlement before the seed was revealed")
        _require(self.settled is None, "a second settlement that no reversal came before")
        self.settlement, self.settled, self._void = number, said, self.void_now
        self.lines, self.acknowledged, self.handed = {}, {}, {}
        self.purse.settle(self._day, said.surplus)

    def _take_line(self, said: Line, number: int) -> None:
        _require(self.settled is not None, "a line of no settlement")
        _require(said.member not in self.lines, "a second line")
        _require(said.member in self.deliveries, "a line for a member that delivered nothing")
        _require(not self._void, "a line of a settlement that is void")
        _require_sorted(said.member, self.lines)
        _require(not self.acknowledged, "a line after statements were handed out")
        self.lines[said.member] = said
        self.purse.line(said.member, said.net, not self.deliveries[said.member].left)

    def _take_acknowledged(self, said: Acknowledged, number: int) -> None:
        _require(said.settlement == self.settlement, "a statement of another settlement")
        _require(said.member in self.lines, "a statement for nobody")
        _require(said.member not in self.acknowledged, "a statement acknowledged twice")
        self.acknowledged[said.member] = said

    def _take_handed(self, said: Handed, number: int) -> None:
        _require(said.settlement == self.settlement, "a model of another settlement")
        _require(said.member in self.owed, "a model for nobody that it is owed to")
        _require(self.owed[said.member] == "model", "a model that comes with a statement")
        self.handed[said.member] = said

    def _take_reversal(self, said: Reversal, number: int) -> None:
        _require(said.settlement == self.settlement, "a reversal of another settlement")
        _require(said.postings == self.reversed_postings(), "a reversal of other amounts")
        self.settlement, self.settled = None, None
        self.lines, self.acknowledged, self.handed = {}, {}, {}
        self.purse.reverse()

    def _take_payment(self, said: Payment, number: int) -> None:
        self.purse.take(said, number)  # whether it can be is for the `treasury`, of all seasons


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise LedgerError(otherwise)


def _require_sorted(member: str, before: dict[str, Any]) -> None:
    """Entries that are added together come in the order of the members' names."""
    last = next(reversed(before), "")
    _require(member > last, f"{member} after {last}, which is not the order of names")


def _nonce(said: Any) -> str:
    """A nonce in the one way it counts, however it was spelt: the draw is not open to spelling."""
    try:
        return bytes.fromhex(str(said)).hex()
    except ValueError:
        raise InputError("a nonce that is not in hexadecimal") from None


def secret_fits(record: SeasonState, seed: bytes) -> bool:
    """Whether this is the seed that the operator committed itself to."""
    return commitment(seed, "operator") == record.terms.seed_commitment
