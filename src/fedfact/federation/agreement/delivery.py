"""What members attest in every round, and what they are billed for in the end.

- An attestation is signed by the member: from which model it started, on how many distinct samples
  it trains, how many of them it has used so far, and a digest of those (`training.site`).
- Delivered are the samples used according to the last attestation that the ledger has. That is
  what a member *says* its training code counted; the digest keeps it from changing its story.
- Counted is what was delivered or, where the operator ends the training early, as many as the
  member would have used at that pace, up to what it promised: `delivered·planned/held` of the
  rounds. That it could not use all of it is not its fault, nor is it billed for what it did not
  use.
- Billed is that part of what is counted for which the member was there: `counted·attended/asked`,
  of the rounds that it was asked for. The charge goes by what is counted: being away is no misfit.
- Neither is ever below the billing floor (`mechanism.billing`), so that one member's failure never
  blocks a settlement. Both are rounded down to whole samples, so that nothing is gained by parts
  of one; a member that keeps its word has used enough for all that it promised.
- A member has left if it said so, or has missed more rounds at the end than it may: `MAY_MISS`, or
  a third of all where that is less. So no single lost answer makes it one that left. A member that
  left pays its fee and no charge, and forfeits reward and rebate. One that never took part owes
  nothing and gets nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ...errors import InputError
from ...mechanism import Population, Terms, billing_floor, rule_of
from ..wire.canonical import number_of
from ..wire.document import Document, Hash, Name, SampleCount
from .contract import Contract, capacities_of, sizes_of

Round = Annotated[int, Field(ge=1, le=1_000_000)]

MAY_MISS = 2
"""So many rounds at the end may be missed, of three times as many or more."""


LEFT = "left"
"""Why a member is absent that said it leaves; it is not asked again."""

NOT_BEGUN = "not begun"
"""Why a member is absent that has never taken part and is not asked any more (`LAST_TO_BEGIN`)."""

LAST_TO_BEGIN = 3
"""The last round in which a member may take part for the first time. After that it is sent no more
models, since it would get them for nothing."""

NOT_ASKED = (LEFT, NOT_BEGUN)
"""Why a member is absent that was not asked for the round."""


class Attestation(Document):
    """What a member says with its model after a round."""

    round: Round
    start: Hash
    steps: Annotated[int, Field(ge=1, le=1_000_000)]
    samples: SampleCount
    used: SampleCount
    index: Hash


class Delivery(Document):
    """What one member promised and delivered in all, and in how many of the rounds it was asked for
    it took part."""

    member: Name
    promised: SampleCount
    delivered: SampleCount
    counted: SampleCount
    attended: Round
    asked: Round
    billed: SampleCount
    last_round: Round
    left: bool


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many rounds there were to be, and how many there were."""

    planned: int
    held: int


def may_miss(rounds: int) -> int:
    """So many answers may get lost, of so many rounds, before anybody makes something of it."""
    return min(MAY_MISS, rounds // 3)


def leaving(number: int) -> dict[str, int]:
    """What a member answers to this round instead, if it leaves."""
    return {"leaves": number}


def check_attestation(
    said: Attestation, contract: Contract, before: Attestation | None, number: int, start: str
) -> None:
    """Refuse an attestation that does not fit the round, the contract or the one before."""
    if said.round != number or said.start != start:
        raise InputError(f"an attestation of another round or model than those of round {number}")
    if not said.used <= said.samples <= contract.samples:
        raise InputError("an attestation of more samples than were agreed")
    if before is None:
        return
    if said.used < before.used or said.round <= before.round:
        raise InputError("an attestation of fewer samples than were used before")
    if said.used == before.used and said.index != before.index:
        raise InputError("an attestation of other samples than those used before")


def counted_and_billed(
    contract: Contract,
    terms: Terms,
    rounds: Rounds,
    *,
    delivered: int,
    attended: int,
    asked: int,
    left: bool,
) -> tuple[int, int]:
    """By what a member is charged, and for what it is billed. Pace counts for those that stayed."""
    floor = billing_floor(terms, contract.size)
    planned, held = (1, 1) if left else (rounds.planned, rounds.held)
    counted = min(contract.samples * held, delivered * planned)  # times the rounds held
    billed = counted * attended // (held * asked)
    return max(counted // held, floor), max(billed, floor)


def deliveries(
    contracts: Mapping[str, Contract],
    attested: Mapping[str, Attestation],
    attended: Mapping[str, int],
    asked: Mapping[str, int],
    rounds: Rounds,
    terms: Terms,
    gone: Collection[str] = (),
) -> list[Delivery]:
    """What each member delivered, by its last attestation; members that never took part are not
    among them. ``attended``, ``asked``: rounds by member; ``gone``: who said that they leave."""
    found = []
    for member, said in sorted(attested.items()):
        contract = contracts[member]
        left = member in gone or rounds.held - said.round > may_miss(rounds.held)
        counted, billed = counted_and_billed(
            contract,
            terms,
            rounds,
            delivered=said.used,
            attended=attended[member],
            asked=asked[member],
            left=left,
        )
        found.append(
            Delivery(
                member=member,
                promised=contract.samples,
                delivered=said.used,
                counted=counted,
                attended=attended[member],
                asked=asked[member],
                billed=billed,
                last_round=said.round,
                left=left,
            )
        )
    return found


Void = Literal["too few", "too little size"]
"""Why nothing can be settled, as ledgers say it; `void_in_words` tells people."""


def why_void(
    delivered: Collection[Delivery], contracts: Mapping[str, Contract], terms: Terms
) -> Void | None:
    """Why nothing can be settled, where nothing can."""
    if len(delivered) < 3:
        return "too few"
    size, signed = _size(delivered, contracts), sum(each.size for each in contracts.values())
    return "too little size" if rule_of(terms).is_void(size, signed) else None


def void_in_words(
    why: Void, delivered: Collection[Delivery], contracts: Mapping[str, Contract], terms: Terms
) -> str:
    """The same for people to read."""
    if why == "too few":
        return "fewer than three members delivered anything; no money moves"
    size, signed = _size(delivered, contracts), sum(each.size for each in contracts.values())
    return (
        f"those who delivered have {size:,} of the size of {signed:,} that signed, too little "
        f"to settle by the {rule_of(terms).name} rule; no money moves"
    )


def billed_population(
    delivered: Collection[Delivery], contracts: Mapping[str, Contract]
) -> Population:
    """The members to settle, three or more."""
    agreed = [contracts[each.member] for each in delivered]
    return Population(
        [each.member for each in delivered],
        np.array([number_of(contract.reported_cost) for contract in agreed]),
        np.array([each.billed for each in delivered]),
        counted=np.array([each.counted for each in delivered]),
        capacity=capacities_of([contract.capacity for contract in agreed]),
        left=np.array([each.left for each in delivered]),
        size=sizes_of([contract.size for contract in agreed]),
        signed_size=sum(each.size for each in contracts.values()),
    )


def _size(delivered: Collection[Delivery], contracts: Mapping[str, Contract]) -> int:
    return sum(contracts[each.member].size for each in delivered)
