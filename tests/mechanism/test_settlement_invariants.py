"""What must hold in every settlement: the invariants of the theory, by their numbers."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.arrays import MOST_SAMPLES
from fedfact.errors import InputError
from fedfact.mechanism import (
    RULES,
    Population,
    Terms,
    effective_fee,
    federated_loss,
    local_loss,
    settle,
    win_probability,
)
from fedfact.mechanism.exact import as_fraction

examples = settings(max_examples=150, deadline=None)
COLUMNS = (
    "fee", "penalty", "charge", "compensation", "pool", "reward", "rebate", "net", "group", "won",
)  # fmt: skip


class Scenario(NamedTuple):
    """A settlement's inputs, easily changed, and a spare agent's report and samples."""

    agents: list
    reports: list
    samples: list
    terms: Terms
    seed: int
    spare_report: float
    spare_samples: int
    local_loss: list | None = None
    federated_loss: list | None = None
    sizes: list | None = None

    @property
    def exponent(self):
        return float(self.terms.exponent)

    @property
    def scale(self):
        """A in minor units."""
        return as_fraction(self.terms.error_scale) / as_fraction(self.terms.unit)

    def settle(self):
        def floats(column):
            return None if column is None else np.array(column)

        population = Population(
            self.agents,
            np.array(self.reports),
            np.array(self.samples),
            local_loss=floats(self.local_loss),
            federated_loss=floats(self.federated_loss),
            size=self.sizes,
        )
        return settle(population, self.terms, self.seed)

    def with_agent(self, i, *, report=None, samples=None):
        changed = self._replace(reports=self.reports.copy(), samples=self.samples.copy())
        if report is not None:
            changed.reports[i] = report
        if samples is not None:
            changed.samples[i] = samples
        return changed


def lists_with_ties(values, n):
    """n values, often the same few."""
    few = st.lists(values, min_size=1, max_size=3)
    return few.flatmap(
        lambda some: st.lists(st.sampled_from(some) | values, min_size=n, max_size=n)
    )


TERMS = {
    "alpha": st.just(0.0),
    "retention": st.sampled_from([0.0, 0.1, 0.333333, 1.0]),
    "consistency": st.sampled_from([0.0, 0.07, 1.0, 100.0]),
}


def sizes(n):
    return st.none() | st.lists(st.integers(1, 50), min_size=n, max_size=n)


@st.composite
def analytic(draw, largest=10**15):
    """By formula, with A/unit up to ``largest``; reports as tiny and as huge as amounts allow."""
    n = draw(st.integers(3, 8) | st.integers(3, 60))
    K = Fraction(draw(st.integers(1, largest)), draw(st.sampled_from([1, 3, 1000, 10**9])))
    unit = draw(st.sampled_from([1.0, 0.01, 1e-9, Fraction(1, 3)]))
    most = draw(st.sampled_from([3, 1000, 10**9]))
    A = K * as_fraction(unit)
    b = draw(st.sampled_from([1, 1.0, 0.3, 0.5, 2, Fraction(1, 3)]))
    rule = draw(st.sampled_from(["sandwich", "rebate", "shared"]))
    # For a report r·A the penalty is about K·r^((2+b)/(1+b))·m²; it stays well below 2^62.
    dearest = float(A) * (1e16 / (float(K) * most**2)) ** ((1 + b) / (2 + b))
    reports = draw(lists_with_ties(st.floats(1e-90, dearest), n + 1))
    samples = draw(lists_with_ties(st.integers(1, most), n + 1))
    return Scenario(
        [f"agent {k}" for k in range(n)],
        reports[:n],
        samples[:n],
        Terms(
            error_scale=A,
            exponent=b,
            rule=rule,
            unit=unit,
            **{name: draw(value) for name, value in TERMS.items()},
        ),
        draw(st.integers(0, 10**9)),
        reports[n],
        samples[n],
        sizes=draw(sizes(n)) if RULES[rule].knows_sizes else None,
    )


@st.composite
def measured(draw):
    """By measured losses; federation may help everybody, some or nobody."""
    n = draw(st.integers(3, 8) | st.integers(3, 60))
    loss = st.floats(0, 10) | st.integers(0, 1000).map(lambda cents: cents / 100)
    terms = Terms(
        unit=draw(st.sampled_from([1.0, 0.01, 1e-9])),
        loss_value=draw(st.sampled_from([1.0, 1234.5])),
        rule=draw(st.sampled_from(["sandwich", "rebate"])),
        **{name: draw(value) for name, value in TERMS.items()},
    )
    return Scenario(
        [f"agent {k}" for k in range(n)],
        draw(lists_with_ties(st.floats(1e-100, 1e100), n)),
        draw(lists_with_ties(st.integers(1, 10**9), n)),
        terms,
        draw(st.integers(0, 10**9)),
        1.0,
        1,
        draw(lists_with_ties(loss, n)),
        draw(lists_with_ties(loss, n)),
    )


def money(result):
    """Every amount in which money moves, and what is left of it."""
    names = ("fee", "charge", "compensation", "pool", "reward", "rebate", "net")
    return {name: getattr(result, name).tolist() for name in names} | {"surplus": result.surplus}


@examples
@given(analytic() | measured())
def test_1_money_is_conserved_and_never_short(scenario):
    result = scenario.settle()
    amounts = {name: getattr(result, name).tolist() for name in COLUMNS}
    paid = sum(amounts["fee"]) + sum(amounts["charge"])
    received = sum(amounts["compensation"]) + sum(amounts["reward"]) + sum(amounts["rebate"])
    assert paid - received == result.surplus
    assert sum(amounts["net"]) == -result.surplus
    assert result.surplus >= 0


def test_1_money_is_conserved_beyond_64_bits():
    """Charges of 4.6·10^18 each: one fits, three do not."""
    agents = Population(list("abc"), np.full(3, 4.5), np.full(3, 10**12))
    result = settle(agents, Terms(error_scale=1e12, unit=1.0, consistency=1e6))
    loss, least = 1 + 4.5 * 10**12, 1e12 / 471_405 + 4.5 * 471_405  # m* = √(10^12/4.5) = 471,404.5
    assert result.charge.tolist() == pytest.approx([1e6 * (loss - least)] * 3, rel=1e-12)
    assert result.surplus == -sum(result.net.tolist()) > 2**63


@examples
@given(analytic())
def test_2_nobody_is_worse_off_than_alone(scenario):
    """u·e(M) + fee − received ≤ u·e(m) in every draw, for agents not charged.

    Within the two units that rounding a fee up and a rebate down can cost; where fees are rounded
    down, to the unit. Floats of these formulas are good to a part in 10^14.
    """
    result, K, b = scenario.settle(), float(scenario.scale), scenario.exponent
    received, M = result.reward + result.rebate, float(sum(scenario.samples))
    rounding = 2 if result.rule.charges else 0
    for i, m in enumerate(scenario.samples):
        u = scenario.sizes[i] if scenario.sizes else 1
        ends, alone = u * K * M**-b - float(received[i] - result.fee[i]), u * K * m**-b
        if result.charge[i] == 0:
            assert ends <= alone + rounding + 1e-5 + 1e-14 * (alone + float(received[i]))


@examples
@given(measured())
def test_2_nobody_is_worse_off_than_alone_by_measured_losses(scenario):
    """Unless federation hurt more than it helped, which the shortfall says."""
    result = scenario.settle()
    value = as_fraction(scenario.terms.loss_value) / as_fraction(scenario.terms.unit)
    losses = zip(scenario.local_loss, scenario.federated_loss, result.net.tolist(), strict=True)
    if result.shortfall == 0:
        for alone, together, net in losses:
            assert value * as_fraction(together) - net <= value * as_fraction(alone)


@examples
@given(
    m=st.integers(1, 10**12),
    S=st.integers(0, 10**12),
    c=st.floats(1e-200, 1e200),
    A=st.floats(1e-100, 1e100),
)
def test_3_fee_makes_up_for_what_federation_saves(m, S, c, A):
    paid = federated_loss(m, S, c, A) + effective_fee(m, S, A)
    assert math.isclose(paid, local_loss(m, c, A), rel_tol=1e-14)


@examples
@given(analytic())
def test_4_what_an_agent_receives_does_not_depend_on_what_it_does(scenario):
    before = scenario.settle()
    i = int(np.argmax(before.won))  # a winner, under sandwich
    other_samples = scenario.with_agent(i, samples=scenario.spare_samples).settle()
    other_report = scenario.with_agent(i, report=scenario.spare_report).settle()
    assert min(before.reward) >= 0
    assert min(before.rebate) >= 0
    for after in (other_samples, other_report):
        assert after.pool[i] == before.pool[i]
        assert after.rebate[i] == before.rebate[i]
        assert after.reward[i] == (before.reward[i] if after.won[i] else 0)
    assert (other_samples.won == before.won).all()


@examples
@given(analytic() | measured(), st.data())
def test_5_order_of_agents_does_not_matter(scenario, data):
    order = data.draw(st.permutations(range(len(scenario.agents))))

    def permuted(column):
        return column and [column[i] for i in order]

    before = scenario.settle()
    after = scenario._replace(
        agents=permuted(scenario.agents),
        reports=permuted(scenario.reports),
        samples=permuted(scenario.samples),
        local_loss=permuted(scenario.local_loss),
        federated_loss=permuted(scenario.federated_loss),
        sizes=permuted(scenario.sizes),
    ).settle()
    for name in COLUMNS:
        assert getattr(after, name).tolist() == getattr(before, name)[order].tolist()
    assert (after.surplus, after.shortfall) == (before.surplus, before.shortfall)


def few_digits(scenario):
    """With reports of two digits: times a power of ten they are still the decimals they print."""
    return scenario._replace(reports=[float(f"{report:.1e}") for report in scenario.reports])


def times_ten_to(reports, power):
    return [float(Decimal(repr(report)).scaleb(power)) for report in reports]


@examples
@given(analytic().map(few_digits), st.integers(1, 3))
def test_6_unit_of_samples_does_not_matter(scenario, power):
    """(m, A, c) → (t·m, t^b·A, c/t). But charges: in finer samples, the best is met better."""
    old = scenario.terms
    times = {1: 1, 0.5: 2, 2: 1, Fraction(1, 3): 3}  # so that t^b is a fraction
    b = old.exponent if old.exponent in times else 1
    if times[b] > 1:
        power = 1  # so that no agent gets too many
    t = 10 ** (power * times[b])
    before = scenario._replace(terms=replace(old, exponent=b))
    changed = before._replace(
        terms=replace(old, exponent=b, error_scale=round(t**b) * old.error_scale),
        samples=[t * m for m in scenario.samples],
        reports=times_ten_to(scenario.reports, -power * times[b]),
    )
    one, other = before.settle(), changed.settle()
    for name in ("fee", "compensation", "pool", "reward", "rebate"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    people = other.population
    size = 1 if people.size is None else people.size
    own = other.rule.own_curve(other.terms.curve, size, people.total_size)
    within = own.optimum(people.reported_cost) < MOST_SAMPLES
    assert (other.charge >= one.charge)[within].all()  # the finer choice holds the coarser one


@examples
@given(analytic().map(few_digits), st.integers(-3, 3))
def test_6_unit_of_loss_does_not_matter(scenario, power):
    """(A, c, unit) → t·(A, c, unit)."""
    t, old = Fraction(10) ** power, scenario.terms
    changed = scenario._replace(
        terms=replace(old, error_scale=t * old.error_scale, unit=t * as_fraction(old.unit)),
        reports=times_ten_to(scenario.reports, power),
    )
    assert money(changed.settle()) == money(scenario.settle())


@examples
@given(analytic())
def test_7_more_samples_lower_the_own_fee_and_no_other(scenario):
    more = scenario.with_agent(0, samples=scenario.samples[0] + scenario.spare_samples)
    before, after = scenario.settle(), more.settle()
    if scenario.terms.rule != "shared":  # there one that is paid may be paid less
        assert after.fee[0] <= before.fee[0]
    assert (after.fee[1:] >= before.fee[1:]).all()


@examples
@given(analytic() | measured())
def test_8_same_seed_gives_the_same_outcome(scenario):
    first, second = scenario.settle(), scenario.settle()
    assert money(first) == money(second)
    assert first.won.tolist() == second.won.tolist()
    assert first.group.tolist() == second.group.tolist()


def test_8_another_seed_gives_another_draw():
    agents = Population([f"agent {k}" for k in range(60)], np.ones(60), np.ones(60, np.int64))
    terms = Terms(error_scale=1.0, rule="sandwich")
    draws = {tuple(settle(agents, terms, seed).group.tolist()) for seed in range(20)}
    assert len(draws) == 20


@examples
@given(st.integers(3, 60).flatmap(lambda n: lists_with_ties(st.floats(1e-300, 1e300), n)))
def test_9_win_probabilities_add_up_to_the_groups(reports):
    assert math.isclose(win_probability(reports).sum(), len(reports) // 3, rel_tol=1e-12)


@examples
@given(analytic() | measured())
def test_9_each_group_is_three_of_which_the_median_wins(scenario):
    sandwich = replace(scenario.terms, rule="sandwich")
    result = scenario._replace(terms=sandwich, sizes=None).settle()
    n, reports = len(scenario.agents), np.array(scenario.reports)
    groups = [np.flatnonzero(result.group == g) for g in range(n // 3)]
    assert (result.group == -1).sum() == n % 3
    assert result.won.sum() == n // 3
    for members in groups:
        (winner,) = members[result.won[members]]
        assert len(members) == 3
        assert reports[winner] == np.median(reports[members])


@examples
@given(analytic(largest=100))
def test_10_amounts_are_rounded_down_from_rounded_down_pools(scenario):
    """Small fees, where rounding weighs most."""
    result, K, M = scenario.settle(), scenario.scale, sum(scenario.samples)
    n, rule = len(scenario.agents), result.rule
    share = (1 - as_fraction(scenario.terms.retention)) / rule.among(n)
    fees, pools = result.fee.tolist(), result.pool.tolist()
    received = (result.reward + result.rebate).tolist()
    for i, m in enumerate(scenario.samples):
        if scenario.exponent == 1 and rule.draws:
            assert fees[i] == math.floor(K / m - K / M)
            assert pools[i] == sum(
                math.floor(K / scenario.samples[j] - K / (M - m)) for j in range(n) if j != i
            )
        if not rule.draws or result.won[i]:
            assert received[i] == math.floor(share * pools[i])


GOOD = {"agents": list("abcd"), "reported_cost": [1e-6] * 4, "samples": [10, 20, 30, 40]}


def settle_columns(agents, reported_cost, samples, seed=1, **terms):
    population = Population(agents, np.array(reported_cost), np.array(samples))
    return settle(population, Terms(**{"error_scale": 1.0, "rule": "sandwich"} | terms), seed)


@pytest.mark.parametrize(
    ("change", "index"),
    [
        ({"samples": [10, 20, 0, 40]}, 2),
        ({"samples": [10, 20, 30, -1]}, 3),
        ({"samples": [10.0, 20.0, 30.0, 40.0]}, None),
        ({"samples": [10, 20, 30, 10**12 + 1]}, 3),
        ({"samples": [10, 20, 30]}, None),
        ({"reported_cost": [1e-6, 0.0, 1e-6, 1e-6]}, 1),
        ({"reported_cost": [-1e-6, 1e-6, 1e-6, 1e-6]}, 0),
        ({"reported_cost": [1e-6, 1e-6, math.nan, 1e-6]}, 2),
        ({"reported_cost": [1e-6, 1e-6, math.inf, 1e-6]}, 2),
        ({"agents": list("ab"), "reported_cost": [1e-6] * 2, "samples": [10, 20]}, None),
        ({"agents": list("abca")}, 3),
        ({"minimum_samples": 31}, 0),
        ({"escrow": 1000, "unit": 1e-6}, 0),
        ({"reported_cost": [1e-6, 1e-6, 1e-6, 1e100], "rule": "rebate"}, 3),
        ({"reported_cost": [1e-6, 1e-6, 1e-6, 1e101]}, 3),
        ({"reported_cost": [1e-6, 1e-6, 1e-6, 1e-101]}, 3),
        ({"reported_cost": [1e-6, 1e-6, 1e-6, 1e20], "rule": "rebate"}, 3),
        ({"unit": 1e-30}, 0),
        ({"alpha": 2.0}, None),
        ({"exponent": 0.04}, None),
        ({"exponent": 2.01}, None),
        ({"exponent": math.nan}, None),
        ({"error_scale": None}, None),
        ({"error_scale": 0.0}, None),
        ({"error_scale": math.nan}, None),
        ({"unit": math.inf}, None),
        ({"retention": 1.5}, None),
        ({"retention": 1e-7}, None),
        ({"consistency": -1.0}, None),
        ({"seed": None}, None),
        ({"seed": -1}, None),
    ],
)
def test_11_bad_inputs_are_refused(change, index):
    settle_columns(**GOOD)
    with pytest.raises(InputError) as refusal:
        settle_columns(**GOOD | change)
    assert refusal.value.index == index


def test_11_limits_themselves_are_allowed():
    fee = settle_columns(**GOOD).fee.max().item()
    assert settle_columns(**GOOD, minimum_samples=30, escrow=fee).fee.max() == fee
    for exponent in (0.05, 2):
        assert settle_columns(**GOOD, exponent=exponent).surplus >= 0


@pytest.mark.parametrize(
    "change", [{"alpha": 2 - 1e-6}, {"reported_cost": [1e-6, 1e-6, 1e-6, 1e100]}]
)
def test_11_a_penalty_that_cannot_be_shown_is_refused_where_it_is_asked_for(change):
    settled = settle_columns(**GOOD | change)
    with pytest.raises(InputError) as refusal:
        _ = settled.penalty
    assert refusal.value.index == 3


def test_11_measured_losses_know_neither_sizes_nor_shared():
    losses = {"local_loss": [1.0] * 3, "federated_loss": [0.5] * 3}
    agents = Population(list("abc"), [1.0] * 3, [1] * 3, **losses)
    with pytest.raises(InputError, match="cannot settle by measured losses"):
        settle(agents, Terms(rule="shared"))
    sized = Population(list("abc"), [1.0] * 3, [1] * 3, size=[1, 2, 3], **losses)
    with pytest.raises(InputError, match="settling by measured losses knows no sizes"):
        settle(sized, Terms(rule="rebate"))
    without = Population(list("abc"), [1.0] * 3, [1] * 3, size=[1, 2, 3])
    with pytest.raises(InputError, match="the sandwich rule knows no sizes"):
        settle(without, Terms(error_scale=1.0, rule="sandwich"), 1)


@pytest.mark.parametrize("column", ["local_loss", "federated_loss"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_11_bad_losses_are_refused(column, bad):
    losses = {name: np.array([0.5, 0.5, 0.5]) for name in ("local_loss", "federated_loss")}
    losses[column][1] = bad
    with pytest.raises(InputError) as refusal:
        Population(list("abc"), np.ones(3), np.ones(3, np.int64), **losses)
    assert refusal.value.index == 1


@pytest.mark.parametrize(
    "change",
    [
        {"error_scale": 10**400},
        {"error_scale": Fraction(10**400)},
        {"error_scale": 1e100, "unit": 1e-100},
        {"error_scale": 1e300},
        {"unit": 1e-300},
        {
            "reported_cost": [1e100] * 4,
            "samples": [10**12] * 4,
            "error_scale": 1e-100,
            "unit": 1e-100,
            "rule": "rebate",
        },
    ],
)
def test_11_numbers_beyond_floats_are_refused(change):
    with pytest.raises(InputError):
        settle_columns(**GOOD | change)
