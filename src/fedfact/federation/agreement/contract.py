"""Contracts: what a member reported, what follows from it under the terms, and who signed it.

Nothing in a contract is open to bargaining: from the terms, the reports and the members' sizes
every figure can be worked out, by the operator that offers it, by the member before it signs, and
by an auditor.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from ...arrays import MOST_SAMPLES, Ints
from ...errors import InputError
from ...mechanism import (
    Population,
    Rule,
    Standing,
    Terms,
    billing_floor,
    least_admitted,
    rule_of,
    settle,
    whole_local_optimum,
)
from ...mechanism.exact import MOST_MONEY
from ...mechanism.fees import largest_fee
from ...mechanism.population import MOST_SIZE, MOST_SIZE_IN_ALL
from ..wire.canonical import canonical, digest, number_of
from ..wire.document import Cost, Document, Hash, Money, Name, SampleCount

Size = Annotated[int, Field(ge=1, le=MOST_SIZE)]


class Enrolment(Document):
    """What a member says when it enrols. Only the operator and an auditor see it.

    ``capacity`` is given by members that have fewer samples than their report may ask for;
    ``nonce`` is the commitment to the member's part of the draw (`draw`).
    """

    member: Name
    key: Hash
    reported_cost: Cost
    capacity: SampleCount | None
    nonce: Hash


class Contract(Document):
    """One member's contract.

    Attributes:
        size, total_size: u, verified by the operator, and U of all that sign; where members have no
            sizes, 1 and their number.
        samples: agreed: what the rule makes best for the report, in whole samples, or all that the
            member has.
        capacity: the most samples that the member can use, if it said so.
        others_samples: S, the agreed samples of all others together.
        fee: for the agreed samples, if all others keep their word, in minor units; below 0 the
            member is paid.
        largest_fee, largest_charge: the most that can be asked for, whoever delivers what.
    """

    terms: Hash
    member: Name
    key: Hash
    members: Annotated[int, Field(ge=3)]
    size: Size
    total_size: Annotated[int, Field(ge=3, le=MOST_SIZE_IN_ALL)]
    reported_cost: Cost
    capacity: SampleCount | None
    samples: SampleCount
    others_samples: SampleCount
    fee: Money
    largest_fee: Money
    largest_charge: Money
    nonce: Hash

    @property
    def standing(self) -> Standing:
        """What the member is beside all that signed."""
        return Standing(self.members, self.size, self.total_size, self.capacity)


def wanted_samples(reported_cost: float, terms: Terms, size: int, total_size: int) -> int:
    """The whole samples that are best under the rule for a member of this size and cost."""
    own = rule_of(terms).own_curve(terms.curve, size, total_size)
    return int(whole_local_optimum(reported_cost, own))


def agreed_samples(enrolment: Enrolment, terms: Terms, size: int, total_size: int) -> int:
    """The same, or all that the member has."""
    wanted = wanted_samples(number_of(enrolment.reported_cost), terms, size, total_size)
    return wanted if enrolment.capacity is None else min(wanted, enrolment.capacity)


def unfit(enrolment: Enrolment, terms: Terms, size: int, total_size: int) -> str | None:
    """Why an enrolment cannot be taken beside the others, for its sender to read."""
    least, has = least_admitted(terms, size), enrolment.capacity
    try:
        agreed = agreed_samples(enrolment, terms, size, total_size)
    except InputError as error:  # it asks for more samples than anybody can have
        return str(error)
    if agreed >= least:
        return None
    if has is not None and has < least:
        return f"it has {has:,} samples, and the terms admit members with {least:,} or more"
    return (
        f"its reported cost asks for {agreed:,} samples, and the terms admit members with "
        f"{least:,} or more"
    )


def sizes_of(sizes: list[int]) -> Ints | None:
    """Sizes as a population has them; none where all are alike, 1."""
    return None if max(sizes) == 1 else np.array(sizes)


def capacities_of(capacities: list[int | None]) -> Ints | None:
    """Capacities as a population has them; none where nobody gave one."""
    if not any(capacities):
        return None
    return np.array([MOST_SAMPLES if each is None else each for each in capacities])


def population_of(
    enrolments: Mapping[str, Enrolment], terms: Terms, sizes: Mapping[str, int]
) -> Population:
    """The members as they would be settled if all keep their word."""
    members = sorted(enrolments)
    said = [enrolments[member] for member in members]
    size = [sizes.get(member, 1) for member in members]
    total, samples = sum(size), []
    for k, each in enumerate(said):
        if why := unfit(each, terms, size[k], total):
            raise InputError(why, k)
        samples.append(agreed_samples(each, terms, size[k], total))
    return Population(
        members,
        np.array([number_of(each.reported_cost) for each in said]),
        np.array(samples),
        capacity=capacities_of([each.capacity for each in said]),
        size=sizes_of(size),
    )


def with_the_least(standing: Standing, rule: Rule) -> Standing:
    """The same member where as little size is settled as may be: it and two others at least."""
    least = max(rule.least_total_size(standing.all_sizes), standing.size + 2)
    return replace(standing, total_size=least)


def contract_of(
    enrolment: Enrolment,
    terms: Terms,
    terms_hash: str,
    among: Standing,
    others_samples: int,
) -> Contract:
    """The contract that follows from a report, for a member ``among`` all that sign.

    The fee is the largest for the fewest samples that are billed, where the others deliver all that
    they agreed to, from as little size as can be settled; the charge where those samples fit worst.
    """
    rule, cost, S = rule_of(terms), number_of(enrolment.reported_cost), others_samples
    signed = replace(among, capacity=enrolment.capacity)
    u, U = signed.size, signed.all_sizes
    m, least = agreed_samples(enrolment, terms, u, U), billing_floor(terms, u)
    largest_fee(least, terms, u)  # refuses what might not fit
    return Contract(
        terms=terms_hash,
        member=enrolment.member,
        key=enrolment.key,
        members=signed.agents,
        size=u,
        total_size=U,
        reported_cost=enrolment.reported_cost,
        capacity=enrolment.capacity,
        samples=m,
        others_samples=S,
        fee=rule.fee_for(m, m + S, signed, terms),
        largest_fee=max(0, rule.fee_for(least, least + S, with_the_least(signed, rule), terms)),
        largest_charge=rule.charge_for(cost, least, signed, terms),
        nonce=enrolment.nonce,
    )


def contracts_for(
    enrolments: Mapping[str, Enrolment],
    terms: Terms,
    terms_hash: str,
    sizes: Mapping[str, int] | None = None,
) -> dict[str, Contract]:
    """A contract for each of these members, such that any deliveries can be settled.

    A member whose report cannot be taken, or whose amounts no settlement could hold, is refused by
    its ``index`` in the alphabet. ``sizes``: of the members that have one; else 1.
    """
    population = population_of(enrolments, terms, sizes or {})
    settle(population, terms, seed=0)
    population.refuse(
        (population.samples == population.samples.max()) & (population.total > MOST_SAMPLES),
        lambda k: f"its report asks for {population.samples[k]:,} samples, too many beside others'",
    )
    contracts, U = {}, population.total_size
    for k, member in enumerate(population.agents):
        S, u = population.total - int(population.samples[k]), (sizes or {}).get(member, 1)
        among = Standing(len(population), u, U)
        try:
            contract = contract_of(enrolments[member], terms, terms_hash, among, S)
        except ValueError as error:
            raise InputError(f"member {member!r}: {error}", k) from None
        contracts[member] = contract
    _check_sums(list(contracts.values()), terms)
    return contracts


def _check_sums(contracts: list[Contract], terms: Terms) -> None:
    """Refuse what might not fit in a sum of amounts, whoever delivers how little."""
    owed = [
        largest_fee(billing_floor(terms, each.size), terms, each.size) + each.largest_charge
        for each in contracts
    ]
    if sum(owed) < MOST_MONEY // 2:
        return
    k = int(np.argmax(owed))
    raise InputError(
        f"member {contracts[k].member!r}: the most it may owe, {owed[k]:,} minor units, is too "
        f"much beside what others may; the terms want a larger unit than {terms.unit}",
        k if owed[k] > min(owed) else None,
    )


def roster_hash(contracts: Mapping[str, Contract]) -> str:
    """One hash of all contracts."""
    return digest(canonical({member: contract.hash() for member, contract in contracts.items()}))


def declining(why: str) -> dict[str, str]:
    """What a member answers that does not sign."""
    return {"declines": why}
