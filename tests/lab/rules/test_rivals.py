"""What accuracy shaping, RealFM and auctions are known to do, shown with the lab's rules."""

import importlib.util
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.lab import Belief, Setting, Table
from fedfact.lab.rules.auction import Auction
from fedfact.lab.rules.realfm import Payoff, RealFM
from fedfact.lab.rules.shaping import EXTRA, Shaping, most_samples, shaped_equilibrium
from fedfact.mechanism import Curve, Terms

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

examples = settings(max_examples=40, deadline=None)
TERMS = Terms(error_scale=1.0)
ALL = Belief("all", 1.0)
CONVEX, LINEAR = Payoff(), Payoff(linear=True)
PAPER = 4.3755e-3  # RealFM's cost on CIFAR-10, tuned to 5,500 samples alone

costs = st.lists(st.floats(0.05, 20), min_size=2, max_size=8).map(np.array)


def utility(rule, cost, samples, report=None):
    """What agents have of it: worth of the model and money, less cost."""
    return -rule.losses(Table.of(TERMS, cost if report is None else report, samples), cost)


def lose(rule, table, cost, said, samples):
    """Of the first agent alone."""
    n = table.n
    return rule.losses_if(table, cost, np.full((n, 1), said), np.full((n, 1), samples))[0, 0]


# Accuracy shaping.


@pytest.mark.parametrize(
    ("n", "part"), [(2, 1.7071), (3, 1.8165), (5, 1.8944), (16, 1.9682), (100, 1.99499)]
)
def test_shaping_of_agents_alike(n, part):
    """m = m*(1 + √(1 − 1/n)), up to ε."""
    samples = Shaping().agreed(TERMS, np.full(n, 0.25))
    assert samples == pytest.approx(np.full(n, 2 * (1 + (1 - 1 / n) ** 0.5)), rel=2e-6)
    assert samples / 2 == pytest.approx(np.full(n, part), rel=5e-5)


def test_golden_ratio_where_the_others_have_as_much():
    one = np.ones(1)
    assert most_samples(one, one, Curve(1.0)) == pytest.approx((1 + 5**0.5) / 2, rel=1e-5)
    assert most_samples(one, 0 * one, Curve(1.0)) == pytest.approx(1, rel=1e-9)
    assert most_samples(one, 1e9 * one, Curve(1.0)) == pytest.approx(2, rel=2e-6)


@examples
@given(
    c=st.floats(1e-3, 1e3),
    S=st.floats(1e-6, 1e9),
    A=st.floats(1e-2, 1e6),
    b=st.just(1.0) | st.floats(0.05, 2),
)
def test_most_samples_are_where_the_line_meets_all_data(c, S, A, b):
    found = most_samples(np.array([c]), np.array([S]), Curve(A, b))[0]
    best = reference.optimum(c, (A, b))
    assert found == pytest.approx(reference.most(c, S, (A, b)), rel=1e-9)
    assert best * (1 - 1e-12) <= found < (1 + 1 / b) * best


@examples
@given(costs)
def test_shaping_equilibrium(cost):
    """The closed form is what play in turn ends at, and nobody has a better answer to it."""
    rule, alone, n = Shaping(), cost**-0.5, len(cost)
    samples = rule.agreed(TERMS, cost)
    P, Q = alone.sum(), (alone**2).sum()
    M = P + (P**2 - Q) ** 0.5
    assert samples == pytest.approx(2 * alone - alone**2 / M, rel=1e-5)
    assert samples == pytest.approx(reference.shaping_equilibrium(list(cost), 1.0), rel=1e-9)
    assert np.all((alone <= samples) & (samples < 2 * alone))
    table = Table.of(TERMS, cost, samples)
    assert rule.best_samples(table, cost, cost) == pytest.approx(samples, rel=1e-9)
    deal = rule.at(table)
    assert deal.error == pytest.approx(np.full(n, 1 / samples.sum()), rel=1e-9)
    assert deal.paid.tolist() == [0.0] * n
    gain = 2 * cost**0.5 - deal.loss(cost)
    assert gain == pytest.approx(EXTRA * cost * (samples - alone), rel=1e-3, abs=1e-14)
    grid = alone[:, None] * np.geomspace(0.01, 10, 801)
    assert np.all(
        rule.losses_if(table, cost, cost[:, None], grid) >= deal.loss(cost)[:, None] * (1 - 1e-12)
    )


@examples
@given(costs, st.floats(0.05, 2))
def test_shaping_equilibrium_with_other_curves(cost, b):
    """The same, without a closed form."""
    rule, terms, n = Shaping(), Terms(error_scale=1.0, exponent=b), len(cost)
    samples = rule.agreed(terms, cost)
    assert samples == pytest.approx(reference.shaping_equilibrium(list(cost), (1.0, b)), rel=1e-6)
    table = Table.of(terms, cost, samples)
    assert rule.best_samples(table, cost, cost) == pytest.approx(samples, rel=1e-9)
    deal, alone = rule.at(table), terms.curve.least_loss(cost)
    assert deal.error == pytest.approx(np.full(n, samples.sum() ** -b), rel=1e-9)
    assert deal.loss(cost) == pytest.approx(alone, rel=1e-5)
    grid = samples[:, None] * np.geomspace(0.01, 10, 801)
    least = rule.losses_if(table, cost, cost[:, None], grid).min(axis=1)
    assert np.all(least >= deal.loss(cost) * (1 - 1e-9))


@examples
@given(costs, st.integers(0, 10**6))
def test_shaping_is_feasible_and_better_than_alone(cost, seed):
    """At any samples: nobody's model is better than that of all data, nor worse than its own."""
    rng = np.random.default_rng(seed)
    report, samples = cost * rng.lognormal(0, 1, len(cost)), rng.lognormal(0, 1, len(cost))
    error = Shaping().outcome(TERMS, report, samples).error
    assert np.all(error >= 1 / samples.sum() * (1 - 1e-12))
    assert np.all(error <= 1 / samples * (1 + 1e-12))


@pytest.mark.parametrize("n", [2, 3, 6])
def test_no_rule_without_money_collects_more(n):
    """Feasible and rational profiles: A/M + c·m ≤ 2√(A·c) for all. None has more of any agent."""
    rng = np.random.default_rng(n)
    cost = rng.lognormal(0, 0.7, n)
    most = Shaping().agreed(TERMS, cost)
    near = most * np.exp(rng.normal(-0.02, 0.05, (20_000, n)))
    far = most * rng.uniform(0, 1.5, (20_000, n))
    profiles = np.concatenate((near, far))
    losses = 1 / profiles.sum(axis=1, keepdims=True) + cost * profiles
    rational = profiles[np.all(losses <= 2 * cost**0.5, axis=1)]
    assert len(rational) > 100
    assert np.all(rational <= most * (1 + 3 * EXTRA))
    assert np.any(rational > most * 0.95)
    assert shaped_equilibrium(cost**-0.5) == pytest.approx(most)


@pytest.mark.parametrize(
    ("report", "own", "total"),
    [(0.25, 3.567, 9.243), (0.5, 2.585, 8.220), (2, 1.342, 6.908), (4, 0.9615, 6.5)],
)
def test_who_reports_more_is_asked_for_less(report, own, total):
    """Four agents of cost 1, one of which lies, all answering each other."""
    samples = Shaping().agreed(TERMS, np.array([report, 1, 1, 1]))
    assert samples[0] == pytest.approx(own, rel=3e-4)
    assert samples.sum() == pytest.approx(total, rel=3e-4)


@pytest.mark.parametrize("S", [0.02, 0.1, 0.9, 1.0, 3.0, 15.0])
def test_a_liars_gain_from_shaping(S):
    """2√(A·c) − A/S where the others have m* or more; c·S otherwise, however high the report."""
    rule, cost = Shaping(), np.ones(3)
    table = Table.of(TERMS, cost, np.array([1.0, S / 2, S / 2]))
    said, samples = rule.reply(table, cost, ALL)
    gain = 2 - lose(rule, table, cost, said[0], samples[0])
    assert gain == pytest.approx(2 - 1 / S if S >= 1 else S, abs=5e-4)
    assert samples[0] == pytest.approx(max(0, 1 - S), abs=3e-4)
    losses = []
    for report in (1.0, 1.1, 2.0, 10.0, 1e3):
        best = rule.best_samples(table, cost, np.full(3, report))
        losses.append(lose(rule, table, cost, report, best[0]))
    assert losses[0] == pytest.approx(2, rel=2e-6)
    assert np.all(np.diff(losses) <= 1e-12)
    assert losses[1] < losses[0]


def test_a_liar_never_goes_below_what_it_lacks():
    """S = 0.1, a report of 4c: m_max is 0.679, and the agent uses 0.9."""
    table = Table.of(TERMS, np.ones(3), np.array([1.0, 0.05, 0.05]))
    said = np.full(3, 4.0)
    assert most_samples(said, table.others, Curve(1.0))[0] == pytest.approx(0.679, abs=1e-3)
    assert Shaping().best_samples(table, np.ones(3), said)[0] == pytest.approx(0.9, rel=1e-9)


@examples
@given(costs, st.floats(1e-3, 0.999))
def test_reporting_too_little_never_pays(cost, part):
    """The agent is at its m* then, with the loss of training alone."""
    rule = Shaping()
    table = Table.of(TERMS, cost, rule.agreed(TERMS, cost))
    samples = rule.best_samples(table, cost, part * cost)
    found = rule.losses_if(table, cost, part * cost[:, None], samples[:, None])[:, 0]
    assert found == pytest.approx(2 * cost**0.5, rel=1e-12)
    assert np.all(found >= rule.losses(table, cost))
    assert samples == pytest.approx(cost**-0.5, rel=1e-12)


# RealFM.


@pytest.mark.parametrize(
    ("payoff", "cost", "samples", "worth"),
    [
        (CONVEX, PAPER, 5500.8, 11.1993),
        (CONVEX, 5.694e-3, 3000.7, 5.7819),
        (LINEAR, 1.00185e-5, 5500.0, 0.77884),
        (LINEAR, 2.442e-5, 3000.3, 0.72203),
        (Payoff(best=0.995), 1.2e-2, 2978.1, None),
    ],
)
def test_samples_alone_in_realfm(payoff, cost, samples, worth):
    """The costs in its code, and the sizes they were tuned to."""
    alone = payoff.alone(np.array([cost]))
    assert alone == pytest.approx(samples, abs=0.06)
    if worth is not None:
        assert payoff(alone) - cost * alone == pytest.approx(worth, rel=1e-5)


@pytest.mark.parametrize(
    ("payoff", "low", "high"), [(CONVEX, 1e-4, 1.0), (LINEAR, 1e-7, 1.5e-3), (LINEAR, 3e-3, 1.0)]
)
def test_samples_alone_by_another_search(payoff, low, high):
    """Nothing where no samples are worth their cost."""
    cost = np.geomspace(low, high, 40)
    alone = payoff.alone(cost)
    want = np.array([reference.payoff_alone(c, payoff.linear) for c in cost])
    assert np.array_equal(alone == 0, want == 0)
    assert np.any(alone == 0) == (high == 1)
    assert alone == pytest.approx(want, rel=1e-4)
    assert np.all(payoff(alone) - cost * alone >= payoff(want) - cost * want - 1e-9)


def test_accuracy_is_nothing_at_first():
    m = np.array([0.0, 0.5, 1.0, 20.0, 1e4, 1e12])
    a = CONVEX.accuracy(m)
    assert a.tolist()[:4] == [0.0] * 4
    assert a[4] == pytest.approx(0.95 - ((2 * (2 + np.log(1e4))) ** 0.5 + 4) / 100)
    assert 0.94 < a[5] < 0.95
    assert LINEAR(m) == pytest.approx(a)
    assert CONVEX(m) == pytest.approx(1 / (1 - a) ** 2 - 1)


@pytest.mark.parametrize(("n", "samples"), [(2, 25183), (8, 51803), (16, 61306)])
def test_realfm_of_agents_alike(n, samples):
    """Where the server keeps its profit the shaped payoff is all: utility as alone."""
    rule, cost = RealFM(start=0.0, kept=1.0, payoff=CONVEX), np.full(n, PAPER)
    found = rule.agreed(TERMS, cost)
    assert found == pytest.approx(np.full(n, samples), abs=1)
    assert utility(rule, cost, found) == pytest.approx(np.full(n, 11.1993), rel=1e-4)


def test_realfm_of_different_agents():
    """One for whom training alone is not worth it contributes too."""
    rule = RealFM(start=0.0, kept=1.0, payoff=CONVEX)
    cost = PAPER * np.array([0.6, 0.8, 1, 1.2, 1.6, 3])
    alone = CONVEX.alone(cost)
    assert alone == pytest.approx([14036, 8539, 5501, 3660, 1697, 0], abs=1)
    samples = rule.agreed(TERMS, cost)
    assert samples == pytest.approx([70610, 55705, 45941, 39036, 29913, 16167], abs=2)
    by_oneself = CONVEX(alone) - cost * alone
    assert np.all(utility(rule, cost, samples) >= by_oneself - 1e-9)
    table = Table.of(TERMS, cost, samples)
    grid = np.append(0.0, np.geomspace(1, 1e6, 1500))
    none_better = rule.losses_if(table, cost, cost[:, None], np.tile(grid, (6, 1))).min(axis=-1)
    assert np.all(rule.losses(table, cost) <= none_better + 1e-9)


@pytest.mark.parametrize(("factor", "worth"), [(1, 11.2), (1.1, 27.4), (10, 178.6), (100, 194.8)])
def test_lying_pays_in_realfm(factor, worth):
    """The third of those six agents; all use what is best by what is reported."""
    rule = RealFM(start=0.0, kept=1.0, payoff=CONVEX)
    cost = PAPER * np.array([0.6, 0.8, 1, 1.2, 1.6, 3])
    report = cost * np.array([1, 1, factor, 1, 1, 1])
    samples = rule.agreed(TERMS, report)
    assert utility(rule, cost, samples, report)[2] == pytest.approx(worth, rel=5e-3)


@pytest.mark.parametrize("cost", [4e-6, 5e-5])
@pytest.mark.parametrize("n", [2, 5])
def test_at_least_the_samples_of_the_linear_payoff(cost, n):
    """At the same cost: here φ' = 2/(1−a)³ ≥ 2 is above the linear slope of 1."""
    convex, linear = (
        RealFM(start=0.0, kept=1.0, payoff=payoff).agreed(TERMS, np.full(n, cost))
        for payoff in (CONVEX, LINEAR)
    )
    assert np.all(convex >= linear)
    assert np.all(linear >= LINEAR.alone(np.full(n, cost)) * (1 - 1e-6))


@pytest.mark.parametrize("kept", [0.1, 0.17, 0.5])
def test_who_is_better_off_than_without_a_rule(kept):
    """Eight agents alike. Without a rule one of them contributes m°, and seven ride free.

    The server is better off where p·φ(a(M)) ≥ φ(a(m°)); even free riders are where the share
    (1 − p)·φ(a(M))/n makes up for the cost c·m° that they had not.
    """
    cost = np.full(8, PAPER)
    rule = RealFM(start=0.0, kept=kept, payoff=CONVEX)
    samples = rule.agreed(TERMS, cost)
    alone = float(CONVEX.alone(cost)[0])
    plain, whole = float(CONVEX(alone)), float(CONVEX(samples.sum()))
    deal = rule.outcome(TERMS, cost, samples)
    assert rule.profit(TERMS, samples.sum()) == pytest.approx(whole)
    assert -deal.paid.sum() == pytest.approx((1 - kept) * whole)
    server = rule.profit(TERMS, samples.sum()) + deal.paid.sum()
    assert server == pytest.approx(kept * whole)
    assert (server >= plain) == (kept > 0.1)
    found = -deal.loss(cost)
    assert np.all(found > plain - PAPER * alone)  # the one who contributes, or anybody alone
    assert np.all(found > plain) == (kept < 0.5)


@pytest.mark.parametrize("kept", [0.1, 0.5])
def test_the_share_is_paid_on_top(kept):
    """It never makes agents use less: the same as without it, or more."""
    cost = PAPER * np.array([0.8, 1.0, 1.0, 1.3])
    with_share, without = (
        RealFM(start=0.0, kept=part, payoff=CONVEX).agreed(TERMS, cost) for part in (kept, 1.0)
    )
    assert np.all(with_share >= without * (1 - 1e-6))


def test_realfm_of_errors_is_shaping_where_the_server_keeps_all():
    """With a worth of −A/m and nothing shared the two rules are one."""
    rng = np.random.default_rng(0)
    rule = RealFM(start=0.5, kept=1.0)
    for _ in range(20):
        cost, samples = rng.lognormal(0, 0.6, (2, 5))
        one, two = rule.outcome(TERMS, cost, samples), Shaping().outcome(TERMS, cost, samples)
        assert one.error == pytest.approx(two.error, rel=1e-12)
        assert one.paid == pytest.approx(np.zeros(5), abs=1e-15)
        assert rule.agreed(TERMS, cost) == pytest.approx(Shaping().agreed(TERMS, cost), rel=1e-5)


# Reverse auction.

BIDS = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_bidding_the_truth_is_dominant(jobs):
    """Whatever three others bid, tied or not, no bid does better than one's cost."""
    rule = Auction(jobs=jobs, size=3.0)
    tries = np.array([0.5, *BIDS, 1.5, 2.5, 3.5, 9.0])[None]
    work = np.full((4, tries.size), 3.0)
    for others in product(BIDS, repeat=3):
        for own in BIDS:
            cost = np.full(4, own)
            table = Table.of(TERMS, np.array([own, *others]), np.full(4, 3.0))
            losses = rule.losses_if(table, cost, np.tile(tries, (4, 1)), work)[0]
            truth = rule.losses(table, cost)[0]
            assert np.all(losses >= truth - 1e-12)
            assert truth <= 2 * own**0.5 + 1e-12  # and none is worse off than without it
            assert rule.best_report(table, cost, cost, ALL)[0] == own


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_the_server_pays_the_next_bid(jobs):
    """k·size times the (k+1)-th bid; all jobs are done; the lowest costs do them."""
    rule = Auction(jobs=jobs, size=3.0)
    for bids in product(BIDS, repeat=5):
        deal = rule.outcome(TERMS, bids, np.full(5, 3.0))
        ranked = sorted(bids)
        assert -deal.paid.sum() == pytest.approx(jobs * 3 * ranked[jobs])
        assert deal.used.sum() == pytest.approx(jobs * 3)
        assert (deal.used * bids).sum() == pytest.approx(3 * sum(ranked[:jobs]))
        assert deal.error.tolist() == [0.0] * 5


@pytest.mark.parametrize(("n", "jobs"), [(2, 2), (2, 3), (5, 5)])
def test_an_auction_needs_one_bidder_more_than_jobs(n, jobs):
    with pytest.raises(InputError, match=f"{jobs} jobs need {jobs + 1} bidders, and there are {n}"):
        Auction(jobs=jobs, size=1.0).outcome(TERMS, np.ones(n), np.ones(n))


def test_the_job_is_what_is_used():
    rule = Auction(jobs=1, size=3.0)
    assert rule.agreed(TERMS, np.array([1.0, 2.0])).tolist() == [3.0, 3.0]
    short = rule.outcome(TERMS, [1.0, 2.0], [2.0, 3.0])  # less work, less money
    assert short.used.tolist() == [2.0, 0.0]
    assert short.paid.tolist() == [-4.0, 0.0]
    more = rule.outcome(TERMS, [1.0, 2.0], [9.0, 3.0])  # and no more than the job
    assert more.used.tolist() == [3.0, 0.0]
    assert more.paid.tolist() == [-6.0, 0.0]


def given_costs(costs, terms):
    return Setting(terms, len(costs), "given", tuple(costs))


def test_realfm_takes_part_as_soon_as_it_is_worth_it():
    """Just above the threshold the samples that pay are few and far apart."""
    payoff, cost = Payoff(linear=True), 2.0991e-3
    m = float(payoff.alone(np.array(cost)))
    assert m == pytest.approx(143.2, abs=0.1)
    assert float(payoff(np.array(m))) - cost * m == pytest.approx(0.00327, abs=1e-5)


@pytest.mark.parametrize("unit", [1e-50, 1e-9, 1e50])
def test_realfm_knows_no_unit(unit):
    """Costs and samples in other units: the same play."""
    costs = np.array([0.7, 1.0, 1.3, 2.0])
    one, two = (given_costs(tuple(costs * each), Terms(error_scale=1e6)) for each in (1.0, unit))
    here, there = (
        setting.rule("realfm", 4).agreed(setting.terms, np.array(setting.given))
        for setting in (one, two)
    )
    assert there * unit**0.5 == pytest.approx(here, rel=1e-6)
    outcome = two.rule("realfm", 4).outcome(two.terms, np.array(two.given), there)
    was = one.rule("realfm", 4).outcome(one.terms, costs, here)
    assert outcome.loss(np.array(two.given)) / unit**0.5 == pytest.approx(was.loss(costs), rel=1e-6)


def test_equal_bids_are_chosen_by_lot_and_paid_what_they_bid():
    """An expectation over lots, with a seed too: nothing hangs on them for honest bidders."""
    rule = Setting.read(agents=4).rule("auction", 4)
    deal = rule.outcome(Terms(error_scale=1e6), [1.0] * 4, [1000] * 4, seed=3)
    assert deal.used == pytest.approx([500] * 4)
    assert deal.paid + deal.used == pytest.approx([0] * 4)
