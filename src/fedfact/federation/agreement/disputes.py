"""Disputes: who decides them, what that person signs, and what its decision changes.

The terms may name an arbiter by its public key. It decides about one member's dispute, by the
ledger that it was shown: what it signs names the entry of the dispute by its hash, and with it all
entries before. Where it finds counts that are wrong, it says which are right; what follows from
these is worked out as ever (`delivery`).
"""

from collections.abc import Collection
from typing import Annotated, Literal, Self

from pydantic import Field

from ...errors import InputError
from ...mechanism import Terms
from ..wire.canonical import canonical
from ..wire.document import Document, Hash, Name, SampleCount, Signature, Stored, Words
from ..wire.keys import Key, is_signed
from .contract import Contract
from .delivery import Delivery, Round, Rounds, counted_and_billed, may_miss

DECISION = "decision"

EntryNumber = Annotated[int, Field(ge=0)]
"""The number of an entry."""


class Arbitration(Document):
    """Who decides disputes, if anybody, and in how many days the operator is to answer one."""

    arbiter: Hash | None = None
    answer_days: Annotated[int, Field(ge=1, le=365)] = 14


class Counts(Document):
    """What a member really did: distinct samples used, rounds it took part in, the last of them."""

    delivered: SampleCount
    attended: Round
    last_round: Round


class Decision(Document):
    """What the arbiter decided about a member's dispute of a settlement.

    Attributes:
        dispute: the hash of the entry with the member's answer.
        corrected: where the settlement is reversed, the counts that were wrong, by member.
        says: why, in the arbiter's words.
    """

    terms: Hash
    settlement: EntryNumber
    dispute: Hash
    member: Name
    outcome: Literal["stands", "reversed"]
    corrected: dict[Name, Counts]
    says: Words
    signature: Signature

    @classmethod
    def signed(
        cls,
        key: Key,
        *,
        terms: str,
        settlement: int,
        dispute: str,
        member: str,
        outcome: Literal["stands", "reversed"],
        corrected: dict[str, Counts],
        says: str,
    ) -> Self:
        """The decision with the signature of the arbiter whose key this is."""
        blank = cls(
            terms=terms,
            settlement=settlement,
            dispute=dispute,
            member=member,
            outcome=outcome,
            corrected=corrected,
            says=says,
            signature="0" * 128,
        )
        return blank.model_copy(update={"signature": key.sign(DECISION, blank.signed_part())})

    def signed_part(self) -> bytes:
        """What the arbiter signs: all of it but the signature."""
        return canonical({name: v for name, v in self.dump().items() if name != "signature"})

    def is_by(self, public: str) -> bool:
        """Whether the owner of this public key decided so."""
        return is_signed(public, DECISION, self.signed_part(), self.signature)

    @property
    def concerns(self) -> frozenset[str]:
        """The members that may read it: who disputed, and whose counts it corrects."""
        return frozenset({self.member, *self.corrected})


class DecisionFile(Stored):
    """A decision as the arbiter hands it to the operator."""

    decision: Decision


def corrected_delivery(
    delivery: Delivery,
    counts: Counts,
    contract: Contract,
    terms: Terms,
    rounds: Rounds,
    gone: Collection[str],
) -> Delivery:
    """The delivery that follows from corrected counts; ``gone``: who said that they leave.

    Counts that no training could lead to are refused.
    """
    member = delivery.member
    if counts.delivered > contract.samples:
        raise InputError(
            f"{member} cannot have delivered {counts.delivered:,} samples; {contract.samples:,} "
            "were agreed"
        )
    if not counts.attended <= min(counts.last_round, delivery.asked):
        raise InputError(
            f"{member} cannot have taken part in {counts.attended} rounds until round "
            f"{counts.last_round}; it was asked for {delivery.asked}"
        )
    if counts.last_round > rounds.held:
        raise InputError(f"there was no round {counts.last_round}; {rounds.held} were held")
    left = member in gone or rounds.held - counts.last_round > may_miss(rounds.held)
    counted, billed = counted_and_billed(
        contract,
        terms,
        rounds,
        delivered=counts.delivered,
        attended=counts.attended,
        asked=delivery.asked,
        left=left,
    )
    return Delivery(
        member=member,
        promised=delivery.promised,
        delivered=counts.delivered,
        counted=counted,
        attended=counts.attended,
        asked=delivery.asked,
        billed=billed,
        last_round=counts.last_round,
        left=left,
    )
