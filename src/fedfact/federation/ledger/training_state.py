"""What a ledger says of a season so far, as far as the draw: everything that money follows from.

Who enrolled and signed, what each round said, what everybody delivered, the nonces and the seed.
`SeasonState` goes on from there.
"""

from collections import Counter
from typing import Any

from ...errors import InputError, LedgerError
from ...mechanism import Terms
from ..agreement.contract import Contract, Enrolment
from ..agreement.delivery import NOT_ASKED, Attestation, Delivery, Rounds, deliveries
from ..agreement.draw import commitment, draw_seed
from .entries import (
    Agreed,
    Declined,
    Enrolled,
    Leaves,
    Nonces,
    Revealed,
    Roster,
    RoundDone,
    SeasonOpened,
)
from .member_keys import MemberKeys
from .purse import Purse


class TrainingState:
    """The state of a season up to its draw."""

    def __init__(self, opened: SeasonOpened, keys: MemberKeys) -> None:
        self.terms = opened.terms.checked()
        self.federation = opened.terms.hash()  # names the season; every message of it says so
        self.sizes = opened.members  # of all who are invited, as the operator verified them
        self.keys = keys  # of members, over all seasons
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
        self.purse = Purse(self.terms.payment)

    @property
    def number(self) -> int:
        """Which season it is."""
        return self.terms.season

    @property
    def money(self) -> Terms:
        """The terms of the settlement."""
        return self.terms.terms()

    @property
    def rounds_so_far(self) -> Rounds:
        """How many rounds there were to be, and how many there were."""
        return Rounds(self.terms.plan().rounds, len(self.rounds))

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
        presence = self.attested, self.attended, self.asked, self.rounds_so_far
        return deliveries(self.contracts, *presence, self.money, self.gone)

    def _take_enrolment(self, said: Enrolled, number: int) -> None:
        require(said.member in self.sizes, "an enrolment of nobody that was invited")
        require(self.roster is None, "an enrolment after the roster was closed")
        require(not self.contracts, "an enrolment after contracts were signed")
        require(said.member not in self.enrolments, "a second enrolment")
        require(said.member not in self.declined, "an enrolment of a member that declined before")
        enrolment = Enrolment.take(said.said.read_head().content)
        require(enrolment.member == said.member, "an enrolment under another name")
        key = self.keys.at(said.member, number)
        require(enrolment.key == key, "an enrolment with another key")
        require(not self.keys.is_void(key, self.number), "an enrolment with a key that is void")
        self.enrolments[said.member] = self.reports[said.member] = enrolment

    def _take_declined(self, said: Declined, number: int) -> None:
        require(self.roster is None, "somebody declines after the roster was closed")
        require(said.member not in self.declined, "somebody declines twice")
        require(said.member not in self.contracts, "somebody declines who signed a contract")
        self.enrolments.pop(said.member, None)
        self.declined[said.member] = said

    def _take_contract(self, said: Agreed, number: int) -> None:
        member = said.contract.member
        require(self.roster is None, "a contract after the roster was closed")
        require(member in self.enrolments, "a contract with a member that did not enrol")
        require(member not in self.contracts, "a second contract")
        require_sorted(member, self.contracts)
        self.contracts[member] = said.contract
        self.purse.contracted(member, self.terms.payment.deposit_of(said.contract))

    def _take_roster(self, said: Roster, number: int) -> None:
        require(self.roster is None, "a second roster")
        require(self.contracts.keys() == self.enrolments.keys(), "a roster without all contracts")
        self.roster = said

    def _take_nonces(self, said: Nonces, number: int) -> None:
        require(self.roster is not None, "nonces before the roster was closed")
        require(self.deliveries.keys() == self.attested.keys(), "nonces before all deliveries")
        require(self.nonces is None, "nonces opened twice")
        named = [*said.opened, *said.withheld]
        require(sorted(named) == sorted(self.contracts), "nonces of others than the roster")
        self.nonces = said

    def _take_leaves(self, said: Leaves, number: int) -> None:
        require(self.roster is not None, "somebody leaves before the roster was closed")
        require(not self.deliveries, "somebody leaves after the deliveries")
        require(self.nonces is None, "somebody leaves after the nonces were opened")
        require(said.member in self.contracts, "somebody leaves who has no contract")
        require(said.member not in self.gone, "somebody leaves twice")
        require(said.round == len(self.rounds) + 1, f"leaving in round {said.round} out of order")
        self.gone.add(said.member)

    def _take_round(self, said: RoundDone, number: int) -> None:
        require(self.roster is not None, "a round before the roster was closed")
        require(not self.deliveries, "a round after the deliveries")
        require(self.nonces is None, "a round after the nonces were opened")
        require(said.round == len(self.rounds) + 1, f"round {said.round} out of order")
        require(bool(self.rounds) or not self.purse.lacking(), "a round before all deposits")
        named = [*said.attested, *said.absent]
        require(sorted(named) == sorted(self.contracts), "a round of others than the roster")
        for member, evidence in said.attested.items():
            self.attested[member] = Attestation.take(evidence.read_head().content)
        self.attended.update(said.attested.keys())
        self.asked.update(said.attested.keys())
        self.asked.update(each for each, why in said.absent.items() if why not in NOT_ASKED)
        self.rounds.append(said)

    def _take_delivery(self, said: Delivery, number: int) -> None:
        require(self.nonces is None, "a delivery after the nonces were opened")
        require(said.member in self.attested, "a delivery of a member that never took part")
        require(said.member not in self.deliveries, "a second delivery")
        require_sorted(said.member, self.deliveries)
        self.deliveries[said.member] = said

    def _take_reveal(self, said: Revealed, number: int) -> None:
        require(self.nonces is not None, "the seed revealed before the nonces")
        require(self.revealed is None, "the seed revealed twice")
        self.revealed = said


def require(holds: bool, otherwise: str) -> None:
    """Refuse an entry that cannot come now."""
    if not holds:
        raise LedgerError(otherwise)


def require_sorted(member: str, before: dict[str, Any]) -> None:
    """Entries that are added together come in the order of the members' names."""
    last = next(reversed(before), "")
    require(member > last, f"{member} after {last}, which is not the order of names")


def _nonce(said: Any) -> str:
    """A nonce in the one way it counts, however it was spelt: the draw is not open to spelling."""
    try:
        return bytes.fromhex(str(said)).hex()
    except ValueError:
        raise InputError("a nonce that is not in hexadecimal") from None


def secret_fits(record: TrainingState, seed: bytes) -> bool:
    """Whether this is the seed that the operator committed itself to."""
    return commitment(seed, "operator") == record.terms.seed_commitment
