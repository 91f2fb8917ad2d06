"""What agents attest in every round, and what they are billed for in the end.

- An attestation is signed by the agent: from which model it started, on how many distinct samples
  it trains, how many of them it has used so far, and a digest of those (`training.site`).
- Delivered are the samples used according to the last attestation that the ledger has. That is
  what an agent *says* its training code counted; the digest keeps it from changing its story.
- Billed is what was delivered, but never less than the terms' minimum nor so few that the fee would
  exceed the escrow (`contract.least_billed`): so one agent's failure never blocks a settlement.
- Where the operator ends the training early, members that are still there are billed for what they
  agreed to: that they could not use all of it is not their fault.
- An agent has left if it said so, or has missed more rounds at the end than it may: `MAY_MISS`, or
  a third of all where that is less. So no single lost answer makes it one that left. A member that
  left pays its fee and no charge, and forfeits reward and rebate. One that never took part owes
  nothing and gets nothing.
"""

from collections.abc import Collection, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from ...errors import InputError
from ...mechanism import Population, Terms
from ..wire.canonical import number_of
from ..wire.document import Document, Hash, Name, Samples
from .contract import Contract, least_billed

Round = Annotated[int, Field(ge=1, le=1_000_000)]

MAY_MISS = 2
"""So many rounds at the end may be missed, of three times as many or more."""


LEFT = "left"
"""Why an agent is absent that said it leaves; it is not asked again."""


class Attestation(Document):
    """What an agent says with its model after a round."""

    round: Round
    start: Hash
    steps: Annotated[int, Field(ge=1, le=1_000_000)]
    samples: Samples
    used: Samples
    index: Hash


class Delivery(Document):
    """What one agent promised and delivered in all."""

    agent: Name
    promised: Samples
    delivered: Samples
    billed: Samples
    last_round: Round
    left: bool


def leaving(number: int) -> dict[str, int]:
    """What an agent answers to this round instead, if it leaves."""
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


def deliveries(
    contracts: Mapping[str, Contract],
    attested: Mapping[str, Attestation],
    last_round: int,
    planned: int,
    terms: Terms,
    gone: Collection[str] = (),
) -> list[Delivery]:
    """What each agent delivered, by its last attestation; agents that never took part are not
    among them. ``gone``: agents that said they leave."""
    least, may_miss = least_billed(terms), min(MAY_MISS, last_round // 3)
    found = []
    for agent, said in sorted(attested.items()):
        promised = contracts[agent].samples
        left = agent in gone or last_round - said.round > may_miss
        ended_early = last_round < planned and not left
        found.append(
            Delivery(
                agent=agent,
                promised=promised,
                delivered=said.used,
                billed=promised if ended_early else max(said.used, least),
                last_round=said.round,
                left=left,
            )
        )
    return found


def billed_population(
    delivered: Collection[Delivery], contracts: Mapping[str, Contract]
) -> Population | None:
    """The agents to settle; None where they are fewer than three, and nothing can be settled."""
    if len(delivered) < 3:
        return None
    agreed = [contracts[each.agent] for each in delivered]
    return Population(
        [each.agent for each in delivered],
        np.array([number_of(contract.reported_cost) for contract in agreed]),
        np.array([each.billed for each in delivered]),
        capped=np.array([contract.capped for contract in agreed]),
        left=np.array([each.left for each in delivered]),
    )
