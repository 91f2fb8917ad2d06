"""Coalitions: wins by enumeration, joint samples by scipy, merging and leaving in closed form."""

import importlib.util
import math
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from fedfact.lab import Setting, rule_names
from fedfact.lab.attacks.coalitions import colluders, leavers, likeliest_together
from fedfact.lab.attacks.identities import merged, sybil
from fedfact.lab.attacks.single import best_reply
from fedfact.lab.attacks.table import attack
from fedfact.lab.attacks.target import Target
from fedfact.mechanism import RULES, Terms, win_probability

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

SANDWICH = RULES["sandwich"]
A = 50.0
TERMS = Terms(error_scale=A, rule="sandwich", alpha=1.2, retention=0.1, consistency=0.7)
PLAIN = Terms(error_scale=1e6, rule="sandwich")
ROWS = [(0.7, 1.0, 1.6, 2.4, 1.3, 0.9)]
EQUAL = [(1.0,) * 16]


def world_of(name, rows, terms=TERMS, median=None):
    costs = rows[0] if median is None else [median] * len(rows[0])
    setting = Setting(terms, len(rows[0]), "given", tuple(costs))
    return Target(setting.rule(name, len(rows[0])), setting, np.array(rows))


def joint(target, reports, samples):
    """What the first agents bear together if they do this, by loops."""
    a, costs = len(reports), target.cost[0].tolist()
    said = [*reports, *costs[a:]]
    told = [*samples, *target.honest.samples[0, a:].tolist()]
    return sum(reference.losses(target.rule, target.setting.terms, costs, said, told, told)[:a])


# Wins.


@pytest.mark.parametrize(("count", "known", "wins"), [(2, False, 0.9375), (2, True, 1.0)])
def test_wins_of_two_colluders_of_sixteen(count, known, wins):
    """From 2·5/16 to twice the 15/32 of the median, or to 1 where they know all reports."""
    setting = Setting.read("norm:loc=1,scale=0.1", 16)
    name = f"collude-{count}" + "-known" * known
    seen = attack(setting, populations=3000, seed=1, rules=["sandwich"], attacks=[name]).document()[
        "cells"
    ][0]
    assert (seen["wins_before"], seen["wins"]) == (0.625, pytest.approx(wins, abs=1e-12))
    assert (seen["wins_before_exact"], seen["wins_exact"]) == (True, True)
    assert seen["gain"] > 0.1


def test_wins_at_the_median_in_closed_form():
    """L of 14 others below: each of two tied wins (15/16)(LU + ½·14)/105, E[LU] = 14·13/4."""
    chance = 15 / 16 * (14 * 13 / 4 + 7) / 105
    assert 2 * chance == pytest.approx(0.9375)
    assert SANDWICH.wins_at_quantile(0.5, 2, 16) == pytest.approx(0.9375)
    assert SANDWICH.wins_at_quantile(0.5, 1, 16) == pytest.approx(15 / 32)
    assert 2 * SANDWICH.among(16) / 16 == 0.625
    assert SANDWICH.wins_at_quantile(0.05, 1, 16) == pytest.approx(15 / 16 * 0.095)
    known = 15 / 16 * (7 * 7 + 7) / 105
    assert 2 * known == pytest.approx(1)
    costs = [*[1.0] * 2, *np.linspace(0.3, 0.9, 7), *np.linspace(1.1, 2, 7)]
    assert win_probability(costs)[:2].sum() == pytest.approx(1)


def middle_of(others, count):
    """Where colluders are likeliest to win under the sandwich."""
    return likeliest_together(SANDWICH, others, count)


def places_to_report(others, count):
    """With others, and in every gap: as many different numbers as there are colluders."""
    edges = [min(others) - 1, *sorted(set(others)), max(others) + 1]
    places = sorted(set(others))
    for low, high in pairwise(edges):
        places += [low + (high - low) * (k + 1) / (count + 1) for k in range(count)]
    return places


@pytest.mark.parametrize(
    ("n", "count"), [(3, 2), (4, 2), (5, 2), (5, 3), (6, 2), (6, 3), (7, 2), (7, 3), (16, 2)]
)
def test_no_reports_win_more_than_the_middle(n, count):
    """Every combination of ranks and ties of colluders among others that report apart."""
    others = [float(k) for k in range(1, n - count + 1)]
    said = float(middle_of(np.array([others]), count)[0])

    def wins(reports):
        return float(win_probability([*reports, *others])[:count].sum())

    best = max(map(wins, combinations_with_replacement(places_to_report(others, count), count)))
    assert wins([said] * count) == pytest.approx(best)
    if n == 16:
        assert best == pytest.approx(1)
    if n <= 7:
        assert sum(reference.chances([*[said] * count, *others])[:count]) == pytest.approx(best)


# Joint samples and reports.


@pytest.mark.parametrize("name", ["federated", "shaping", "realfm", "rebate", "shared", "sandwich"])
@pytest.mark.parametrize("count", [2, 3])
def test_colluders_use_what_is_best_for_all_of_them(name, count):
    """One part of m* for all: no other does better, by scipy over the loss of all."""
    target = world_of(name, ROWS)
    after = colluders(count, "all")(target)
    costs = ROWS[0][:count]
    own = reference.own(target.rule, len(ROWS[0]), A)
    best = [reference.optimum(c, own) for c in costs]

    def reports(samples):
        if name == "sandwich":
            return [float(middle_of(np.array([ROWS[0][count:]]), count)[0])] * count
        if name in ("rebate", "shared"):  # what fits
            return [reference.slope(m, own) for m in samples]
        return [1e8 * c for c in costs]

    def borne(part):
        samples = [part * m for m in best]
        return joint(target, reports(samples), samples)

    grid = np.geomspace(2e-4, 4, 200)
    k = int(np.argmin([borne(part) for part in grid]))
    bounds = grid[max(k - 1, 0)], grid[min(k + 1, 199)]
    least = minimize_scalar(borne, bounds=bounds, method="bounded", options={"xatol": 1e-12}).fun
    alone = sum(2 * math.sqrt(A * c) for c in costs)
    assert after.borne[0] == pytest.approx(least, abs=5e-4 * alone)
    assert after.borne[0] <= float(target.before.loss[0, :count].sum()) + 1e-9


def test_two_equal_colluders_under_the_rebate():
    """No other pair of samples is better for them, found by scipy from two that differ.

    Each pays less data into the other's rebate: H goes up by A/m·(1−ρ)/(n−1), and down by S.
    """
    rows = [(1.0,) * 6]
    target = world_of("rebate", rows)
    after = colluders(2, "all")(target)

    def borne(parts):
        samples = [abs(part) * math.sqrt(A) for part in parts]
        return joint(target, [A / m**2 for m in samples], samples)

    found = minimize(
        borne, [0.8, 1.3], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-9}
    )
    assert after.borne[0] == pytest.approx(found.fun, rel=2e-5)
    assert after.observed.deal.used[0, :2] / math.sqrt(A) == pytest.approx(
        np.abs(found.x), rel=1e-2
    )
    assert after.borne[0] < target.before.loss[0, :2].sum()


def test_colluders_that_know_the_distribution_report_its_median():
    target = world_of("sandwich", ROWS, median=1.2)
    after = colluders(2, "distribution")(target)
    wins = reference.chances([1.2, 1.2, *ROWS[0][2:]])
    assert after.wins[0] == pytest.approx(sum(wins[:2]))


@pytest.mark.parametrize("count", [2, 3])
def test_bidders_together_know_all(count):
    """The best of all ways to bid the truth, ten times it or a tenth, by loops over tied orders."""
    for costs in (ROWS[0], (0.7, 0.9, 1.0, 1.3, 1.6, 2.4), (2.0, 0.3, 1.1, 0.4, 0.5, 3.0)):
        target = world_of("auction", [costs])
        size = target.rule.size
        after = colluders(count, "all")(target)
        least = min(
            joint(target, [c * t for c, t in zip(costs, times, strict=False)], [size] * count)
            for times in product((1.0, 10.0, 0.1), repeat=count)
        )
        assert after.borne[0] == pytest.approx(least, rel=1e-9)


def test_two_bidders_raise_the_price():
    """By hand: two jobs, bids 1, 2, 3, 9: if the third stays out the first two are paid 9."""
    target = world_of("auction", [(3.0, 1.0, 2.0, 9.0)])
    after = colluders(2, "all")(target)
    size = target.rule.size
    assert target.rule.jobs == 2
    alone = 2 * math.sqrt(3 * A) + 2 * math.sqrt(A)
    assert target.before.loss[0, :2].sum() == pytest.approx(alone - (3 - 1) * size)
    assert after.borne[0] == pytest.approx(alone - (9 - 1) * size)


def test_collusion_at_the_best_of_a_choice_for_all_populations():
    """Who knows only the distribution bids in one way in all populations, the best on average."""
    rows = [(3.0, 1.0, 2.0, 9.0), (3.0, 4.0, 1.0, 2.0), (1.0, 4.0, 2.0, 2.5)]
    target = world_of("auction", rows)
    after = colluders(2, "distribution")(target)
    ways = []
    for times in product((1.0, 10.0, 0.1), repeat=2):
        way = []
        for costs in rows:
            said = [costs[0] * times[0], costs[1] * times[1], *costs[2:]]
            told = [target.rule.size] * 4
            way.append(sum(reference.losses(target.rule, TERMS, costs, said, told, told)[:2]))
        ways.append(way)
    alone = [2 * math.sqrt(A * a) + 2 * math.sqrt(A * b) for a, b, *_ in rows]
    best = min(ways, key=lambda way: sum(np.divide(way, alone)))
    assert after.borne == pytest.approx(best, rel=1e-9)


# Merging, splitting, leaving.


@pytest.mark.parametrize(("n", "k"), [(6, 1), (7, 2), (16, 3), (17, 2)])
def test_closed_forms_of_wins_by_simulation(n, k):
    """Costs from 0 to 1: k at the median, k at quantile 0.2, and all honest."""
    costs = np.random.default_rng(n).random((20_000, n))
    honest = win_probability(costs)[:, :k].sum(axis=1)
    at_median, at_quantile = costs.copy(), costs.copy()
    at_median[:, :k], at_quantile[:, :k] = 0.5, 0.2
    median = win_probability(at_median)[:, :k].sum(axis=1)
    quantile = win_probability(at_quantile)[:, :k].sum(axis=1)
    for seen, wanted in (
        (honest, k * SANDWICH.among(n) / n),
        (median, SANDWICH.wins_at_quantile(0.5, k, n)),
        (quantile, SANDWICH.wins_at_quantile(0.2, k, n)),
    ):
        assert abs(seen.mean() - wanted) <= 4 * seen.std() / math.sqrt(len(seen))


def test_two_that_merge_use_the_data_of_one():
    """Of sixteen alike: 2/(14+t) + t + 1/t − 1/(14+t), and the rebate of fourteen others; t ≈ 1.

    Twice as much data, as before, would have left them half of the gain. They end at 28.3 % of
    their loss alone, honest they would at 53.1 %.
    """
    target = world_of("rebate", EQUAL, PLAIN)
    after = merged(target)
    back = 14 * (1 - 1 / 15) / 14
    found = minimize_scalar(lambda t: 1 / (14 + t) + t + 1 / t, bounds=(0.1, 4), method="bounded")
    assert after.borne[0] / 1000 == pytest.approx(found.fun - back, rel=1e-6)
    assert after.observed.deal.used[0, 0] / 1000 == pytest.approx(found.x, rel=1e-3)
    before = float(target.before.loss[0, :2].sum())
    assert before / 4000 == pytest.approx(0.53125, rel=1e-12)
    assert after.borne[0] / 4000 == pytest.approx(0.2833, abs=1e-4)
    twice = 2 / 16 + 2 + 7 / 16 - back
    assert (before / 1000 - twice) / 4 == pytest.approx(0.1239, abs=1e-4)


def test_one_that_splits_uses_as_much_under_each_name():
    """By scipy, of sixteen alike: two names with t each, and the rebates of seventeen."""
    target = world_of("rebate", EQUAL, PLAIN)
    after = sybil(target)

    def borne(t):
        M, S = 15 + 2 * t, 15 + t
        fee = 1 / t - 1 / M
        back = (15 + 1 / t - 16 * 16 / (17 * S)) / 16
        return 2 * (fee - back) + 1 / M + 2 * t

    found = minimize_scalar(borne, bounds=(0.1, 4), method="bounded")
    assert after.borne[0] / 1000 == pytest.approx(found.fun, rel=1e-6)
    assert found.x == pytest.approx(1, abs=0.1)
    assert after.borne[0] > target.before.loss[0, 0]
    half = borne(0.5)
    assert (target.before.loss[0, 0] / 1000 - half) / 2 == pytest.approx(-0.936, abs=2e-3)


def test_names_by_other_code():
    """Sixteen: merged at least 36.7 % with the median; split −0.7 % ± 0.3 %."""
    setting = Setting.read()
    found = attack(
        setting, populations=2000, rules=["sandwich"], attacks=["merged", "sybil"]
    ).document()
    one, two = found["cells"]
    assert one["gain"] > 0.367
    assert abs(two["gain"] + 0.007) <= 4 * math.hypot(two["gain_error"], 0.003)


@pytest.mark.parametrize("name", ["federated", "penalised", "shaping", "realfm"])
def test_names_do_not_matter_where_a_lie_is_all(name):
    """Who free rides under one name or two bears what a liar bears, or two that collude."""
    rows = [tuple(np.linspace(0.8, 1.2, 16))]
    target = world_of(name, rows, PLAIN)
    together = float(colluders(2, "all")(target).borne[0])
    assert merged(target).borne[0] == pytest.approx(together, rel=5e-3)
    alone = 2000 * math.sqrt(0.8)
    liar = float(best_reply(target).borne[0])
    assert sybil(target).borne[0] == pytest.approx(liar, abs=1e-3 * alone)


@pytest.mark.parametrize("name", ["sandwich", "rebate", "shaping"])
def test_the_cheaper_of_two_has_the_data(name):
    """Whoever of them comes first."""
    one = merged(world_of(name, [(0.7, 1.6, 1.0, 2.4, 1.3, 0.9)], median=1.2))
    two = merged(world_of(name, [(1.6, 0.7, 1.0, 2.4, 1.3, 0.9)], median=1.2))
    assert one.borne[0] == pytest.approx(two.borne[0], rel=1e-6)


@pytest.mark.parametrize(
    "name", [name for name in rule_names() if name not in ("local", "auction", "first-best")]
)
@pytest.mark.parametrize("a", [3, 8])
def test_equal_agents_that_leave(name, a):
    """Each of a bears 2√(A·c/a), whatever the rule was; those left are as many fewer."""
    target = world_of(name, EQUAL, PLAIN)
    after = leavers(a)(target)
    assert after.borne[0] / a == pytest.approx(2 * math.sqrt(1e6 / a))
    rest = world_of(name, [EQUAL[0][a:]], PLAIN)
    assert after.observed.loss[0, after.others] == pytest.approx(rest.before.loss[0])


def test_unequal_agents_that_leave():
    """By scipy over the samples of each: the cheapest of three uses √(3A/c), the others nothing."""
    target = world_of("rebate", ROWS)
    after = leavers(3)(target)
    costs = np.array(ROWS[0][:3])

    def borne(samples):
        return 3 * A / np.abs(samples).sum() + float(np.abs(samples) @ costs)

    found = minimize(borne, [5.0, 5.0, 5.0], method="Powell", options={"ftol": 1e-12})
    assert after.borne[0] == pytest.approx(2 * math.sqrt(3 * A * 0.7), rel=1e-12)
    assert found.fun == pytest.approx(after.borne[0], rel=1e-4)
    shared = [math.sqrt(A / c) for c in costs]  # each a part of its m*: more
    assert after.borne[0] < 2 * math.sqrt(3 * A * float(shared @ costs) / sum(shared))


@pytest.mark.parametrize("attacked", [colluders(2, "all"), merged, sybil, leavers(3)])
def test_nothing_to_gain_together_alone(attacked):
    assert attacked(world_of("local", ROWS)) is None


def test_who_sells_may_share_a_model_and_go_on_selling():
    """So nothing is gained by leaving an auction that was not there to gain before."""
    assert leavers(3)(world_of("auction", ROWS)) is None
    assert leavers(8)(world_of("auction", EQUAL, PLAIN)) is None


def test_too_few_are_left():
    """A federation needs three: of five, three cannot leave, nor two of three be one."""
    assert leavers(3)(world_of("rebate", [ROWS[0][:5]])) is None
    assert merged(world_of("rebate", [ROWS[0][:3]])) is None
    assert leavers(3)(world_of("rebate", ROWS)) is not None


def given_costs(costs, terms):
    return Setting(terms, len(costs), "given", tuple(costs))


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
    setting = given_costs(costs, Terms(error_scale=36.0))
    rule = setting.rule("auction", 5)
    borne = sybil(Target(rule, setting, np.array([costs]))).borne[0]
    assert borne == pytest.approx(2 * math.sqrt(36 * 0.5) - 2 * rule.size * (1.0 - 0.5))


def test_colluders_under_pfl_have_no_penalty():
    """The report fits what both of them use."""
    setting = given_costs((1.0, 1.0, 1.0), Terms(error_scale=50.0, alpha=1.2))
    target = Target(setting.rule("penalised", 3), setting, np.ones((1, 3)))
    after = colluders(2, "all")(target)
    assert after.observed.deal.paid[0, :2] == pytest.approx([0, 0], abs=1e-6)


def test_bidders_that_set_the_price_ask_for_anything():
    """Three of four, two jobs: one of them has a job, at ten times its cost that the others bid."""
    setting = Setting.read(agents=4)
    target = Target(setting.rule("auction", 4), setting, np.array([[1.0, 1.0, 1.0, 1.0]]))
    after = colluders(3, "all")(target)
    assert after.borne[0] == pytest.approx(3 * 2000 - 9 * 1000)
