"""Contracts: every figure by an independent computation, and promises that no settlement breaks."""

import math
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
    least_billed,
    population_of,
    unfit,
)
from fedfact.federation.agreement.delivery import Delivery, billed_population
from fedfact.federation.wire.canonical import decimal

HASH = "ab" * 32
examples = settings(max_examples=200, deadline=None)


def enrolment(agent, cost, capacity=None):
    return Enrolment(
        agent=agent, key=HASH, reported_cost=decimal(cost), capacity=capacity, nonce="cd" * 32
    )


def enrolled(*costs):
    names = "abcdefghijklmnopqrstuvwxyz"[: len(costs)]
    return {name: enrolment(name, cost) for name, cost in zip(names, costs, strict=True)}


def exact(number):
    """A float as the fraction that it prints as."""
    return Fraction(repr(float(number)))


def root(x, digits=60):
    """√x to many digits."""
    with localcontext() as context:
        context.prec = digits
        return (Decimal(x.numerator) / Decimal(x.denominator)).sqrt()


def whole_optimum(A, c):
    """The whole number with the least A/m + c·m, and of two equal ones the larger, by search."""
    m = max(1, int(root(A / c)) - 2)
    while A / (m + 1) + c * (m + 1) <= A / m + c * m:
        m += 1
    return m


def plain_charge(A, unit, kappa, c, m):
    """The largest whole q with q ≤ κ(√(A/m) − √(c·m))²/unit = X − Y, where Y² is a fraction."""
    X, square = kappa / unit * (A / m + c * m), 4 * (kappa / unit) ** 2 * A * c
    q = math.floor(X - Fraction(str(root(square)))) + 2 if square else math.floor(X)
    while (X - q) < 0 or (X - q) ** 2 < square:
        q -= 1
    return q


money = st.builds(
    Terms,
    error_scale=st.floats(1.0, 1e6),
    unit=st.sampled_from([1.0, 0.01, 1e-6]),
    rule=st.sampled_from(["sandwich", "rebate"]),
    alpha=st.sampled_from([0.0, 0.5, 1.0, 1.5]),
    retention=st.sampled_from([0.0, 0.1, 1.0]),
    consistency=st.sampled_from([0.0, 1.0, 50.0]),
    minimum_samples=st.sampled_from([1, 2, 20]),
    escrow=st.none() | st.integers(1, 10**9),
)


@examples
@given(money, st.floats(1e-6, 1e4), st.integers(0, 10**6), st.integers(1, 3000) | st.none())
def test_every_figure_follows_from_the_theory(terms, cost, others, capacity):
    said = enrolment("a", cost, capacity)
    assume(unfit(said, terms) is None)
    A, c, unit = exact(terms.error_scale), exact(cost), exact(terms.unit)
    S = others + 2 * least_billed(terms)
    contract = contract_of(said, terms, HASH, 3, S)

    wanted = whole_optimum(A, c)
    m = wanted if capacity is None else min(wanted, capacity)
    assert (contract.samples, contract.capped) == (m, m < wanted)
    assert (contract.others_samples, contract.agents, contract.terms) == (S, 3, HASH)

    # docs/theory.md, in real numbers
    m_star = math.sqrt(A / c)
    s, alpha = S / m_star, float(terms.alpha)
    lam = float(c) / m_star * s * (s + 2) ** 2 / (2 * (2 - alpha) * (1 + s) ** 3)
    g = float(c) * s * (s + 2) / (1 + s) ** 2
    at_optimum = (2 - alpha) / 2 * float(c) * m_star * s / (1 + s)
    figures = [contract.optimum, contract.weight, contract.slope, contract.at_optimum]
    assert [float(figure) for figure in figures] == pytest.approx(
        [m_star, lam, g, at_optimum], rel=1e-12
    )

    # money, in fractions
    least = terms.minimum_samples
    if terms.escrow is not None:
        while A / unit / least > terms.escrow:
            least = max(least + 1, math.ceil(A / unit / terms.escrow) - 1)
    assert least_billed(terms) == least
    assert contract.fee == (A / unit / m - A / unit / (m + S)) // 1
    assert contract.largest_fee == (A / unit / least) // 1
    charge = plain_charge(A, unit, exact(terms.consistency), c, least)
    free = terms.rule == "sandwich" or contract.capped
    assert contract.largest_charge == (0 if free else charge)


def test_the_least_that_is_billed_keeps_the_fee_in_escrow():
    def least(escrow, minimum=1):
        return least_billed(
            Terms(error_scale=1000.0, unit=1.0, minimum_samples=minimum, escrow=escrow)
        )

    assert [least(None), least(None, 20)] == [1, 20]
    assert [least(1000), least(999), least(500), least(499), least(1)] == [1, 2, 2, 3, 1000]
    assert [least(500, 2), least(500, 3)] == [2, 3]


def test_an_agent_with_too_little_data_is_capped_and_never_charged():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    agents = enrolled(2.0, 1.0, 0.5) | {"d": enrolment("d", 0.5, capacity=60)}
    contracts = contracts_for(agents, terms, HASH)
    assert {name: each.samples for name, each in contracts.items()} == {
        "a": 100, "b": 141, "c": 200, "d": 60,
    }  # fmt: skip
    assert [each.capped for each in contracts.values()] == [False, False, False, True]
    assert contracts["d"].optimum == "200.0"
    assert contracts["d"].largest_charge == 0 < contracts["c"].largest_charge
    assert contracts["a"].others_samples == 401


@pytest.mark.parametrize(
    ("cost", "capacity", "why"),
    [
        (1e3, None, "asks for fewer than the 20 samples"),
        (1e100, None, "asks for fewer than the 20 samples"),
        (50.1, None, "asks for fewer than the 20 samples"),
        (1.0, 19, "want at least 20 samples"),
        (1e-90, None, "do cost and error scale have the same unit"),
        (1e-90, 50, "do cost and error scale have the same unit"),
    ],
)
def test_a_report_that_no_contract_can_follow_is_unfit(cost, capacity, why):
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    assert why in unfit(enrolment("a", cost, capacity), terms)


def test_limits_of_reports_are_fit():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    assert unfit(enrolment("a", 50.0), terms) is None  # m* is 20
    assert unfit(enrolment("a", 1.0, 20), terms) is None


def test_who_asks_for_more_samples_than_all_can_have_is_refused_and_nobody_else():
    """Its samples are no more than allowed, but beside them others' contracts could not be."""
    terms = Terms(error_scale=1.0, unit=1e-9)
    cheap = 1.0 / MOST_SAMPLES**2
    for place in range(4):
        costs = [1e-4, 1e-4, 1e-4]
        costs.insert(place, cheap)
        agents = enrolled(*costs)
        assert all(unfit(each, terms) is None for each in agents.values())
        with pytest.raises(InputError, match="too many beside others'") as refusal:
            contracts_for(agents, terms, HASH)
        assert refusal.value.index == place


def test_who_may_owe_more_than_a_settlement_holds_is_refused_and_nobody_else():
    """Each charge would fit alone; what is to be paid in all would not."""
    terms = Terms(error_scale=1e12, unit=1.0, consistency=1e6)
    assert contract_of(enrolment("a", 9.0), terms, HASH, 3, 5).largest_charge < 2**62
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
    """Terms, contracts, and what each agent is billed for, whoever delivers what."""
    terms = draw(money)
    n = draw(st.integers(3, 9))
    agents = {}
    for k in range(n):
        cost = draw(st.floats(1e-6, 1e4) | st.sampled_from([1.0, 2.0]))
        said = enrolment(f"agent{k}", cost, draw(st.none() | st.integers(1, 3000)))
        if unfit(said, terms) is None:
            agents[said.agent] = said
    assume(len(agents) >= 3)
    contracts = contracts_for(agents, terms, HASH)
    some = draw(
        st.lists(st.sampled_from(sorted(agents)), min_size=3, max_size=n, unique=True).map(sorted)
    )
    delivered = []
    for agent in some:
        agreed, least = contracts[agent].samples, least_billed(terms)
        used = draw(st.integers(1, agreed) | st.sampled_from([1, agreed]))
        delivered.append(
            Delivery(
                agent=agent,
                promised=agreed,
                delivered=used,
                billed=max(used, least),
                last_round=1,
                left=draw(st.booleans()),
            )
        )
    return terms, contracts, delivered, draw(st.integers(0, 2**256))


@examples
@given(federations())
def test_nothing_beyond_the_contracts_is_ever_asked_for(federation):
    """Whoever delivers what, and whoever never comes: it can be settled, and within promises."""
    terms, contracts, delivered, seed = federation
    result = settle(billed_population(delivered, contracts), terms, seed)
    for k, each in enumerate(delivered):
        contract = contracts[each.agent]
        assert result.fee[k] <= contract.largest_fee
        assert result.charge[k] <= contract.largest_charge
        if terms.escrow is not None:
            assert result.fee[k] <= contract.largest_fee <= terms.escrow
        if each.billed == contract.samples:
            assert result.fee[k] <= contract.fee
    promised = sum(each.largest_fee + each.largest_charge for each in contracts.values())
    assert result.totals["fee"] + result.totals["charge"] <= promised
    assert result.surplus >= 0


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([1.0, 1e6, 1e12, 1e17]),
    st.sampled_from(["sandwich", "rebate"]),
    st.lists(st.floats(1e-80, 1e90), min_size=3, max_size=6),
    st.sampled_from([1.0, 1e6]),
)
def test_contracts_are_refused_by_the_agent_at_fault_or_can_be_settled(scale, rule, costs, kappa):
    """However absurd the reports: turn away who is named, until contracts can be had."""
    terms = Terms(error_scale=scale, unit=1.0, rule=rule, consistency=kappa)
    agents = {name: each for name, each in enrolled(*costs).items() if unfit(each, terms) is None}
    while len(agents) >= 3:
        place, words = None, ""
        try:
            contracts = contracts_for(agents, terms, HASH)
        except InputError as error:
            place, words = error.index, str(error)
            if place is not None:
                del agents[sorted(agents)[place]]
                continue
        if place is None and words:  # all alike: it is the terms that cannot be settled
            assert "the terms want a larger unit" in words
            break
        for billed in (1, None):
            population = population_of(agents, terms)
            samples = population.samples if billed is None else np.ones_like(population.samples)
            result = settle(
                type(population)(
                    population.agents, population.reported_cost, samples, capped=population.capped
                ),
                terms,
                seed=1,
            )
            assert 0 <= result.surplus < 2**62
            assert abs(result.net).max() < 2**62
        assert all(isinstance(each, Contract) for each in contracts.values())
        break


def test_contracts_do_not_depend_on_the_order_of_enrolment():
    terms = Terms(error_scale=20000.0, unit=0.01)
    agents = enrolled(2.0, 1.0, 0.5, 1.5)
    backwards = dict(reversed(list(agents.items())))
    assert contracts_for(agents, terms, HASH) == contracts_for(backwards, terms, HASH)


def test_agreed_samples_are_whole_optima():
    terms = Terms(error_scale=1.0, unit=1e-9)
    assert agreed_samples(enrolment("a", 1.024e-7), terms) == 3125  # the paper's CIFAR-10
    assert agreed_samples(enrolment("a", 0.16), terms) == 3
    assert agreed_samples(enrolment("a", 0.16, 2), terms) == 2
