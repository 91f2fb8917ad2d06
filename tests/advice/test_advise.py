"""Advice before signing: its figures against settlements and by hand, and what it recommends."""

import numpy as np
import pytest

from fedfact import InputError, Population, Terms, settle
from fedfact.advice.advise import advise
from fedfact.advice.applicant import Applicant
from fedfact.advice.known_others import others_like
from fedfact.advice.recommendation import assumptions, guarantees, recommendation, verdict
from fedfact.mechanism import RULES, Others, whole_local_optimum, win_probability

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
    assert advice.largest_fee == 10**12 // 471
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


def test_capped_members_use_what_they_have_and_pay_no_charge():
    advice = advise(member(capacity=200))
    assert (advice.samples, advice.optimum) == (200, pytest.approx(471.4045))
    population = Population(
        [*"abcdefgh", "me"],
        np.append(COST, OWN),
        np.append(SAMPLES, 200),
        capped=np.arange(9) == 8,
    )
    result = settle(population, Terms(error_scale=1.0, unit=1e-12))
    loss = 1 / population.total + OWN * 200 - result.net[-1] * 1e-12
    assert advice.outcome.realised == pytest.approx(loss, abs=3e-12)
    assert advice.alone == pytest.approx(1 / 200 + OWN * 200)


def test_a_wrong_error_scale_breaks_a_losers_rationality():
    """docs/theory.md: an A a tenth too large costs a loser about 9 % of c·m*."""
    many = Others(np.full(10**5, 471.0), np.full(10**5, OWN))
    advice = advise(member(others=many, rule="sandwich"))
    excess = advice.if_error_scale_wrong * 2 * (OWN / 1.1) ** 0.5
    assert excess / (OWN * 471) == pytest.approx(0.095, abs=0.005)
    assert advise(member()).if_error_scale_wrong < 0  # the rebate leaves room


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
    harmed = advise(member(minimum_samples=3000))
    assert recommendation(harmed).startswith("Do not join: on average you would end at")
    forced = advise(member(rule="sandwich", minimum_samples=600))
    assert (forced.samples, verdict(forced)) == (600, "join with care")
    assert "bear the worst outcome" in recommendation(forced)
    poor = advise(member(escrow=10))
    assert verdict(poor) == "do not join"
    assert "exceeds the escrow of 0.000000000010" in recommendation(poor)
    harsh = advise(member(alpha=2 - 1e-6))
    assert verdict(harsh) == "do not join"
    assert "too close to 2" in recommendation(harsh)
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
    """It has 200 samples, or must use 450: it can neither use more nor hold back below that."""
    names = {deviation.name for deviation in advise(member()).deviations}
    assert len(names) == 5
    few = {deviation.name for deviation in advise(member(capacity=200)).deviations}
    assert names - few == {"report 20% more, use what that suggests"}
    bound = {deviation.name for deviation in advise(member(minimum_samples=450)).deviations}
    assert bound == {"report 20% more", "report 20% less"}
    assert all(
        deviation.added["rebate"] >= 0 for deviation in advise(member(capacity=200)).deviations
    )


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


def test_escrow_bounds_the_largest_fee():
    assert advise(member()).largest_fee == 10**12 // 471
    assert advise(member(escrow=2 * 10**9)).largest_fee == 2 * 10**9
