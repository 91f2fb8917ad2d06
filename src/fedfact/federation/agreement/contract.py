"""Contracts: what an agent reported, what follows from it under the terms, and who signed it.

Nothing in a contract is open to bargaining: from the terms and the reports every figure can be
worked out, by the operator that offers it, by the agent before it signs, and by an auditor.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

import numpy as np
from pydantic import Field

from ...arrays import MOST_SAMPLES
from ...errors import InputError
from ...mechanism import (
    Population,
    Terms,
    effective_fee,
    local_optimum,
    penalty_slope,
    penalty_weight,
    rule_of,
    settle,
    whole_local_optimum,
)
from ...mechanism.exact import MOST_MONEY, as_fraction, floor_difference
from ...mechanism.fees import misfit
from ..wire.canonical import canonical, decimal, digest, number_of
from ..wire.document import Cost, Decimal, Document, Hash, Money, Name, Samples


class Enrolment(Document):
    """What an agent says when it enrols. Only the operator and an auditor see it.

    ``capacity`` is given by agents that have fewer samples than their report asks for; ``nonce``
    is the commitment to the agent's part of the draw (`draw`).
    """

    agent: Name
    key: Hash
    reported_cost: Cost
    capacity: Samples | None
    nonce: Hash


class Contract(Document):
    """One agent's contract.

    Attributes:
        samples: agreed: m*(c) in whole samples, or all the agent has (``capped``).
        others_samples: S, the agreed samples of all others together.
        optimum, weight, slope, at_optimum: the penalty curve (Eq. 8): m*, λ, g, and the penalty
            (2−α)/2·B(m*) at m*, in the unit of the costs.
        fee: B for the agreed samples, if all others keep their word, in minor units.
        largest_fee, largest_charge: the most that can be asked for, whoever delivers what.
    """

    terms: Hash
    agent: Name
    key: Hash
    agents: Annotated[int, Field(ge=3)]
    reported_cost: Cost
    samples: Samples
    capped: bool
    others_samples: Samples
    optimum: Decimal
    weight: Decimal
    slope: Decimal
    at_optimum: Decimal
    fee: Money
    largest_fee: Money
    largest_charge: Money
    nonce: Hash


def least_billed(terms: Terms) -> int:
    """The fewest samples anybody is billed for: the minimum, or what keeps the fee in escrow."""
    if terms.escrow is None:
        return terms.minimum_samples
    return max(terms.minimum_samples, -int(-terms.error_scale_in_units // terms.escrow))


def agreed_samples(enrolment: Enrolment, terms: Terms) -> int:
    """m*(c) in whole samples (Thm 1), or all that the agent has."""
    scale = float(terms.required_error_scale)
    wanted = int(whole_local_optimum(number_of(enrolment.reported_cost), scale))
    return wanted if enrolment.capacity is None else min(wanted, enrolment.capacity)


def unfit(enrolment: Enrolment, terms: Terms) -> str | None:
    """Why an enrolment cannot be taken, for its sender to read."""
    least, cost = least_billed(terms), as_fraction(number_of(enrolment.reported_cost))
    if terms.required_error_scale < cost * least**2:
        return f"the reported cost asks for fewer than the {least} samples the terms want at least"
    try:
        fits = agreed_samples(enrolment, terms) >= least
    except InputError as error:  # it asks for more samples than anybody can have
        return str(error)
    return None if fits else f"the terms want at least {least} samples"


def population_of(enrolments: Mapping[str, Enrolment], terms: Terms) -> Population:
    """The agents as they would be settled if all keep their word."""
    agents = sorted(enrolments)
    scale = float(terms.required_error_scale)
    cost = np.array([number_of(enrolments[agent].reported_cost) for agent in agents])
    samples = np.array([agreed_samples(enrolments[agent], terms) for agent in agents])
    return Population(agents, cost, samples, capped=samples < whole_local_optimum(cost, scale))


def contract_of(
    enrolment: Enrolment, terms: Terms, terms_hash: str, agents: int, others_samples: int
) -> Contract:
    """The contract that follows from a report, for one of so many agents, with S of the others."""
    scale, alpha, K = float(terms.required_error_scale), float(terms.alpha), _units(terms)
    c, m, S = number_of(enrolment.reported_cost), agreed_samples(enrolment, terms), others_samples
    optimum, least = float(local_optimum(c, scale)), least_billed(terms)
    capped = m < int(whole_local_optimum(c, scale))
    return Contract(
        terms=terms_hash,
        agent=enrolment.agent,
        key=enrolment.key,
        agents=agents,
        reported_cost=enrolment.reported_cost,
        samples=m,
        capped=capped,
        others_samples=S,
        optimum=decimal(optimum),
        weight=decimal(float(penalty_weight(c, S, scale, alpha))),
        slope=decimal(float(penalty_slope(c, S, scale))),
        at_optimum=decimal((2 - alpha) / 2 * float(effective_fee(optimum, S, scale))),
        fee=int(floor_difference(K, np.array([m]), m + S)[0]),
        largest_fee=int(K // least),
        largest_charge=0 if capped else rule_of(terms).charge_for(c, least, terms),
        nonce=enrolment.nonce,
    )


def contracts_for(
    enrolments: Mapping[str, Enrolment], terms: Terms, terms_hash: str
) -> dict[str, Contract]:
    """A contract for each of these agents, such that any deliveries can be settled.

    An agent whose amounts no settlement could hold is refused by its ``index`` in the alphabet.
    """
    population = population_of(enrolments, terms)
    settle(population, terms, seed=0)
    population.refuse(
        (population.samples == population.samples.max()) & (population.total > MOST_SAMPLES),
        lambda k: f"its report asks for {population.samples[k]:,} samples, too many beside others'",
    )
    contracts = {}
    for k, agent in enumerate(population.agents):
        S = population.total - int(population.samples[k])
        try:
            contract = contract_of(enrolments[agent], terms, terms_hash, len(population), S)
        except ValueError as error:
            raise InputError(f"agent {agent!r}: {error}", k) from None
        contracts[agent] = contract
    owed = [contract.largest_fee + contract.largest_charge for contract in contracts.values()]
    if sum(owed) >= MOST_MONEY // 2:
        k = int(np.argmax(owed))
        raise InputError(
            f"agent {population.agents[k]!r}: the most it may owe, {owed[k]:,} minor units, is too "
            f"much beside what others may; the terms want a larger unit than {terms.unit}",
            k if owed[k] > min(owed) else None,
        )
    return contracts


def roster_hash(contracts: Mapping[str, Contract]) -> str:
    """One hash of all contracts."""
    return digest(canonical({agent: contract.hash() for agent, contract in contracts.items()}))


def declining(why: str) -> dict[str, str]:
    """What an agent answers that does not sign."""
    return {"declines": why}


def _units(terms: Terms) -> Fraction:
    """K = A/unit, refused where an amount would not fit."""
    if reason := misfit(least_billed(terms), terms):
        raise InputError(reason)
    return terms.error_scale_in_units
