"""What `rebate` and `shared` promise, in whole samples and minor units, for any curve and sizes."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.mechanism import (
    RULES,
    Population,
    Terms,
    billing_floor,
    local_loss,
    settle,
    whole_local_optimum,
)

examples = settings(max_examples=120, deadline=None)
ROUNDING = 2 + 1e-5  # minor units: a fee is rounded up and a rebate down; the rest is of sub-units
EXPONENTS = st.sampled_from([1, 0.05, 0.3, 0.5, 2]) | st.integers(5, 200).map(lambda b: b / 100)
RULE, ANY = st.sampled_from(["rebate", "shared"]), st.booleans()
FACTORS = [1e-3, 0.03, 0.2, 0.5, 0.8, 0.99, 1.01, 1.3, 2, 5, 30, 1e3]


@dataclass
class Member:
    """Agent 0 among others whose samples, sizes and reports are anything; costs in minor units."""

    terms: Terms
    samples: list
    reports: list
    sizes: list | None
    capacity: int
    cost: float
    signed_size: int | None = None

    def settle(self, samples, report):
        n = len(self.samples)
        capacity = np.full(n, 10**12)
        capacity[0] = self.capacity
        population = Population(
            [f"agent {k}" for k in range(n)],
            [report, *self.reports[1:]],
            [samples, *self.samples[1:]],
            capacity=capacity,
            size=self.sizes,
            signed_size=self.signed_size,
        )
        return settle(population, self.terms)

    @property
    def rule(self):
        return RULES[self.terms.rule]

    @property
    def size(self):
        return self.sizes[0] if self.sizes else 1

    @property
    def own(self):
        """What its own samples cost it in errors, by the sizes of all that are settled."""
        U = sum(self.sizes) if self.sizes else len(self.samples)
        return self.rule.own_curve(self.terms.curve, self.size, U)

    @property
    def floor(self):
        return billing_floor(self.terms, self.size)

    @property
    def best(self):
        """What it should use."""
        best = int(whole_local_optimum(self.cost, self.own))
        return min(max(best, self.floor), self.capacity)

    def loss(self, samples, report):
        """What it ends with, in minor units."""
        result = self.settle(samples, report)
        together = self.size * float(self.terms.curve.error(samples + sum(self.samples[1:])))
        return together + self.cost * samples - float(result.net[0])


@st.composite
def members(draw, rule=RULE, sized=ANY):
    n, b = draw(st.integers(3, 9)), draw(EXPONENTS)
    most = draw(st.sampled_from([10, 1000, 10**6]))
    samples = draw(st.lists(st.integers(1, most), min_size=n, max_size=n))
    sizes = draw(st.lists(st.integers(1, 300), min_size=n, max_size=n)) if draw(sized) else None
    A = float(f"{10 ** draw(st.floats(0, 6)):.3g}")
    reports = draw(st.lists(st.floats(1e-6, 1e3), min_size=n, max_size=n))
    around = draw(st.integers(1, most))  # which samples the cost is to suit
    terms = Terms(
        error_scale=A,
        exponent=b,
        unit=1.0,
        rule=draw(rule),
        retention=draw(st.sampled_from([0.0, 0.25])),
        consistency=draw(st.sampled_from([0.05, 1.0, 40.0])),
    )
    member = Member(terms, samples, reports, sizes, 10**12, 1.0)
    member.cost = max(1e-90, float(member.own.fitting_cost(around)) * draw(st.floats(0.5, 2)))
    if draw(st.booleans()):  # the minimum binds, or the capacity
        least = min(samples[1:])
        member.terms = replace(terms, minimum_samples=draw(st.integers(1, 3 * least)))
    if draw(st.booleans()):
        member.capacity = max(member.floor, draw(st.integers(1, 2 * around)))
    return member


@examples
@given(members(), st.data())
def test_own_optimum_and_true_cost_are_dominant(member, data):
    """No other report and no other whole samples leave it better off, by search."""
    best, c = member.best, member.cost
    truth = member.loss(best, c)
    near = [best - 1, best + 1, *(round(best * f) for f in FACTORS), member.floor, member.capacity]
    samples = [m for m in near if member.floor <= m <= min(member.capacity, 10**9)]
    for m in data.draw(st.lists(st.sampled_from([best, *samples]), min_size=4, max_size=8)):
        fits = float(member.own.fitting_cost(m))
        for report in (c, fits, c * data.draw(st.sampled_from(FACTORS))):
            other = member.loss(m, min(max(report, 1e-99), 1e9))
            assert truth <= other + ROUNDING + 1e-12 * abs(other)


@examples
@given(members())
def test_at_the_truth_there_is_no_charge_also_where_minimum_or_capacity_bind(member):
    assert member.settle(member.best, member.cost).charge[0] == 0


@examples
@given(members())
def test_the_truth_is_not_charged_after_others_left(member):
    """The charge goes by the size of all that signed, and so does what is best."""
    here = sum(member.sizes) if member.sizes else len(member.samples)
    member.signed_size = 2 * here
    own = member.rule.own_curve(member.terms.curve, member.size, member.signed_size)
    best = int(whole_local_optimum(member.cost, own))
    assert member.settle(min(max(best, member.floor), member.capacity), member.cost).charge[0] == 0


@examples
@given(members())
def test_rational_in_every_outcome(member):
    """At or below min ℓ of its own, which is at most its best loss alone."""
    best, c = member.best, member.cost
    own = float(local_loss(best, c, member.own))
    alone = float(local_loss(best, c, member.terms.curve.times(member.size)))
    ends = member.loss(best, c)
    assert own <= alone * (1 + 1e-12)
    assert ends <= own + ROUNDING + 1e-12 * own


@examples
@given(members(), st.floats(1e-9, 1e3))
def test_surplus_is_never_negative(member, report):
    result = member.settle(member.best, report)
    sums = result.totals
    assert result.surplus == sums["fee"] + sums["charge"] - sums["rebate"] >= 0
    assert result.rebate.min() >= 0
    assert result.charge.min() >= 0


@examples
@given(members(), st.integers(1, 10**6), st.integers(1, 50))
def test_equal_members_leave_no_surplus_but_rounding(member, samples, size):
    """At most a unit for each fee and each rebate."""
    n = len(member.samples)
    terms = replace(member.terms, minimum_samples=1, retention=0.0)
    equal = Population([f"agent {k}" for k in range(n)], [1.0] * n, [samples] * n, size=[size] * n)
    result = settle(equal, terms)
    assert 0 <= result.surplus - int(result.charge.sum()) <= 2 * n
    if terms.rule == "shared":  # all do as each does: nothing is owed
        assert set(result.fee.tolist()) <= {0, 1}
        assert not result.rebate.any()


@examples
@given(members(), st.integers(1, 10**6), st.floats(1e-9, 1e6))
def test_what_is_given_back_is_out_of_ones_hands(member, samples, report):
    before = member.settle(member.best, member.cost)
    member.capacity = 10**12
    after = member.settle(max(samples, member.floor), report)
    assert (before.rebate[0], before.pool[0]) == (after.rebate[0], after.pool[0])


@examples
@given(members())
def test_more_of_ones_own_samples_lower_the_own_fee_and_no_other(member):
    """The own fee under `rebate`. Under `shared` one that uses far more than its part is paid, and
    paid less where M grows: there its own errors fall less than what all others save."""
    member.capacity = 10**12
    before, after = (member.settle(member.floor * k, 1.0) for k in (1, 3))
    assert after.fee[0] <= before.fee[0] or (member.terms.rule == "shared" and before.fee[0] < 0)
    assert (after.fee[1:] >= before.fee[1:]).all()


@examples
@given(members(rule=st.just("shared"), sized=st.just(True)))
def test_shared_is_at_most_what_all_of_ones_kind_would_each_bear(member):
    """min_m [u·v·e(m·U/u) + c·m], in real numbers, where it can use its own best samples."""
    if member.floor <= int(whole_local_optimum(member.cost, member.own)) <= member.capacity:
        each = float(member.own.least_loss(member.cost))
        if member.own.optimum(member.cost) >= 1:
            whole = float(local_loss(member.best, member.cost, member.own))
            assert each <= whole * (1 + 1e-12)
            assert member.loss(member.best, member.cost) <= whole + ROUNDING + 1e-12 * whole


@examples
@given(
    EXPONENTS,
    st.lists(st.integers(1, 50), min_size=3, max_size=8),
    st.integers(1, 1000),
    st.integers(1, 49),
)
def test_shared_does_not_care_how_equal_members_are_cut(b, sizes, each, part):
    """Members of one cost use samples in proportion to size: however they merge or split, with
    true sizes, each part of them pays and receives the same, nothing."""
    terms = Terms(error_scale=1e6, exponent=b, unit=1.0, rule="shared", consistency=0.0)
    split = [min(part, sizes[0]), *([sizes[0] - part] if part < sizes[0] else []), *sizes[1:]]
    for cut in (sizes, split, [sum(sizes[:-2]), *sizes[-2:]]):
        names = [f"agent {k}" for k in range(len(cut))]
        agents = Population(names, [1.0] * len(cut), [each * u for u in cut], size=cut)
        result = settle(agents, terms)
        assert set(result.net.tolist()) <= {0, -1}  # a fee of nothing may be rounded up


@examples
@given(members(sized=st.just(True)), st.integers(1, 299))
def test_shared_prices_two_of_one_cost_as_it_prices_them_as_one(member, part):
    """What the own samples cost, fee and what is shared, is the same for one and for two; only
    what is given back may differ, where others' costs do."""
    member.terms = replace(member.terms, rule="shared", minimum_samples=1)
    u = member.sizes[0]
    part = min(part, u)
    U = sum(member.sizes)
    whole, first, second = (
        float(member.rule.own_curve(member.terms.curve, size, U).least_loss(member.cost))
        for size in (u, part, u - part)
    )
    assert whole == pytest.approx(first + second, rel=1e-9)


@pytest.mark.parametrize("rule", ["rebate", "shared"])
def test_a_member_that_left_is_paid_nothing_for_it(rule):
    terms = Terms(error_scale=1e6, unit=1.0, rule=rule)
    agents = list("abcd")
    stays, leaves = (
        settle(Population(agents, [1.0] * 4, [4000, 500, 500, 500], left=left), terms)
        for left in (None, [True, False, False, False])
    )
    assert leaves.fee[0] == max(stays.fee[0], 0)
    assert (stays.fee[0] < 0) == (rule == "shared")
    assert leaves.charge[0] == leaves.rebate[0] == 0
    assert leaves.net[1:].tolist() == stays.net[1:].tolist()


def test_shared_is_void_below_half_of_the_size_that_signed():
    columns = {"agents": list("abc"), "reported_cost": [1.0] * 3, "samples": [10] * 3}
    terms = Terms(error_scale=1e6, unit=1.0, rule="shared")
    assert settle(Population(**columns, signed_size=6), terms).surplus >= 0
    with pytest.raises(ValueError, match="3 of the size of 7 that signed is here"):
        settle(Population(**columns, signed_size=7), terms)
    few = Population(**columns, signed_size=700)
    assert settle(few, replace(terms, rule="rebate")).surplus >= 0
    with pytest.raises(ValueError, match="signed_size is 2, less than the 3 here"):
        Population(**columns, signed_size=2)


@pytest.mark.parametrize("b", [1, 0.5])
@pytest.mark.parametrize("rule", ["rebate", "shared"])
def test_by_hand(rule, b):
    """Three members with 9, 16 and 25 samples and sizes of 1, 2 and 3; M = 50, U = 6."""
    K, m, u = 3600, [9, 16, 25], [1, 2, 3]
    x = m if rule == "rebate" else [9 * 6, 16 * 3, 25 * 2]
    result = settle(
        Population(list("abc"), [1.0] * 3, m, size=u),
        Terms(error_scale=K, exponent=b, unit=1.0, rule=rule, consistency=0.0),
    )
    for i in range(3):
        fee = u[i] * (K * x[i] ** -b - K * 50**-b)
        # up to the next whole number; of exactly 0, which is no sub-unit by itself, also to 1
        assert fee <= result.fee[i] <= math.ceil(fee + 1e-5)
        rest = [k for k in range(3) if k != i]
        T = 6 * (50 - m[i]) / (6 - u[i])
        pool = sum(u[k] * (K * x[k] ** -b - K * T**-b) for k in rest)
        assert result.rebate[i] == math.floor(pool / 2)


def test_what_the_issue_says_of_equal_members():
    """The first edition kept a quarter of the fees at n = 3; `shared` takes and gives nothing."""
    agents = Population(list("abc"), [1.0] * 3, [1000] * 3)
    rebate, shared = (
        settle(agents, Terms(error_scale=1e6, unit=1e-9, rule=rule))
        for rule in ("rebate", "shared")
    )
    fee = 1e6 * (1 / 1000 - 1 / 3000) / 1e-9
    assert rebate.fee.tolist() == [math.ceil(fee - 1e-3)] * 3
    assert rebate.rebate.tolist() == [math.floor(fee)] * 3
    assert rebate.surplus <= 6
    assert shared.fee.max() <= 1
