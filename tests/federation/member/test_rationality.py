"""A member's own check: the worst it reckons with is the worst there is; honest members sign."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fedfact import InputError, Population, Terms, settle
from fedfact.federation.agreement.contract import Enrolment, contract_of, unfit
from fedfact.federation.member.rationality import loss_alone, objection, worst_loss
from fedfact.federation.wire.canonical import decimal
from fedfact.mechanism import Curve, Standing, billing_floor, least_admitted, rule_of

examples = settings(max_examples=300, deadline=None)
HASH = "ab" * 32
RULES = ["sandwich", "rebate", "shared"]


def reported(cost, capacity=None):
    return Enrolment(
        member="a", key=HASH, reported_cost=decimal(cost), capacity=capacity, nonce=HASH
    )


def offered(terms, cost, members, others, capacity=None, size=1, total_size=None):
    said, among = reported(cost, capacity), Standing(members, size, total_size)
    assert unfit(said, terms, size, among.all_sizes) is None
    return contract_of(said, terms, HASH, among, others)


def realised(contract, terms, true_cost, own, billed, sizes=None):
    """The member's loss where others of these sizes are billed for this, as it is settled.

    None where the settlement is void. Of a draw it wins nothing.
    """
    size = None if sizes is None else np.array([contract.size, *sizes])
    there = len(billed) + 1 if size is None else int(size.sum())
    rule = rule_of(terms)
    if rule.is_void(there, contract.total_size):
        return None
    result = settle(
        Population(
            [f"member {k}" for k in range(len(billed) + 1)],
            np.array([float(contract.reported_cost), *[1.0] * len(billed)]),
            np.array([contract.samples, *billed]),
            capacity=None
            if contract.capacity is None
            else np.array([contract.capacity, *[10**12] * len(billed)]),
            size=size,
            signed_size=contract.total_size,
        ),
        terms,
        seed=0,
    )
    paid = int(result.fee[0] + result.charge[0]) - (0 if rule.draws else int(result.rebate[0]))
    m = contract.samples
    errors = float(own.times(contract.size).error(m + sum(billed)))
    return errors + true_cost * m + paid * float(terms.unit)


def outcomes(n, S, least, floor):
    """What the others may be billed for: every split of S, and of each any delivery, or none."""
    seen = set()
    for split in combinations_with_replacement(range(least, S + 1), n - 1):
        if sum(split) == S:
            for billed in product(*([0, *range(floor, agreed + 1)] for agreed in split)):
                seen.add(tuple(sorted(each for each in billed if each)))
    return [each for each in seen if len(each) >= 2]  # fewer than three members: no settlement


def curves(b):
    """Curves of its own: of another scale, another exponent, or both."""
    return {
        "the same": Curve(90.0, b),
        "half": Curve(45.0, b),
        "a little less": Curve(81.0, b),
        "a little more": Curve(99.0, b),
        "30 times": Curve(2700.0, b),
        "flatter": Curve(40.0, b / 3),
        "steeper": Curve(300.0, min(b * 2.5, 2)),
    }


@pytest.mark.parametrize("which", list(curves(1.0)))
@pytest.mark.parametrize("b", [1.0, 0.4])
@pytest.mark.parametrize("retention", [0.0, 0.25])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "S", "least"), [(3, 14, 1), (4, 12, 1), (5, 9, 1), (4, 14, 3)])
def test_no_outcome_is_worse_than_the_worst(n, S, least, rule, retention, b, which):
    """By brute force; nor is the worst far from an outcome that there is."""
    terms = Terms(
        error_scale=90.0, exponent=b, unit=1e-4, rule=rule, retention=retention,
        minimum_samples=least,
    )  # fmt: skip
    own, floor = curves(b)[which], billing_floor(terms)
    contract = offered(terms, 2.2, n, S)
    worst = worst_loss(contract, terms, 2.2, own)
    found = [realised(contract, terms, 2.2, own, billed) for billed in outcomes(n, S, least, floor)]
    most = max(each for each in found if each is not None)
    assert most <= worst + 1e-9
    near = 4e-4 if which == "the same" and rule == "sandwich" else 0.1 * worst
    assert worst - most <= near


@pytest.mark.parametrize("sizes", [(2, (1, 1, 3)), (1, (4, 2, 1)), (5, (1, 2, 3))])
@pytest.mark.parametrize("which", ["the same", "half", "30 times", "steeper"])
@pytest.mark.parametrize("rule", ["rebate", "shared"])
def test_no_outcome_is_worse_than_the_worst_whatever_sizes_others_have(rule, which, sizes):
    terms = Terms(error_scale=90.0, exponent=0.7, unit=1e-4, rule=rule)
    size, others = sizes
    own = curves(0.7)[which]
    contract = offered(terms, 2.2, 4, 10, size=size, total_size=size + sum(others))
    worst = worst_loss(contract, terms, 2.2, own)
    for billed in product(range(4), range(4), range(5)):
        there = [(m, u) for m, u in zip(billed, others, strict=True) if m]
        if len(there) < 2:
            continue
        m, u = zip(*there, strict=True)
        loss = realised(contract, terms, 2.2, own, m, u)
        assert loss is None or loss <= worst + 1e-9


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("unit", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("own", [0.9, 1.0, 1.5, 8.0])
def test_rounding_of_money_is_in_the_worst(unit, own, rule):
    """Minor units so large that rebates are rounded to little or nothing."""
    terms = Terms(error_scale=90.0, unit=unit, rule=rule)
    for S in (9, 12):
        contract = offered(terms, 2.2, 4, S)
        worst = worst_loss(contract, terms, 2.2, Curve(90.0 * own))
        for billed in outcomes(4, S, 1, 1):
            loss = realised(contract, terms, 2.2, Curve(90.0 * own), billed)
            assert loss is None or loss <= worst + 1e-9


exponents = st.sampled_from([1.0, 1.0, 0.3, 0.7, 2.0])


@examples
@given(
    st.floats(10, 1e5),
    exponents,
    st.floats(0.3, 3),
    st.none() | exponents,
    st.integers(3, 8),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([1e-6, 0.01, 1.0]),
    st.sampled_from(RULES),
    st.booleans(),
    st.data(),
)
def test_no_outcome_of_many_is_worse_than_the_worst(
    A, b, times, own_b, n, retention, unit, rule, sized, data
):
    terms = Terms(error_scale=A, exponent=b, unit=unit, rule=rule, retention=retention)
    own = Curve(A * times, b if own_b is None else own_b)
    cost = data.draw(st.floats(1e-3, min(A, 10.0)))
    agreed = data.draw(st.lists(st.integers(1, 500), min_size=n - 1, max_size=n - 1))
    capacity = data.draw(st.none() | st.integers(1, 100))
    size, others = 1, [1] * (n - 1)
    if sized and rule != "sandwich":
        size, *others = data.draw(st.lists(st.integers(1, 40), min_size=n, max_size=n))
    U = size + sum(others)
    assume(unfit(reported(cost, capacity), terms, size, U) is None)
    contract = offered(terms, cost, n, sum(agreed), capacity, size, U)
    there = data.draw(st.lists(st.integers(0, n - 2), min_size=2, max_size=n - 1, unique=True))
    billed = [data.draw(st.integers(1, agreed[k])) for k in there]
    sizes = [others[k] for k in there] if max(size, *others) > 1 else None
    loss = realised(contract, terms, cost, own, billed, sizes)
    worst = worst_loss(contract, terms, cost, own)
    assert loss is None or loss <= worst + abs(worst) * 1e-9


def asked(contract, terms, cost, *, own=None, capacity=10**12, most_fee=None, size=None):
    return objection(
        contract,
        terms,
        true_cost=cost,
        own=own or terms.curve,
        capacity=capacity,
        most_fee=most_fee,
        size=size,
    )


terms_of_all_kinds = st.builds(
    Terms,
    error_scale=st.floats(1.0, 1e6),
    exponent=exponents,
    unit=st.sampled_from([1.0, 0.01, 1e-6]),
    rule=st.sampled_from(RULES),
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
def test_an_honest_member_signs(terms, cost, members, more, capacity):
    """Whatever the rule, however few samples are best: whole samples are no reason any more."""
    assume(unfit(reported(cost, capacity), terms, 1, members) is None)
    S = (members - 1) * least_admitted(terms) + more
    contract = offered(terms, cost, members, S, capacity)
    assert asked(contract, terms, cost, capacity=capacity or 10**12) is None


@examples
@given(terms_of_all_kinds, st.floats(1e-6, 1e4), st.integers(2, 300), st.integers(2, 300))
def test_an_honest_member_of_any_size_signs_unless_it_is_nearly_half_of_all(terms, cost, u, more):
    """Under shared one of a third of all size at most never loses (docs/theory.md), unless it is
    to use so few samples that one more or less makes a difference."""
    assume(terms.rule != "sandwich" and terms.unit < 1)
    U = (3 if terms.rule == "shared" else 1) * u + more
    assume(unfit(reported(cost), terms, u, U) is None)
    contract = offered(terms, cost, 3, 2 * least_admitted(terms), size=u, total_size=U)
    assume(terms.rule != "shared" or contract.samples >= 10)
    assert asked(contract, terms, cost) is None


def test_under_shared_a_member_of_nearly_half_of_all_size_declines():
    """If nearly all others go, it would lose 4 % more than alone, as docs/theory.md computes."""
    terms = Terms(error_scale=20000.0, unit=0.01, rule="shared")
    large = offered(terms, 2.0, 20, 10_000, size=48, total_size=100)
    why = asked(large, terms, 2.0)
    assert why.startswith("not individually rational: at worst ")
    alone = loss_alone(2.0, terms.curve, 48, 10**12)
    assert worst_loss(large, terms, 2.0, terms.curve) / alone == pytest.approx(1.039, abs=0.001)
    assert asked(offered(terms, 2.0, 20, 10_000, size=40, total_size=100), terms, 2.0) is None


def test_a_wrong_curve_makes_a_member_decline_under_sandwich():
    """The operator's A is 10 % too large: a loser would be worse off by 9 % of c·m*."""
    terms = Terms(error_scale=22000.0, unit=0.01, rule="sandwich")
    contract = offered(terms, 2.0, 16, 1500)
    assert asked(contract, terms, 2.0) is None
    why = asked(contract, terms, 2.0, own=Curve(20000.0))
    assert why.startswith("not individually rational: at worst ")
    assert loss_alone(2.0, Curve(20000.0), 1, 10**6) == 400.0
    worse = worst_loss(contract, terms, 2.0, Curve(20000.0)) - 400.0
    assert worse / 200 == pytest.approx(0.09, abs=0.01)
    # Under rebate what comes back makes up for it, if there are not too many others.
    rebate = Terms(error_scale=22000.0, unit=0.01, rule="rebate")
    assert asked(offered(rebate, 2.0, 3, 300), rebate, 2.0, own=Curve(20000.0)) is None
    # Under shared it makes little difference.
    shared = Terms(error_scale=40000.0, unit=0.01, rule="shared")
    assert asked(offered(shared, 2.0, 16, 1500), shared, 2.0, own=Curve(20000.0)) is None


def test_an_exponent_of_its_own_makes_it_decline_a_curve_that_is_too_steep():
    """Errors that it thinks fall as m^(−0.3) are billed as if they fell as 1/m."""
    terms = Terms(error_scale=20000.0, unit=0.01, rule="sandwich")
    own = Curve(600.0, 0.3)
    contract = offered(terms, 2.0, 16, 1500)
    assert "not individually rational" in asked(contract, terms, 2.0, own=own)
    fits = Terms(error_scale=600.0, exponent=0.3, unit=0.01, rule="sandwich")
    assert asked(offered(fits, 2.0, 16, 1500), fits, 2.0, own=own) is None


def test_an_error_scale_that_is_too_small_is_no_reason_under_rebate():
    """A lower bound is what docs/theory.md advises. Under sandwich others may deliver next to
    nothing, and then the member had better used the samples that are best by its own A."""
    for rule, signs in (("rebate", True), ("sandwich", False)):
        terms = Terms(error_scale=20000.0, unit=0.01, rule=rule)
        contract = offered(terms, 2.0, 16, 1500)
        assert (asked(contract, terms, 2.0, own=Curve(22000.0)) is None) == signs


def test_limits_of_its_own_are_kept_and_kept_private():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20, currency="EUR")
    contract = offered(terms, 2.0, 3, 300)
    # ⌈2,000,000·(1/7 − 1/307)⌉, and 20000/7 + 2·7 − 400 at the fewest samples that are billed
    assert (contract.fee, contract.largest_fee, contract.largest_charge) == (15000, 279200, 247115)
    assert asked(contract, terms, 2.0, most_fee=526_315, capacity=100) is None
    why = asked(contract, terms, 2.0, most_fee=526_314)
    assert why == (
        "the contract could ask for more than the limit set here: 5,263.15 EUR, and 5,263.14 EUR "
        "is allowed"
    )
    why = asked(contract, terms, 2.0, capacity=99)
    assert why == "too many samples are asked for: 100, and there are 99"


def test_a_size_that_is_not_its_own_is_objected_to():
    terms = Terms(error_scale=20000.0, unit=0.01)
    contract = offered(terms, 2.0, 3, 300, size=7, total_size=30)
    assert asked(contract, terms, 2.0, size=7) is None
    assert asked(contract, terms, 2.0) is None
    assert asked(contract, terms, 2.0, size=8) == (
        "the contract has another size than mine: 7, and mine is 8"
    )


def test_others_with_less_than_the_terms_allow_are_not_believed():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
    assert asked(offered(terms, 2.0, 4, 60), terms, 2.0) is None
    assert "fewer samples of the others" in asked(offered(terms, 2.0, 4, 59), terms, 2.0)
    small = offered(terms, 2.0, 5, 200, size=3, total_size=6)
    assert "less size of the others" in asked(small, terms, 2.0)


def test_alone_it_would_use_what_is_best_or_all_it_has():
    assert loss_alone(2.0, Curve(20000.0), 1, 10**6) == 20000 / 100 + 2 * 100
    assert loss_alone(2.0, Curve(20000.0), 1, 50) == 20000 / 50 + 2 * 50
    assert loss_alone(2.0, Curve(20000.0), 4, 10**6) == 4 * 20000 / 200 + 2 * 200


def test_reports_that_no_settlement_could_hold_are_refused():
    with pytest.raises(InputError, match="does not fit in 64 bits"):
        offered(Terms(error_scale=1e12, unit=1e-6, consistency=1e6), 1e9, 3, 5)
