"""Cases at the edge that went wrong once: ties, kinks, thresholds, lies of eight digits."""

import math
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from scipy import stats

from fedfact.lab import Belief, Setting, Table
from fedfact.lab.coalitions import colluders, middle_of
from fedfact.lab.dynamics import replies
from fedfact.lab.names import sybil
from fedfact.lab.realfm import Payoff
from fedfact.lab.sandwich import PaperSandwich
from fedfact.lab.world import World
from fedfact.mechanism import InputError, Terms, win_probability, win_probability_against


def given(costs, terms):
    return Setting(terms, len(costs), "given", tuple(costs))


@pytest.mark.parametrize(("n", "seed"), [(4, 0), (5, 0), (5, 9), (6, 9), (9, 1)])
def test_sandwich_comes_to_rest_only_where_nobody_can_win_more(n, seed):
    """Reports nearly alike are not alike: only the rank counts."""
    setting = Setting.read("norm:loc=1,scale=0.1", n)
    end = replies(setting.rule("sandwich", n), setting, setting.population(seed), seed=seed)
    assert end.converged
    for i in range(n):
        others = np.delete(end.reports, i)
        known = np.unique(others)
        tries = np.concatenate([known, (known[1:] + known[:-1]) / 2])
        best = win_probability_against(tries, others).max()
        assert win_probability(end.reports)[i] == pytest.approx(best)


@pytest.mark.parametrize(("costs", "n"), [("lognorm:s=0.5", 5), ("norm:loc=1,scale=0.1", 16)])
def test_liars_under_shaping_end_with_the_whole_model(costs, n):
    """One sample short of a line that falls by 10⁸·c would cost a fortune."""
    setting = Setting.read(costs, n)
    cost = setting.population(0)
    end = replies(setting.rule("shaping", n), setting, cost)
    assert end.converged
    whole = 1e6 / end.used.sum() + cost * end.used
    assert np.all(end.loss <= whole + 1e-4 * setting.alone(cost))


@pytest.mark.parametrize(
    ("others", "count"),
    [([1.0], 2), ([1.0, 1.0, 2.0], 2), ([1.0, 1.0, 2.0], 3), ([1.0, 2.0, 2.0, 2.0], 2)],
)
def test_colluders_stand_well_beside_others_who_tie(others, count):
    """Against every way to place them: with somebody, between, below or above."""
    known = sorted(set(others))
    edges = [known[0] - 0.5, *known, known[-1] + 1]
    places = known + [
        low + (high - low) * (k + 1) / (count + 1)
        for low, high in pairwise(edges)
        for k in range(count)
    ]

    def wins(reports):
        return win_probability([*reports, *others])[:count].sum()

    best = max(map(wins, combinations_with_replacement(places, count)))
    ours = float(middle_of(np.array([others]), count)[0])
    assert wins([ours] * count) == pytest.approx(best)


def test_both_names_of_one_bidder_work_at_its_own_cost():
    """Two jobs won by one with cost ½, paid 1 a sample."""
    costs = (0.5, 1.0, 1.2, 3.0, 4.0)
    setting = given(costs, Terms(error_scale=36.0))
    rule = setting.rule("auction", 5)
    borne = sybil(World(rule, setting, np.array([costs]))).borne[0]
    assert borne == pytest.approx(2 * math.sqrt(36 * 0.5) - 2 * rule.size * (1.0 - 0.5))


def test_colluders_under_pfl_have_no_penalty():
    """The report fits what both of them use."""
    setting = given((1.0, 1.0, 1.0), Terms(error_scale=50.0, alpha=1.2))
    world = World(setting.rule("penalised", 3), setting, np.ones((1, 3)))
    after = colluders(2, "all")(world)
    assert after.seen.deal.paid[0, :2] == pytest.approx([0, 0], abs=1e-6)


def test_papers_pool_where_a_total_is_below_what_one_agent_uses_now():
    """Agent 0 uses as much as all others twice, and asks what less would bring (Eq. 10 by hand)."""
    terms, rule = Terms(error_scale=1.0, alpha=1.0), PaperSandwich()
    cost, used = np.ones(3), np.array([4.0, 1.0, 1.0])
    asked = np.array([[0.25, 1.0, 2.0, 4.0], [1.0, 2.0, 1e3, 0.1], [1.0, 30.0, 0.01, 9.0]])
    found = rule.losses_if(Table.of(terms, cost, used), cost, cost[:, None], asked)
    for i in range(3):
        for k in range(4):
            changed = used.copy()
            changed[i] = asked[i, k]
            expected = rule.losses(Table.of(terms, cost, changed), cost)[i]
            assert found[i, k] == pytest.approx(expected, rel=1e-9)


def test_nobody_wants_to_win_where_winners_pay():
    """A saboteur has made the paper's pool negative; whoever cannot win keeps its local loss."""
    terms, rule = Terms(error_scale=50.0, alpha=1.2), PaperSandwich()
    cost = np.ones(6)
    table = Table.of(terms, [1.0, 1.1, 1.2, 0.9, 0.8, 1e4], np.full(6, 50**0.5))
    said, samples = rule.reply(table, cost, Belief("all", 1.0))
    losses = rule.losses_if(table, cost, said[:, None], samples[:, None])[:, 0]
    assert losses[:5] == pytest.approx(2 * 50**0.5, rel=1e-3)


def test_realfm_takes_part_as_soon_as_it_is_worth_it():
    """Just above the threshold the samples that pay are few and far apart."""
    payoff, cost = Payoff(linear=True), 2.0991e-3
    m = float(payoff.alone(np.array(cost)))
    assert m == pytest.approx(143.2, abs=0.1)
    assert float(payoff(np.array(m))) - cost * m == pytest.approx(0.00327, abs=1e-5)


def test_the_median_is_of_the_costs_that_are_drawn():
    """Draws that are no costs are drawn anew, and who knows the distribution knows that."""
    setting = Setting.read("norm:loc=1,scale=1", 16)
    truncated = stats.truncnorm(-1, np.inf, loc=1, scale=1)
    assert setting.median == pytest.approx(truncated.median(), rel=1e-9)
    assert setting.quantile(0.05) == pytest.approx(truncated.ppf(0.05), rel=1e-9)


@pytest.mark.parametrize(
    ("costs", "agents", "wrong"), [("norm:loc=inf", 16, "finite"), ("norm:loc=1", -1, "3 at least")]
)
def test_refused_before_anything_is_drawn(costs, agents, wrong):
    with pytest.raises(InputError, match=wrong):
        Setting.read(costs, agents)


def test_losses_have_the_shape_of_what_is_asked():
    """Also where a rule does not ask for reports."""
    setting = Setting.read(agents=4)
    cost = setting.population(0)
    for rule in setting.rules():
        table = Table.of(setting.terms, cost, rule.agreed(setting.terms, cost))
        asked = rule.losses_if(table, cost, cost[:, None] * np.ones(3), table.samples[:, None])
        assert asked.shape == (4, 3)


BAD_TABLES = {
    "negative report": ([1.0, -1.0, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "no report": ([1.0, np.nan, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "zero report": ([1.0, 0.0, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "endless report": ([1.0, np.inf, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "zero samples": ([1.0, 1.0, 2.0], [1.0, 0.0, 1.0], "samples is not above 0; leave out"),
    "no samples": ([1.0, 1.0, 2.0], [1.0, np.nan, 1.0], "samples is not above 0; leave out"),
    "unequal": ([1.0, 1.0, 2.0], [1.0, 1.0], "one of each for every agent"),
    "nobody": ([], [], "one of each for every agent"),
}


@pytest.mark.parametrize(("reports", "samples", "wrong"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_outcomes_of_nonsense_are_refused(reports, samples, wrong):
    setting = given((1.0, 1.0, 2.0), Terms(error_scale=50.0))
    for rule in setting.rules():
        with pytest.raises(InputError, match=wrong):
            rule.outcome(setting.terms, reports, samples)


@pytest.mark.parametrize("unit", [1e-50, 1e-9, 1e50])
def test_realfm_knows_no_unit(unit):
    """Costs and samples in other units: the same play."""
    costs = np.array([0.7, 1.0, 1.3, 2.0])
    one, two = (given(tuple(costs * each), Terms(error_scale=1e6)) for each in (1.0, unit))
    here, there = (
        setting.rule("realfm", 4).agreed(setting.terms, np.array(setting.given))
        for setting in (one, two)
    )
    assert there * unit**0.5 == pytest.approx(here, rel=1e-6)
    outcome = two.rule("realfm", 4).outcome(two.terms, np.array(two.given), there)
    was = one.rule("realfm", 4).outcome(one.terms, costs, here)
    assert outcome.loss(np.array(two.given)) / unit**0.5 == pytest.approx(was.loss(costs), rel=1e-6)


@pytest.mark.parametrize("name", ["sandwich", "sandwich-paper", "rebate"])
def test_two_agents_are_no_federation(name):
    """No group of three can be drawn, nor a rebate be paid."""
    rule = Setting.read(agents=3).rule(name, 3)
    with pytest.raises(InputError, match=f"{name} needs 3 agents, and there are 2"):
        rule.outcome(Terms(error_scale=1e6), [1.0, 1.1], [1000, 1000])


def test_equal_bids_are_chosen_by_lot_and_paid_what_they_bid():
    """An expectation over lots, with a seed too: nothing hangs on them for honest bidders."""
    rule = Setting.read(agents=4).rule("auction", 4)
    deal = rule.outcome(Terms(error_scale=1e6), [1.0] * 4, [1000] * 4, seed=3)
    assert deal.used == pytest.approx([500] * 4)
    assert deal.paid + deal.used == pytest.approx([0] * 4)


def test_bidders_that_set_the_price_ask_for_anything():
    """Three of four, two jobs: one of them has a job, at ten times its cost that the others bid."""
    setting = Setting.read(agents=4)
    world = World(setting.rule("auction", 4), setting, np.array([[1.0, 1.0, 1.0, 1.0]]))
    after = colluders(3, "all")(world)
    assert after.borne[0] == pytest.approx(3 * 2000 - 9 * 1000)
