"""Contracts: every figure by an independent computation, and promises that no settlement breaks."""

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedfact import InputError, Terms, settle
from fedfact.arrays import MOST_SAMPLES
from fedfact.federation.agreement.contract import (
    Contract,
    Enrolment,
    agreed_samples,
    contract_of,
    contracts_for,
    population_of,
    unfit,
)
from fedfact.federation.agreement.delivery import (
    Delivery,
    Rounds,
    billed_population,
    counted_and_billed,
    why_void,
)
from fedfact.federation.wire.canonical import decimal
from fedfact.mechanism import Population, Standing, billing_floor, least_admitted, rule_of

HASH = "ab" * 32
examples = settings(max_examples=200, deadline=None)


def enrolment(member, cost, capacity=None):
    return Enrolment(
        member=member, key=HASH, reported_cost=decimal(cost), capacity=capacity, nonce="cd" * 32
    )


def enrolled(*costs):
    names = "abcdefghijklmnopqrstuvwxyz"[: len(costs)]
    return {name: enrolment(name, cost) for name, cost in zip(names, costs, strict=True)}


def exact(number):
    """A float as the fraction that it prints as."""
    return Fraction(repr(float(number)))


def power(x, b):
    """x^b to 60 digits, and exactly for b = 1."""
    if b == 1:
        return x
    with localcontext() as context:
        context.prec = 60
        value = (Decimal(x.numerator) / Decimal(x.denominator)).ln() * Decimal(repr(float(b)))
        return Fraction(value.exp())


class Plain:
    """One member's curve in fractions, by the formulas of docs/theory.md."""

    def __init__(self, terms, cost, size, total_size):
        self.b, self.c, self.u = float(terms.exponent), exact(cost), size
        self.A, self.unit = exact(terms.error_scale), exact(terms.unit)
        self.reach = Fraction(total_size, size) if terms.rule == "shared" else Fraction(1)

    def error(self, x):
        """u·e(x)."""
        return self.u * self.A * power(1 / Fraction(x), self.b)

    def loss(self, m):
        """u·e(x(m)) + c·m."""
        return self.error(m * self.reach) + self.c * m

    def best(self, least, most):
        """The whole number between these with the least loss."""
        start = (self.u * self.b * float(self.A) / float(self.reach) ** self.b / float(self.c)) ** (
            1 / (1 + self.b)
        )
        near = range(int(start), int(start) + 2)
        return min({min(max(m, least, 1), most) for m in near}, key=self.loss)

    def fee(self, m, M):
        """In minor units, before rounding."""
        return (self.error(m * self.reach) - self.error(M)) / self.unit


money = st.builds(
    Terms,
    error_scale=st.floats(1.0, 1e6),
    exponent=st.sampled_from([1.0, 0.3, 0.5, 2.0]),
    unit=st.sampled_from([1.0, 0.01, 1e-6]),
    rule=st.sampled_from(["sandwich", "rebate", "shared"]),
    retention=st.sampled_from([0.0, 0.1, 1.0]),
    consistency=st.sampled_from([0.0, 1.0, 50.0]),
    minimum_samples=st.sampled_from([1, 2, 20]),
    escrow=st.none() | st.integers(1, 10**9),
)
sizes = st.sampled_from([1, 1, 2, 7, 40, 1000])


@examples
@given(
    money,
    st.floats(1e-6, 1e4),
    st.integers(0, 10**6),
    st.integers(1, 3000) | st.none(),
    sizes,
    st.integers(0, 60),
)
def test_every_figure_of_a_contract_is_that_of_the_theory(
    terms, cost, others, capacity, size, more_size
):
    if terms.rule == "sandwich":
        size, more_size = 1, 0
    U = size + 2 + (more_size if size > 1 else 0)
    said = enrolment("a", cost, capacity)
    assume(unfit(said, terms, size, U) is None)
    S = others + 2 * least_admitted(terms)
    contract = contract_of(said, terms, HASH, Standing(3, size, U), S)
    plain, floor = Plain(terms, cost, size, U), billing_floor(terms, size)

    m = contract.samples
    most = MOST_SAMPLES if capacity is None else capacity
    assert plain.loss(m) <= plain.loss(plain.best(1, most)) * (1 + Fraction(1, 10**12))
    assert (contract.size, contract.total_size, contract.capacity) == (size, U, capacity)
    assert (contract.others_samples, contract.members, contract.terms) == (S, 3, HASH)

    def rounded(fee):
        return math.floor(fee) if terms.rule == "sandwich" else math.ceil(fee)

    def is_fee(found, fee):  # its two errors are rounded to sub-units, from 40 digits
        near, inexact = Fraction(size, 2**19), (1 + abs(fee)) / 10**30
        if plain.b == 1:
            inexact = 0
        elif terms.rule == "sandwich":  # both are rounded up
            inexact += near
        return rounded(fee - inexact) <= found <= rounded(fee + near + inexact)

    assert is_fee(contract.fee, plain.fee(m, m + S))
    fewest = Plain(terms, cost, size, max(-(-U // 2), size + 2))  # what can be settled at least
    assert is_fee(contract.largest_fee, max(fewest.fee(floor, floor + S), 0))
    if terms.rule == "sandwich":
        assert contract.largest_charge == 0
    else:
        misfit = plain.loss(floor) - plain.loss(plain.best(floor, most))
        charge = exact(terms.consistency) * misfit / plain.unit
        assert math.ceil(charge - Fraction(1, 2**19)) <= contract.largest_charge
        assert contract.largest_charge <= math.ceil(charge)
    if terms.escrow is not None:
        assert contract.largest_fee <= terms.escrow
    # its own samples fit its report: there is no charge for them
    honest = contract.standing
    assert rule_of(terms).charge_for(cost, m, honest, terms) <= (terms.consistency > 1)


def test_who_joins_has_three_times_what_keeps_the_fee_in_escrow():
    def least(escrow, minimum=1, size=1, b=1.0):
        terms = Terms(
            error_scale=1000.0, exponent=b, unit=1.0, minimum_samples=minimum, escrow=escrow
        )
        return least_admitted(terms, size), billing_floor(terms, size)

    assert [least(None), least(None, 20)] == [(1, 1), (20, 7)]
    assert [least(1000), least(999), least(499)] == [(3, 1), (6, 2), (9, 3)]
    assert [least(500, 2), least(500, 7)] == [(6, 2), (7, 3)]
    assert [least(1000, size=5), least(500, b=0.5)] == [(15, 5), (12, 4)]


def test_a_member_with_too_little_data_pays_no_charge_for_that():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    members = enrolled(2.0, 1.0, 0.5) | {"d": enrolment("d", 0.5, capacity=60)}
    contracts = contracts_for(members, terms, HASH)
    assert {name: each.samples for name, each in contracts.items()} == {
        "a": 100, "b": 141, "c": 200, "d": 60,
    }  # fmt: skip
    assert [each.capacity for each in contracts.values()] == [None, None, None, 60]
    rule, few = rule_of(terms), contracts["d"].standing
    assert rule.charge_for(0.5, 60, few, terms) == 0 < rule.charge_for(0.5, 59, few, terms)
    assert 0 < contracts["d"].largest_charge < contracts["c"].largest_charge
    assert contracts["a"].others_samples == 401


def test_under_shared_the_more_take_part_the_less_is_agreed_and_sizes_count():
    terms = Terms(error_scale=20000.0, unit=0.01, rule="shared")
    alike = enrolled(2.0, 2.0, 2.0, 2.0)
    assert {each.samples for each in contracts_for(alike, terms, HASH).values()} == {50}
    del alike["d"]
    assert {each.samples for each in contracts_for(alike, terms, HASH).values()} == {58}
    sized = contracts_for(alike, terms, HASH, {"a": 4, "b": 4, "c": 8})
    assert {name: (each.samples, each.size, each.total_size) for name, each in sized.items()} == {
        "a": (100, 4, 16),  # √(u²·A/(c·U))
        "b": (100, 4, 16),
        "c": (200, 8, 16),
    }


def test_a_fee_is_the_same_to_one_member_and_to_all_whatever_sizes_others_have():
    """Here a fee in sub-units as fine as the largest size asks for would be a minor unit less."""
    terms = Terms(error_scale=3.0000001, unit=1.0)
    samples, size = np.array([1, 1_111_111, 2_222_222]), np.array([1, 1000, 1000])
    result = settle(Population(["a", "b", "c"], [1e-6] * 3, samples, size=size), terms)
    for k in range(3):
        standing = Standing(3, int(size[k]), int(size.sum()))
        fee = rule_of(terms).fee_for(int(samples[k]), int(samples.sum()), standing, terms)
        assert result.fee[k] == fee
    assert result.fee[0] == 4


@pytest.mark.parametrize(
    ("cost", "capacity", "why"),
    [
        (1e3, None, "its reported cost asks for 5 samples, .* admit members with 20 or more"),
        (1e99, None, "its reported cost asks for 1 samples, .* admit members with 20 or more"),
        (52.7, None, "its reported cost asks for 19 samples, .* admit members with 20 or more"),
        (1.0, 19, "it has 19 samples, .* admit members with 20 or more"),
        (1e3, 30, "its reported cost asks for 5 samples"),
        (1e-90, None, "do cost and error scale have the same unit"),
        (1e-90, 50, "do cost and error scale have the same unit"),
    ],
)
def test_a_report_that_no_contract_can_follow_is_unfit(cost, capacity, why):
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    assert re.search(why, unfit(enrolment("a", cost, capacity), terms, 1, 3))
    members = enrolled(1.0, 2.0, 3.0) | {"b": enrolment("b", cost, capacity)}
    with pytest.raises(InputError, match=why) as refusal:
        contracts_for(members, terms, HASH)
    assert refusal.value.index == 1


def test_limits_of_reports_are_fit():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    assert unfit(enrolment("a", 52.6), terms, 1, 3) is None  # 20 samples are best
    assert unfit(enrolment("a", 1.0, 20), terms, 1, 3) is None


def test_who_asks_for_more_samples_than_all_can_have_is_refused_and_nobody_else():
    """Its samples are no more than allowed, but beside them others' contracts could not be."""
    terms = Terms(error_scale=1.0, unit=1e-9)
    cheap = 1.0 / MOST_SAMPLES**2
    for place in range(4):
        costs = [1e-4, 1e-4, 1e-4]
        costs.insert(place, cheap)
        members = enrolled(*costs)
        assert all(unfit(each, terms, 1, 4) is None for each in members.values())
        with pytest.raises(InputError, match="too many beside others'") as refusal:
            contracts_for(members, terms, HASH)
        assert refusal.value.index == place


def test_who_may_owe_more_than_a_settlement_holds_is_refused_and_nobody_else():
    """Each charge would fit alone; what is to be paid in all would not."""
    terms = Terms(error_scale=1e12, unit=1.0, consistency=1e6)
    assert contract_of(enrolment("a", 9.0), terms, HASH, Standing(3), 5).largest_charge < 2**62
    with pytest.raises(InputError, match="'b': the most it may owe") as refusal:
        contracts_for(enrolled(1e11, 9.0, 1e11, 1e11), terms, HASH)
    assert refusal.value.index == 1


def test_terms_under_which_no_fees_fit_are_nobodys_fault():
    """K/least fits in an amount, three times that in a sum of them does not."""
    terms = Terms(error_scale=1e18, unit=1.0, rule="sandwich")
    with pytest.raises(InputError, match="want a larger unit") as refusal:
        contracts_for(enrolled(1.0, 1.0, 1.0), terms, HASH)
    assert refusal.value.index is None


@st.composite
def federations(draw):
    """Terms, contracts, and what each member is billed for, whoever delivers what and is there."""
    terms = draw(money)
    n = draw(st.integers(3, 9))
    members, size = {}, {}
    for k in range(n):
        cost = draw(st.floats(1e-6, 1e4) | st.sampled_from([1.0, 2.0]))
        said = enrolment(f"member{k}", cost, draw(st.none() | st.integers(1, 3000)))
        members[said.member] = said
        size[said.member] = 1 if terms.rule == "sandwich" else draw(sizes)
    while True:
        assume(len(members) >= 3)
        try:
            contracts = contracts_for(members, terms, HASH, size)
            break
        except InputError as error:
            assume(error.index is not None)
            del members[sorted(members)[error.index]]
    n = len(members)
    some = draw(
        st.lists(st.sampled_from(sorted(members)), min_size=3, max_size=n, unique=True).map(sorted)
    )
    delivered = []
    for member in some:
        agreed = contracts[member].samples
        used = draw(st.integers(1, agreed) | st.sampled_from([1, agreed]))
        rounds = Rounds(20, draw(st.sampled_from([20, 20, 3])))
        asked = draw(st.integers(1, rounds.held))
        how = {"delivered": used, "attended": draw(st.integers(1, asked)), "asked": asked}
        left = draw(st.booleans())
        counted, billed = counted_and_billed(contracts[member], terms, rounds, left=left, **how)
        delivered.append(
            Delivery(
                member=member,
                promised=agreed,
                counted=counted,
                billed=billed,
                last_round=1,
                left=left,
                **how,
            )
        )
    return terms, contracts, delivered, draw(st.integers(0, 2**256))


@examples
@given(federations())
def test_nothing_beyond_the_contracts_is_ever_asked_for(federation):
    """Whoever delivers what, and whoever never comes: it can be settled, and within promises."""
    terms, contracts, delivered, seed = federation
    promised = sum(each.largest_fee + each.largest_charge for each in contracts.values())
    if why_void(delivered, contracts, terms):
        there = sum(contracts[each.member].size for each in delivered)
        assert terms.rule == "shared"
        assert 2 * there < sum(each.size for each in contracts.values())
        return
    result = settle(billed_population(delivered, contracts), terms, seed)
    for k, each in enumerate(delivered):
        contract = contracts[each.member]
        assert each.billed <= each.counted <= contract.samples
        assert result.fee[k] <= contract.largest_fee
        assert result.charge[k] <= contract.largest_charge
        if terms.escrow is not None:
            assert result.fee[k] <= contract.largest_fee <= terms.escrow
        if each.billed == contract.samples and (
            terms.rule != "shared" or len(delivered) == len(contracts)
        ):
            assert result.fee[k] <= max(contract.fee, 0)
        if each.left:
            assert result.net[k] <= 0
    assert result.totals["fee"] + result.totals["charge"] <= promised
    assert result.surplus >= 0


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([1.0, 1e6, 1e12, 1e17]),
    st.sampled_from(["sandwich", "rebate", "shared"]),
    st.lists(st.floats(1e-80, 1e90), min_size=3, max_size=6),
    st.sampled_from([1.0, 1e6]),
    st.sampled_from([1.0, 0.05, 0.4]),
)
def test_contracts_are_refused_by_the_member_at_fault_or_can_be_settled(
    scale, rule, costs, kappa, b
):
    """However absurd the reports: turn away who is named, until contracts can be had."""
    terms = Terms(error_scale=scale, exponent=b, unit=1.0, rule=rule, consistency=kappa)
    members = enrolled(*costs)
    while len(members) >= 3:
        place, words = None, ""
        try:
            contracts = contracts_for(members, terms, HASH)
        except InputError as error:
            place, words = error.index, str(error)
            if place is not None:
                del members[sorted(members)[place]]
                continue
        if place is None and words:  # all alike: it is the terms that cannot be settled
            assert "the terms want a larger unit" in words
            break
        for billed in (1, None):
            population = population_of(members, terms, {})
            samples = population.samples if billed is None else np.ones_like(population.samples)
            result = settle(
                Population(population.agents, population.reported_cost, samples), terms, seed=1
            )
            assert 0 <= result.surplus < 2**62
            assert abs(result.net).max() < 2**62
        assert all(isinstance(each, Contract) for each in contracts.values())
        break


def test_contracts_do_not_depend_on_the_order_of_enrolment():
    terms = Terms(error_scale=20000.0, unit=0.01)
    members = enrolled(2.0, 1.0, 0.5, 1.5)
    backwards = dict(reversed(list(members.items())))
    assert contracts_for(members, terms, HASH) == contracts_for(backwards, terms, HASH)


def test_agreed_samples_are_whole_optima():
    terms = Terms(error_scale=1.0, unit=1e-9)
    assert agreed_samples(enrolment("a", 1.024e-7), terms, 1, 3) == 3125  # the paper's CIFAR-10
    assert agreed_samples(enrolment("a", 0.16), terms, 1, 3) == 3
    assert agreed_samples(enrolment("a", 0.16, 2), terms, 1, 3) == 2
