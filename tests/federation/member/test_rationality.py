"""An agent's own check: the worst it reckons with is the worst there is, and honest agents sign."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fedfact import Terms
from fedfact.federation.agreement.contract import Enrolment, contract_of, least_billed, unfit
from fedfact.federation.member.rationality import loss_alone, objection, worst_loss
from fedfact.federation.wire.canonical import decimal

examples = settings(max_examples=200, deadline=None)
HASH = "ab" * 32


def reported(cost, capacity=None):
    return Enrolment(
        agent="a", key=HASH, reported_cost=decimal(cost), capacity=capacity, nonce=HASH
    )


def offered(terms, cost, agents, others, capacity=None):
    said = reported(cost, capacity)
    assert unfit(said, terms) is None
    return contract_of(said, terms, HASH, agents, others)


def exact(number):
    return Fraction(repr(float(number)))


def outcomes(n, S, least):
    """What the others may be billed for: every split of S, and of each any delivery, or none."""
    seen = set()
    for split in combinations_with_replacement(range(least, S + 1), n - 1):
        if sum(split) == S:
            for billed in product(*([0, *range(least, agreed + 1)] for agreed in split)):
                seen.add(tuple(sorted(each for each in billed if each)))
    return [each for each in seen if len(each) >= 2]  # fewer than three agents: no settlement


def realised(contract, terms, true_cost, error_scale, billed):
    """The agent's loss in one outcome, by plain formulas in whole minor units."""
    m, S, c = contract.samples, sum(billed), exact(contract.reported_cost)
    A, unit = exact(terms.error_scale), exact(terms.unit)
    K = A / unit
    paid = (K / m - K / (m + S)) // 1
    back = 0
    if terms.rule == "rebate":
        if not contract.capped:
            gap = math.sqrt(A / m) - math.sqrt(c * m)
            paid += int(float(terms.consistency) * gap**2 / float(unit))
        pool = sum((K / each - K / S) // 1 for each in billed)
        back = (1 - exact(terms.retention)) * pool / len(billed) // 1
    return error_scale / (m + S) + true_cost * m + float((paid - back) * unit)


@pytest.mark.parametrize("own", [0.5, 0.9, 1.0, 1.1, 3.0, 30.0], ids="own A x{}".format)
@pytest.mark.parametrize("retention", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
@pytest.mark.parametrize(
    ("n", "S", "least"), [(3, 14, 1), (4, 13, 1), (5, 12, 1), (4, 14, 2), (3, 12, 6)]
)
def test_no_outcome_is_worse_than_the_worst(n, S, least, rule, retention, own):
    """By brute force; nor is the worst far from an outcome that there is."""
    terms = Terms(
        error_scale=90.0, unit=1e-6, rule=rule, retention=retention, minimum_samples=least
    )
    contract = offered(terms, 2.2, n, S)
    worst = worst_loss(contract, terms, 2.2, 90.0 * own)
    found = max(
        realised(contract, terms, 2.2, 90.0 * own, billed) for billed in outcomes(n, S, least)
    )
    assert found <= worst + 1e-9
    whole = 4e-6 if own <= 1 and (S - (n - 3) * least) % 2 == 0 else 0.01 * worst
    assert worst - found <= whole


@pytest.mark.parametrize("unit", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("own", [0.9, 1.0, 1.5, 8.0])
def test_rounding_of_money_is_in_the_worst(unit, own):
    """Minor units so large that rebates are rounded to little or nothing."""
    terms = Terms(error_scale=90.0, unit=unit, rule="rebate")
    for S in (9, 12, 15):
        contract = offered(terms, 2.2, 4, S)
        worst = worst_loss(contract, terms, 2.2, 90.0 * own)
        for billed in outcomes(4, S, 1):
            assert realised(contract, terms, 2.2, 90.0 * own, billed) <= worst + 1e-9


@examples
@given(
    st.floats(10, 1e5),
    st.floats(0.3, 3),
    st.integers(3, 8),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([1e-6, 0.01, 1.0]),
    st.sampled_from(["sandwich", "rebate"]),
    st.data(),
)
def test_no_outcome_of_many_is_worse_than_the_worst(A, own, n, retention, unit, rule, data):
    terms = Terms(error_scale=A, unit=unit, rule=rule, retention=retention)
    cost = data.draw(st.floats(1e-3, min(A, 10.0)))
    agreed = data.draw(st.lists(st.integers(1, 500), min_size=n - 1, max_size=n - 1))
    capacity = data.draw(st.none() | st.integers(1, 100))
    assume(unfit(reported(cost, capacity), terms) is None)
    contract = offered(terms, cost, n, sum(agreed), capacity)
    there = data.draw(st.integers(2, n - 1))
    billed = [data.draw(st.integers(1, each)) for each in agreed[:there]]
    loss = realised(contract, terms, cost, own * A, billed)
    worst = worst_loss(contract, terms, cost, own * A)
    assert loss <= worst + abs(worst) * 1e-9


def asked(contract, terms, cost, *, error_scale=None, capacity=10**12, most_fee=None):
    return objection(
        contract,
        terms,
        true_cost=cost,
        error_scale=error_scale or float(terms.error_scale),
        capacity=capacity,
        most_fee=most_fee,
    )


terms_of_all_kinds = st.builds(
    Terms,
    error_scale=st.floats(1.0, 1e6),
    unit=st.sampled_from([1.0, 0.01, 1e-6]),
    rule=st.sampled_from(["sandwich", "rebate"]),
    retention=st.sampled_from([0.0, 0.1, 0.9, 1.0]),
    consistency=st.sampled_from([0.0, 0.5, 1.0, 100.0]),
    minimum_samples=st.sampled_from([1, 20]),
)


@examples
@given(
    terms_of_all_kinds,
    st.floats(1e-6, 1e4),
    st.integers(3, 50),
    st.integers(0, 10**7),
    st.none() | st.integers(1, 3000),
)
@example(Terms(error_scale=2.0, unit=1e-6), 1.0, 3, 100, None)  # m* is 1.41
def test_an_honest_agent_signs(terms, cost, agents, more, capacity):
    """Always under sandwich. Under rebate unless the charge for m* being no whole number, which
    it cannot help, exceeds the least that comes back: then it is worse off than alone indeed."""
    assume(unfit(reported(cost, capacity), terms) is None)
    S = (agents - 1) * least_billed(terms) + more
    contract = offered(terms, cost, agents, S, capacity)
    why = asked(contract, terms, cost, capacity=capacity or 10**12)
    A, unit, m = terms.error_scale, float(terms.unit), contract.samples
    charge, least_back = 0, 0.0
    if terms.rule == "rebate":
        if not contract.capped:
            gap = math.sqrt(A / m) - math.sqrt(cost * m)
            charge = math.floor(terms.consistency * gap**2 / unit)
        most = S - (agents - 3) * least_billed(terms)  # two of the others have nearly all of S
        least_back = max((1 - terms.retention) * A / most / unit - 2, 0)
    slack = 1 + 2e-9 * (A / m + cost * m) / unit
    if charge <= least_back:
        assert why is None or charge > least_back - slack
    elif charge > least_back + slack:
        assert why.startswith("not individually rational:")
    if charge == 0:
        assert why is None


def test_where_whole_samples_make_an_honest_agent_decline():
    """m* = √2, so that it uses 2 samples, one as good as the other: the charge is 3 − 2√2."""
    terms = Terms(error_scale=2.0, unit=1e-6)
    small, large = (offered(terms, 1.0, 3, S) for S in (11, 12))
    assert small.samples == 2
    assert asked(small, terms, 1.0) is None  # a rebate of 2/11 makes up for it
    assert "not individually rational" in asked(large, terms, 1.0)  # one of 2/12 does not
    assert realised(large, terms, 1.0, 2.0, (6, 6)) > loss_alone(1.0, 2.0, 100)
    # With more samples it takes ever more of the others: some 4·m*³/κ.
    for m_star in (10.5, 100.5, 1000.5):
        cost = 2.0 / m_star**2
        fine, bad = (offered(terms, cost, 3, int(S * m_star**3)) for S in (3.5, 4.5))
        exactly = Terms(error_scale=2.0, unit=1e-18)
        assert asked(fine, exactly, cost) is None
        assert "not individually rational" in asked(bad, exactly, cost)


def test_a_wrong_error_scale_makes_an_agent_decline_under_sandwich():
    """The operator's A is 10 % too large: a loser would be worse off by 9 % of c·m*."""
    terms = Terms(error_scale=22000.0, unit=0.01, rule="sandwich")
    contract = offered(terms, 2.0, 16, 1500)
    assert asked(contract, terms, 2.0) is None
    why = asked(contract, terms, 2.0, error_scale=20000.0)
    assert why.startswith("not individually rational: at worst ")
    assert loss_alone(2.0, 20000.0, 10**6) == 400.0
    worse = worst_loss(contract, terms, 2.0, 20000.0) - 400.0
    assert worse / 200 == pytest.approx(0.09, abs=0.01)
    # Under rebate what comes back makes up for it, if there are not too many others.
    rebate = Terms(error_scale=22000.0, unit=0.01, rule="rebate")
    assert asked(offered(rebate, 2.0, 3, 300), rebate, 2.0, error_scale=20000.0) is None


def test_an_error_scale_that_is_too_small_is_no_reason_under_rebate():
    """A lower bound is what docs/theory.md advises. Under sandwich others may deliver next to
    nothing, and then the agent had better used the samples that are best by its own A."""
    for rule, signs in (("rebate", True), ("sandwich", False)):
        terms = Terms(error_scale=20000.0, unit=0.01, rule=rule)
        contract = offered(terms, 2.0, 16, 1500)
        assert (asked(contract, terms, 2.0, error_scale=22000.0) is None) == signs


def test_limits_of_its_own_are_kept_and_kept_private():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20, currency="EUR")
    contract = offered(terms, 2.0, 3, 300)
    # 2,000,000/20, and (√(20000/20) − √(2·20))² = 640 at the fewest samples that are billed.
    assert (contract.fee, contract.largest_fee, contract.largest_charge) == (15000, 100_000, 64_000)
    assert asked(contract, terms, 2.0, most_fee=164_000, capacity=100) is None
    why = asked(contract, terms, 2.0, most_fee=163_999)
    assert why == (
        "the contract could ask for more than the limit set here: 1,640.00 EUR, and 1,639.99 EUR "
        "is allowed"
    )
    why = asked(contract, terms, 2.0, capacity=99)
    assert why == "too many samples are asked for: 100, and there are 99"


def test_others_with_fewer_samples_than_the_terms_allow_are_not_believed():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    assert asked(offered(terms, 2.0, 4, 60), terms, 2.0) is None
    assert "fewer samples of the others" in asked(offered(terms, 2.0, 4, 59), terms, 2.0)


def test_alone_it_would_use_what_is_best_or_all_it_has():
    assert loss_alone(2.0, 20000.0, 10**6) == 20000 / 100 + 2 * 100
    assert loss_alone(2.0, 20000.0, 50) == 20000 / 50 + 2 * 50
