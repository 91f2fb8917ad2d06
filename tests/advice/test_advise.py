"""Advice before signing: its figures against settlements and by hand, and what it recommends."""

import numpy as np
import pytest

from fedfact import InputError, Population, Terms, settle
from fedfact.advice.advise import advise
from fedfact.advice.applicant import Applicant
from fedfact.advice.known_others import others_like
from fedfact.advice.recommendation import assumptions, guarantees, recommendation, verdict
from fedfact.mechanism import RULES, Curve, Others, whole_local_optimum, win_probability

COST = np.array([2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6, 8e-6, 9e-6])
SAMPLES = whole_local_optimum(COST, 1.0)
OWN = 4.5e-6
KNOWN = Others(SAMPLES.astype(float), COST)


def member(others=KNOWN, knows_reports=True, cost=OWN, capacity=None, **changes):
    terms = Terms(error_scale=1.0, unit=1e-12, **changes)
    return Applicant(cost, terms, others, knows_reports, capacity)


def settled_with(samples, report, rule, seed=0):
    """The settlement of the others and the member, who comes last."""
    population = Population(
        [*"abcdefgh", "me"], np.append(COST, report), np.append(SAMPLES, samples)
    )
    return settle(population, Terms(error_scale=1.0, unit=1e-12, rule=rule), seed)


def test_fee_and_rebate_are_those_of_the_settlement():
    advice = advise(member())
    result = settled_with(advice.samples, OWN, "rebate")
    assert advice.samples == 471  # √(1/4.5e-6) = 471.4
    assert advice.fee == result.fee[-1]
    assert advice.largest_fee == -(-(10**12) // 471)
    loss = 1 / result.population.total + OWN * 471 - result.net[-1] * 1e-12
    assert advice.outcome.realised == pytest.approx(loss, abs=3e-12)
    assert advice.outcome.worst == advice.outcome.best == advice.outcome.realised
    assert advice.alone == pytest.approx(1 / 471 + OWN * 471)


def test_sandwich_outcomes_are_those_of_winning_losing_and_their_exact_mean():
    advice = advise(member(rule="sandwich"))
    outcome = advice.outcome
    by_fate = {}
    for seed in range(40):
        result = settled_with(advice.samples, OWN, "sandwich", seed)
        loss = 1 / result.population.total + OWN * advice.samples - result.net[-1] * 1e-12
        by_fate[bool(result.won[-1])] = loss
    assert outcome.worst == pytest.approx(by_fate[False], abs=3e-12)
    assert outcome.best == pytest.approx(by_fate[True], abs=3e-12)
    chance = win_probability(np.append(COST, OWN))[-1]
    mean = chance * outcome.best + (1 - chance) * outcome.worst
    assert outcome.realised == pytest.approx(mean)
    assert outcome.believed == pytest.approx((outcome.best + outcome.worst) / 2)


def test_unknown_reports_realise_the_mean_over_all_agents():
    others = others_like(OWN, Terms(error_scale=1.0), agents=10, total=8000)
    assert others.total == 8000 - 471
    advice = advise(member(others=others, knows_reports=False, rule="sandwich"))
    outcome = advice.outcome
    assert outcome.realised == pytest.approx(0.3 * outcome.best + 0.7 * outcome.worst)
    assert all(deviation.added["sandwich_realised"] is None for deviation in advice.deviations)


def test_no_deviation_pays_under_rebate_and_free_riding_pays_only_without_a_mechanism():
    for kappa in (0.5, 1.0, 3.0):
        advice = advise(member(consistency=kappa), lie=0.3, free_ride=0.5)
        assert all(deviation.added["rebate"] > 0 for deviation in advice.deviations)
        # What honesty believes to win half of the time it would win less often for any lie.
        assert all(deviation.added["sandwich"] > 0 for deviation in advice.deviations)
        rides = [deviation for deviation in advice.deviations if "hold back" in deviation.name]
        assert len(rides) == 2
        assert all(ride.added["federated"] < 0 for ride in rides)


def test_a_lie_towards_the_median_pays_under_sandwich_once_reports_are_known():
    advice = advise(member(cost=2.4e-6, rule="sandwich"), lie=0.5)
    up = advice.deviations[0]
    assert up.added["sandwich"] > 0 > up.added["sandwich_realised"]


def test_members_with_less_data_use_what_they_have_and_pay_no_charge():
    advice = advise(member(capacity=200))
    assert (advice.samples, advice.optimum) == (200, pytest.approx(471.4045))
    population = Population(
        [*"abcdefgh", "me"],
        np.append(COST, OWN),
        np.append(SAMPLES, 200),
        capacity=np.append(SAMPLES, 200),
    )
    result = settle(population, Terms(error_scale=1.0, unit=1e-12))
    loss = 1 / population.total + OWN * 200 - result.net[-1] * 1e-12
    assert advice.outcome.realised == pytest.approx(loss, abs=3e-12)
    assert advice.alone == pytest.approx(1 / 200 + OWN * 200)


def test_a_wrong_error_scale_breaks_a_losers_rationality():
    """docs/theory.md: an A a tenth too large costs a loser about 9 % of c·m*."""
    many = Others(np.full(10**5, 471.0), np.full(10**5, OWN))
    wrong = advise(member(others=many, rule="sandwich")).if_wrong[0]
    assert wrong.name == "A is 10% too large"
    excess = wrong.worst["sandwich"] * 2 * (OWN / 1.1) ** 0.5
    assert excess / (OWN * 471) == pytest.approx(0.095, abs=0.005)
    assert wrong.worst["rebate"] < 0  # the rebate leaves room
    assert wrong.worst["shared"] < wrong.worst["rebate"]


def test_a_wrong_curve_by_settlements_with_the_stated_and_errors_of_the_true_one():
    advice = advise(member(exponent=0.5))
    for wrong in advice.if_wrong:
        true = Curve(wrong.error_scale, wrong.exponent)
        if wrong.name.startswith("b"):  # the same error for what the member would use alone
            assert true.error(advice.at_home) == pytest.approx(advice.at_home**-0.5)
        for outcome in advice.outcomes:
            others = member(exponent=0.5).under(RULES[outcome.rule]).others.total
            total = outcome.samples + others
            ends = outcome.worst + float(true.error(total)) - total**-0.5
            alone = float(true.error(m := true.optimum(OWN)) + OWN * m)
            assert wrong.worst[outcome.rule] == pytest.approx(ends / alone - 1, abs=1e-5)


@pytest.mark.parametrize("exponent", [0.3, 1.0])
def test_shared_asks_for_less_and_leaves_less_to_lose(exponent):
    """docs/theory.md: n equals end at min n^(−b)·A·m^(−b) + c·m under shared."""
    others = others_like(OWN, Terms(error_scale=1.0, exponent=exponent, rule="shared"), 16, None)
    advice = advise(member(others=others, knows_reports=False, rule="shared", exponent=exponent))
    own = Curve(16.0**-exponent, exponent)
    assert advice.samples == whole_local_optimum(OWN, own)
    assert advice.outcome.worst == pytest.approx(float(own.least_loss(OWN)), rel=1e-4)
    assert abs(advice.fee) < 10**12 * 1e-3  # next to nothing among equals
    by_rule = {outcome.rule: outcome.worst for outcome in advice.outcomes}
    assert by_rule["shared"] < by_rule["rebate"] < by_rule["sandwich"]


def test_sizes_scale_what_errors_cost_and_are_for_rules_that_know_them():
    sized = Others(SAMPLES.astype(float), COST, np.arange(1, 9))
    advice = advise(Applicant(OWN, Terms(error_scale=1.0, unit=1e-12), sized, True, size=4))
    assert advice.optimum == pytest.approx((4 / OWN) ** 0.5)
    assert {outcome.rule for outcome in advice.outcomes} == {"rebate", "shared"}
    population = Population(
        [*"abcdefgh", "me"],
        np.append(COST, OWN),
        np.append(SAMPLES, advice.samples),
        size=np.append(np.arange(1, 9), 4),
    )
    result = settle(population, Terms(error_scale=1.0, unit=1e-12))
    assert advice.fee == result.fee[-1]
    loss = 4 / population.total + OWN * advice.samples - result.net[-1] * 1e-12
    assert advice.outcome.realised == pytest.approx(loss, abs=3e-12)
    with pytest.raises(InputError, match="knows no sizes"):
        Applicant(OWN, Terms(error_scale=1.0, rule="sandwich"), KNOWN, True, size=4)


def test_recommendations():
    assert verdict(advise(member())) == "join"
    assert "In every outcome you end" in recommendation(advise(member()))
    drawn = advise(member(rule="sandwich"))
    assert "On average you end" in recommendation(drawn)
    assert "if you win" in recommendation(drawn)
    assert "At worst you end where training alone leaves you." in guarantees(drawn)
    assert guarantees(advise(member())) == list(RULES["rebate"].guarantees)
    # The cheapest agent is never a median: against known reports it cannot win.
    cheapest = advise(member(cost=1e-6, rule="sandwich"))
    assert verdict(cheapest) == "do not join"
    assert "brings you nothing" in recommendation(cheapest)
    assert guarantees(cheapest) == []
    small = advise(member(minimum_samples=600))
    assert (small.samples, small.least, verdict(small)) == (471, 600, "do not join")
    assert "the operator admits nobody with fewer than 600" in recommendation(small)
    poor = advise(member(escrow=10**9))  # a fee below that takes 1,000 samples, admission 3,000
    assert (poor.samples, poor.least, verdict(poor)) == (1000, 3000, "do not join")
    with pytest.raises(InputError, match="you cannot join"):
        member(minimum_samples=600, capacity=500)


def test_assumptions_fit_what_is_known():
    known, unknown = (
        " ".join(assumptions(advise(member(rule="sandwich", knows_reports=knows))))
        for knows in (True, False)
    )
    assert "exact chance" in known
    assert "mean over all agents" in unknown
    assert "Assumption 1" not in " ".join(assumptions(advise(member())))


def test_only_what_the_agent_can_do_is_considered():
    """It has 200 samples, or is billed for 150 at least: it cannot use more or be billed less."""
    names = {deviation.name for deviation in advise(member()).deviations}
    assert len(names) == 5
    few = advise(member(capacity=200)).deviations
    assert names - {deviation.name for deviation in few} == {
        "report 20% more, use what that suggests"
    }
    bound = {deviation.name for deviation in advise(member(minimum_samples=450)).deviations}
    assert names - bound == {
        "hold back 75% of the data",
        "hold back 75%, report what fits",
    }
    gains = [added for each in few for added in (each.added["rebate"], each.added["shared"])]
    assert all(gain is None or gain >= 0 for gain in gains)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": 1e308}, "a cost of 1e.308 is out of range"),
        ({"cost": 1e-90}, "samples best; do cost and error scale have the same unit"),
        ({"cost": float("nan")}, "out of range"),
    ],
)
def test_absurd_costs_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        member(**change)


def test_fees_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="take a larger unit"):
        Applicant(1e90, Terms(error_scale=1e100), KNOWN, knows_reports=True)
