"""Three ways in which billing paid free riders, what each gained, and that none gains any more.

The terms are those that docs/deploy.md had then, with a minimum of 50. "Before" is how federations
billed once; losses are worked out from what is settled, the errors of the model that there really
is, and what was really used.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedfact import InputError, Population, Terms, settle
from fedfact.federation.agreement.contract import Enrolment, contracts_for, unfit
from fedfact.federation.agreement.delivery import (
    Attestation,
    Rounds,
    billed_population,
    deliveries,
)
from fedfact.federation.wire.canonical import decimal
from fedfact.mechanism import Curve, billing_floor, least_admitted, rule_of, whole_local_optimum

TERMS = Terms(error_scale=200000.0, unit=0.01, rule="rebate", minimum_samples=50)
ESCROW = replace(TERMS, escrow=100_000)
COSTS = {"oak": 1.25, "elm": 1.6, "fir": 2.2}
ALONE = float(Curve(200000.0).least_loss(2.2))  # of fir, which free rides
HASH = "ab" * 32
ROUNDS = 20


def enrolled(costs, capacities=None):
    capacity = capacities or {}
    return {
        name: Enrolment(
            member=name, key=HASH, reported_cost=decimal(cost), nonce=HASH,
            capacity=capacity.get(name),
        )
        for name, cost in costs.items()
    }  # fmt: skip


def agreed(costs, terms, sizes=None):
    return contracts_for(enrolled(costs), terms, HASH, sizes)


def lost(terms, population, rider, true_cost, really_used, part_of_work=1.0):
    """The loss of one that used so many samples, in this part of all rounds."""
    result = settle(population, terms)
    k = list(population.agents).index(rider)
    billed = int(population.samples[k])
    size = 1 if population.size is None else int(population.size[k])
    model = population.total - billed + really_used * part_of_work
    errors = float(terms.curve.times(size).error(model))
    return errors + true_cost * really_used * part_of_work - int(result.net[k]) * float(terms.unit)


def before(terms, costs, billed, rider, really_used, part_of_work=1.0):
    """As it was settled when these samples were billed."""
    samples = [billed[name] for name in costs]
    population = Population(list(costs), list(costs.values()), samples)
    return lost(terms, population, rider, COSTS[rider], really_used, part_of_work)


def now(terms, costs, used, rider, true_cost, *, held=ROUNDS, attended=None, sizes=None):
    """As it is settled where members used so many samples and attended so many rounds."""
    contracts = agreed(costs, terms, sizes)
    said = {
        name: Attestation(round=held, start=HASH, steps=1, samples=m, used=m, index=HASH)
        for name, m in used.items()
    }
    there = dict.fromkeys(said, held) | (attended or {})
    asked, rounds = dict.fromkeys(said, held), Rounds(ROUNDS, held)
    delivered = deliveries(contracts, said, there, asked, rounds, terms)
    population = billed_population(delivered, contracts)
    return lost(terms, population, rider, true_cost, used[rider], there[rider] / held)


def honest(terms=TERMS, costs=COSTS, sizes=None):
    return {name: each.samples for name, each in agreed(costs, terms, sizes).items()}


def test_what_members_agree_to():
    assert honest() == {"oak": 400, "elm": 354, "fir": 302}
    assert pytest.approx(1326.65, abs=0.01) == ALONE


def test_who_keeps_its_word_ends_below_its_loss_alone():
    assert now(TERMS, COSTS, honest(), "fir", 2.2) / ALONE == pytest.approx(0.732, abs=0.001)


# ------------------------------------------------------------- 1. billed at the minimum


def test_one_sample_billed_as_the_minimum_gained_a_fifth_of_the_loss_alone():
    """With an escrow of 100,000 nobody was billed for fewer than 200 samples."""
    least = 200_000 * 100 // 100_000
    lie = COSTS | {"fir": 200000.0 / least**2}  # so that 200 samples are best, and uncharged
    truth = before(TERMS, COSTS, honest(), "fir", 302)
    rides = before(TERMS, lie, honest() | {"fir": least}, "fir", 1)
    assert (truth - rides) / ALONE == pytest.approx(0.20, abs=0.005)


def test_the_minimum_is_billed_no_more():
    lie = COSTS | {"fir": 200000.0 / 200**2}
    assert least_admitted(ESCROW) == 600
    with pytest.raises(InputError, match=r"asks for 200 samples, .* with 600 or more"):
        agreed(dict.fromkeys(COSTS, 0.3) | {"fir": lie["fir"]}, ESCROW)
    # The best lie that is admitted: 600 samples agreed, one used, 200 billed, and a charge.
    costs = dict.fromkeys(COSTS, 0.3) | {"fir": 200000.0 / 600**2}
    rides = now(ESCROW, costs, honest(ESCROW, costs) | {"fir": 1}, "fir", 0.5)
    truth = dict.fromkeys(COSTS, 0.3) | {"fir": 0.5}
    keeps = now(ESCROW, truth, honest(ESCROW, truth), "fir", 0.5)
    assert rides - keeps > 0.5 * float(Curve(200000.0).least_loss(0.5))


# ------------------------------------------------------------------------- 2. early end


def test_an_early_end_that_billed_the_promise_gained_44_per_cent():
    truth = before(TERMS, COSTS, honest(), "fir", 302)
    rides = before(TERMS, COSTS, honest(), "fir", 1)
    assert (truth - rides) / ALONE == pytest.approx(0.44, abs=0.005)


@pytest.mark.parametrize("held", [1, 2, 10, 19])
def test_an_early_end_bills_what_was_used_at_that_pace(held):
    used = {"oak": 400, "elm": 354, "fir": 302}
    keeps = now(TERMS, COSTS, used, "fir", 2.2, held=held)
    rides = now(TERMS, COSTS, used | {"fir": 1}, "fir", 2.2, held=held)
    assert rides - keeps > ALONE
    on_time = {"oak": -(-400 * held // 20), "elm": -(-354 * held // 20)}
    pace = -(-302 * held // 20)  # just enough to have used all of it in the end
    for fewer in (pace - 1, pace // 2, 1):
        some = now(TERMS, COSTS, on_time | {"fir": max(fewer, 1)}, "fir", 2.2, held=held)
        enough = now(TERMS, COSTS, on_time | {"fir": pace}, "fir", 2.2, held=held)
        assert some >= enough - 0.02


# ------------------------------------------------------------------------- 3. attendance


def test_three_rounds_of_twenty_that_counted_as_all_of_them_gained_38_per_cent():
    """Rounds 1, 2 and 18: no more than two are missed at the end."""
    truth = before(TERMS, COSTS, honest(), "fir", 302)
    rides = before(TERMS, COSTS, honest(), "fir", 302, part_of_work=3 / 20)
    assert (truth - rides) / ALONE == pytest.approx(0.38, abs=0.005)


@pytest.mark.parametrize("rounds", range(1, 20))
def test_rounds_that_were_missed_are_not_billed(rounds):
    keeps = now(TERMS, COSTS, honest(), "fir", 2.2)
    rides = now(TERMS, COSTS, honest(), "fir", 2.2, attended={"fir": rounds})
    assert rides > keeps


# ------------------------------------------------------------------------- all together


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["rebate", "shared"]),
    st.sampled_from([1.0, 0.3, 0.7, 2.0]),
    st.sampled_from([None, 4_000, 30_000]),
    st.lists(st.floats(0.1, 20), min_size=3, max_size=6),
    st.booleans(),
    st.data(),
)
def test_no_report_and_no_way_to_use_less_pays(rule, b, escrow, costs, sized, data):
    """Over reports, samples used and rounds attended, within the two minor units of rounding."""
    scale = {1.0: 20000.0, 0.3: 300.0, 0.7: 3000.0, 2.0: 1e6}[b]
    terms = Terms(
        error_scale=scale, exponent=b, unit=0.01, rule=rule, minimum_samples=5, escrow=escrow
    )
    names = {f"member{k}": cost for k, cost in enumerate(costs)}
    sizes = {name: data.draw(st.integers(1, 9)) for name in names} if sized else None
    true_cost = costs[0]
    try:
        used = honest(terms, names, sizes)
        lie = names | {"member0": true_cost * data.draw(st.floats(0.05, 20))}
        promised = honest(terms, lie, sizes)
    except InputError:
        assume(False)
    keeps = now(terms, names, used, "member0", true_cost, sizes=sizes)
    m = data.draw(st.integers(1, promised["member0"]) | st.sampled_from([1, promised["member0"]]))
    attended = {"member0": data.draw(st.integers(1, ROUNDS) | st.just(ROUNDS))}
    rides = now(
        terms, lie, used | {"member0": m}, "member0", true_cost, attended=attended, sizes=sizes
    )
    assert rides >= keeps - 2 * 0.01 - 1e-9 * keeps


@pytest.mark.parametrize("rule", ["rebate", "shared"])
@pytest.mark.parametrize("b", [1.0, 0.3, 0.05, 2.0])
def test_a_third_of_the_least_is_low_enough(rule, b):
    """One sample used by whoever would gain most: the cost for which the least admitted is best."""
    for least in (3, 9, 50, 1000):
        terms = Terms(
            error_scale=1e6, exponent=b, unit=1e-4, rule=rule, minimum_samples=least
        )  # fmt: skip
        own = rule_of(terms).own_curve(terms.curve, 1, 3)
        for times in np.geomspace(0.01, 1, 25):  # the true cost, as a part of what it reports
            report = float(own.fitting_cost(least)) * 0.999
            true = report * float(times)
            rest = {"b": report / 4, "c": report / 4}
            assert unfit(enrolled({"a": report})["a"], terms, 1, 3) is None
            truth = {"a": true} | rest
            keeps = now(terms, truth, honest(terms, truth), "a", true)
            lie = {"a": report} | rest
            rides = now(terms, lie, honest(terms, truth) | {"a": 1}, "a", true)
            assert int(whole_local_optimum(report, own)) >= least
            assert billing_floor(terms) == -(-least // 3)
            assert rides >= keeps - 2e-4 - 1e-9 * keeps
