"""Attacks by one agent: numbers of the theory found again, and each against an own calculation."""

import importlib.util
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from fedfact.lab import Setting, rule_names
from fedfact.lab.attacks.single import (
    best_reply,
    free_rider,
    imitator,
    learner,
    median,
    misreport,
    saboteur,
    unverified,
)
from fedfact.lab.attacks.table import attack
from fedfact.lab.attacks.target import Target
from fedfact.mechanism import RULES, Others, Terms, best_response, simulate_draws

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

A = 50.0
TERMS = Terms(error_scale=A, rule="sandwich", alpha=1.2, retention=0.1, consistency=0.7)
POPULATIONS = {
    4: [(0.7, 1.0, 1.6, 2.4), (2.0, 0.5, 0.9, 1.1)],
    5: [(1.4, 0.9, 1.1, 1.5, 0.8), (0.6, 0.9, 1.1, 1.5, 0.8)],
    7: [(1.3, 0.6, 0.9, 2.2, 1.0, 1.7, 0.8), (0.5, 0.6, 0.9, 2.2, 1.0, 1.7, 0.8)],
}
REPORTING = [name for name in rule_names() if name not in ("local", "federated", "first-best")]
BENCHMARKS = ("vcg", "first-best")


def world_of(name, rows, terms=TERMS, seed=0):
    setting = Setting(terms, len(rows[0]), "given", tuple(rows[0]))
    return Target(setting.rule(name, len(rows[0])), setting, np.array(rows), seed)


def losses(target, k, said, samples, used=None):
    """Of population k where the first agent does this among honest agents, by loops."""
    costs = target.cost[k].tolist()
    rest = target.honest.samples[k, 1:].tolist()
    told = [samples, *rest]
    real = told if used is None else [used, *rest]
    terms = target.setting.terms
    return reference.losses(target.rule, terms, costs, [said, *costs[1:]], told, real)


# The theory's numbers, with sixteen agents.


def test_reporting_the_median_gains_half_the_local_loss():
    """At q = 0.05 of costs about the same: (15/16)(½ − 2q(1−q))·R, R = 14/5 of c·m*; 53 %."""
    setting = Setting.read("norm:loc=1,scale=1e-3", 16)
    found = attack(
        setting, populations=4000, rules=["sandwich", "rebate"], attacks=["median-low"]
    ).document()["cells"]
    wanted = 15 / 16 * (1 / 2 - 2 * 0.05 * 0.95) * (14 / 5) / 2
    assert wanted == pytest.approx(0.5316, abs=1e-4)
    gains = {each["rule"]: each for each in found}
    sandwich = gains["sandwich"]
    assert sandwich["gain_error"] < 0.005
    assert abs(sandwich["gain"] - wanted) <= 4 * sandwich["gain_error"]
    assert sandwich["payer"] == "the honest"
    assert gains["rebate"]["gain"] <= 0
    assert not any(each["irrational"] or each["deficit"] for each in found)


def test_a_saboteur_of_the_papers_pool():
    """Honest winners may pay under the paper's pool, and never under ours; nor does it run dry."""
    setting = Setting.read("norm:loc=1,scale=0.1", 16)
    rules = ["sandwich-paper", "sandwich", "rebate"]
    found = attack(setting, populations=100, rules=rules, attacks=["saboteur"]).document()["cells"]
    paper, ours, rebate = found
    assert paper["irrational"] == 1
    assert paper["honest"] > 1e4
    assert paper["payer"] == "the honest"
    for each in (ours, rebate):
        assert (each["irrational"], each["deficit"], each["payer"]) == (0, False, "nobody")
        assert each["gain"] < 0


@pytest.mark.parametrize("name", ["sandwich", "rebate"])
def test_claims_that_nobody_verifies(name):
    """Equal agents: 1/15 for the model and a fee of A/(100m*) − A/(115m*): 3.4 % of the loss.

    So under the rebate a false count gains 1 − (1/15)/2 = 0.967 of the loss alone, less that fee.
    """
    terms = Terms(error_scale=1e6, rule="sandwich")
    after = unverified(world_of(name, [(1.0,) * 16], terms))
    reward = {"sandwich": 14 / 16, "rebate": 15 / 16}[name]  # as before, in units of c·m*
    left = 1 / 15 + 1 / 100 - 1 / 115
    assert left / 2 == pytest.approx(0.03399, abs=1e-5)
    assert after.borne[0] / 1000 + reward == pytest.approx(left, rel=1e-9)
    assert after.observed.deal.used[0, 0] == 0


@pytest.mark.parametrize(("exponent", "gain"), [(1.0, 0.1917), (0.3, 0.27)])
def test_what_a_false_count_brings_under_shared(exponent, gain):
    """docs/theory.md: 0.19 of the loss alone at b = 1, where it claims m*·5/4, and 0.27 at 0.3."""
    terms = Terms(error_scale=1e6, exponent=exponent)
    target = world_of("shared", [(1.0,) * 16], terms)
    alone = target.alone(1)[0]
    found = (target.before.loss[0, 0] - unverified(target).borne[0]) / alone
    S = float(target.honest.samples[0, 1:].sum())

    def loss(claim):
        return terms.curve.error(S) + terms.curve.error(16 * claim) - terms.curve.error(S + claim)

    claims = target.honest.samples[0, 0] * np.geomspace(0.1, 1e4, 100_001)
    best = (target.before.loss[0, 0] - loss(claims).min()) / alone
    assert best == pytest.approx(gain, abs=5e-3)
    assert best - 0.01 < found <= best * (1 + 1e-9)


@pytest.mark.parametrize("name", rule_names())
def test_unverified_claims_pay_under_every_rule(name):
    found = attack(Setting.read(), populations=50, rules=[name], attacks=["unverified"]).document()[
        "cells"
    ][0]
    assert found["applies"] is (name not in ("local", *BENCHMARKS))
    if found["applies"]:
        assert found["gain"] > (0.19 if name == "shared" else 0.4)


@pytest.mark.parametrize("n", POPULATIONS)
def test_a_liar_beats_the_penalty(n):
    """It uses what it would without a rule, max(0, m* − S), and pays no penalty."""
    target = world_of("penalised", POPULATIONS[n])
    after = best_reply(target)
    for k, costs in enumerate(POPULATIONS[n]):
        best = [math.sqrt(A / c) for c in costs]
        m = max(0, best[0] - sum(best[1:]))
        assert after.observed.deal.used[k, 0] == pytest.approx(m)
        assert abs(after.observed.deal.paid[k, 0]) <= 1e-5 * best[0] * costs[0]
        plain = A / (m + sum(best[1:])) + costs[0] * m
        assert after.borne[k] == pytest.approx(plain, rel=1e-4)
        assert after.borne[k] < target.before.loss[k, 0]


def test_a_liar_beats_the_penalty_where_it_has_to_use_data():
    """One that is far cheaper than two others: m* = 10, S = 4, so 6, and no penalty either."""
    target = world_of("penalised", [(0.5, 12.5, 12.5)])
    after = best_reply(target)
    assert after.observed.deal.used[0, 0] == pytest.approx(6)
    assert after.observed.deal.paid[0, 0] == pytest.approx(0, abs=1e-9)
    assert after.borne[0] == pytest.approx(50 / 10 + 3)


# Each attack by an own calculation.


@pytest.mark.parametrize("n", [4, 7])
@pytest.mark.parametrize("name", ["sandwich", "rebate"])
def test_best_replies_are_those_of_the_mechanism(name, n):
    """The search of `best_response`, over ranks and ties or over reports and samples."""
    target = world_of(name, POPULATIONS[n])
    after = best_reply(target)
    for k, costs in enumerate(POPULATIONS[n]):
        others = Others(np.sqrt(A / np.array(costs[1:])), np.array(costs[1:]))
        answer = best_response(name, costs[0], others, TERMS)
        assert after.borne[k] == pytest.approx(answer.loss, rel=1e-9)


@pytest.mark.parametrize("n", POPULATIONS)
def test_best_replies_in_closed_form(n):
    rows = POPULATIONS[n]
    for k, costs in enumerate(rows):
        c, best = costs[0], [math.sqrt(A / x) for x in costs]
        S, alone = sum(best[1:]), 2 * math.sqrt(A * c)
        m = max(0, best[0] - S)
        wanted = {"local": alone, "federated": A / (S + m) + c * m}
        shaped = reference.shaping_equilibrium(costs, A)
        S = sum(shaped[1:])
        assert best[0] < S  # so that the liar needs to use next to nothing
        wanted["shaping"] = A / S
        for name, loss in wanted.items():
            spent = 2.1e-4 * alone / 2 if name == "shaping" else 1e-9  # it says 1e8 times its cost
            assert best_reply(world_of(name, rows)).borne[k] == pytest.approx(loss, abs=spent)
    for name in ("rebate", "shared", "auction"):
        target = world_of(name, rows)
        assert best_reply(target).borne == pytest.approx(target.before.loss[:, 0], rel=1e-12)


@pytest.mark.parametrize("n", [4, 7])
def test_best_reply_under_realfm_by_scipy(n):
    """A liar has the whole model, and the share of the profit that its samples bring."""
    target = world_of("realfm", POPULATIONS[n])
    after = best_reply(target)
    start = target.rule.start
    for k, costs in enumerate(POPULATIONS[n]):
        S = float(target.honest.samples[k, 1:].sum())

        def loss(m, c=costs[0], S=S):
            M = S + m
            return A / M + c * m - 0.5 * (A / start - A / M) * m / M

        found = minimize_scalar(loss, bounds=(0, 5 * S), method="bounded")
        least = min(found.fun, loss(0))
        assert after.borne[k] == pytest.approx(least, abs=3e-4 * 2 * math.sqrt(A * costs[0]))


@pytest.mark.parametrize("name", REPORTING)
@pytest.mark.parametrize("factor", [0.5, 0.9, 1.3, 5.0])
def test_a_lie_with_the_samples_that_are_best_for_it(name, factor):
    """By scipy over samples; the auction's job is fixed."""
    rows = POPULATIONS[5]
    target = world_of(name, rows)
    after = misreport(factor)(target)
    for k, costs in enumerate(rows):
        said = factor * costs[0]

        def loss(m, k=k, said=said):
            return losses(target, k, said, m)[0]

        if name == "auction":
            assert after.borne[k] == pytest.approx(loss(target.rule.size), rel=1e-12)
            continue
        grid = math.sqrt(A / costs[0]) * np.geomspace(0.05, 20, 81)
        at = int(np.argmin([loss(m) for m in grid]))
        bounds = grid[max(at - 1, 0)], grid[min(at + 1, 80)]
        least = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
        close = 1e-4 if name in ("sandwich-paper", "realfm") else 1e-6
        assert after.borne[k] == pytest.approx(least.fun, rel=close)


@pytest.mark.parametrize("attacked", [misreport(1.2), median, saboteur])
@pytest.mark.parametrize("name", ["local", "federated", "first-best"])
def test_no_report_no_lie(name, attacked):
    assert attacked(world_of(name, POPULATIONS[4])) is None


@pytest.mark.parametrize("name", [name for name in rule_names() if name not in BENCHMARKS])
def test_a_rider_that_is_seen(name):
    """A tenth of the agreed samples, with its true cost; and the others."""
    rows = POPULATIONS[5]
    target = world_of(name, rows)
    after = free_rider(target)
    for k, costs in enumerate(rows):
        m = 0.1 * float(target.honest.samples[k, 0])
        wanted = losses(target, k, costs[0], m)
        assert after.borne[k] == pytest.approx(wanted[0], rel=1e-9)
        assert after.observed.loss[k, after.others] == pytest.approx(wanted[1:], rel=1e-9)
    if name in ("sandwich", "rebate", "shared", "penalised"):
        assert np.all(after.borne > target.before.loss[:, 0])
    if name == "federated":
        assert np.all(after.borne < target.before.loss[:, 0])


@pytest.mark.parametrize("name", [name for name in rule_names()[1:] if name not in BENCHMARKS])
def test_the_best_of_claims(name):
    """Five claims, with a report that is true, fits, is the median or in any place among others:
    as good as all that are the same for all populations."""
    rows = POPULATIONS[5]
    target = world_of(name, rows)
    after = unverified(target)
    alone = [2 * math.sqrt(A * costs[0]) for costs in rows]
    own, tries = reference.own(target.rule, 5, A), []
    for times in (1, 2, 5, 10, 100):
        for said in ("true", "fits", "median"):
            row = []
            for k, costs in enumerate(rows):
                claim = times * float(target.honest.samples[k, 0])
                report = {
                    "true": costs[0],
                    "fits": reference.slope(claim, own),
                    "median": target.setting.median,
                }
                row.append(losses(target, k, report[said], claim, 0.0)[0] / alone[k])
            tries.append(row)
    borne = sum(after.borne / alone)
    assert borne <= sum(min(tries, key=sum)) + 1e-9
    if name in ("sandwich", "sandwich-paper"):  # the best place in each population, by trying all
        best = []
        for times in (1, 2, 5, 10, 100):
            row = []
            for k, costs in enumerate(rows):
                ranked = sorted(costs[1:])
                gaps = [(low + high) / 2 for low, high in pairwise(ranked)]
                claim = times * float(target.honest.samples[k, 0])
                reports = (*ranked, *gaps, ranked[0] / 2, 2 * ranked[-1])
                row.append(min(losses(target, k, r, claim, 0.0)[0] for r in reports) / alone[k])
            best.append(sum(row))
        assert borne == pytest.approx(min(best), rel=1e-9)


def test_claims_with_the_median_report():
    """Sixteen: +117.8 % ± 0.4 % with the median by other code, so more with the best of reports."""
    found = attack(
        Setting.read(), populations=2000, rules=["sandwich"], attacks=["unverified"]
    ).document()
    seen = found["cells"][0]
    assert seen["gain"] > 1.178 - 3 * seen["gain_error"]
    assert seen["wins"] == pytest.approx(0.5)  # in the gap in the middle of the others


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 9])
def test_the_winner_in_the_middle_by_enumeration(n):
    """Over every grouping, and with two that tie."""
    for reports in (list(range(n)), [0, *range(n - 1)]):
        seen = dict.fromkeys(reports, 0.0)
        every = list(reference.groupings(range(n)))
        for grouping in every:
            won = sorted(sorted(reports[i] for i in group)[1] for group in grouping)
            seen[won[(len(won) - 1) // 2]] += 1 / len(every)
        found = dict.fromkeys(reports, 0.0)
        for report, chance in zip(sorted(reports), RULES["sandwich"].middle_winner(n), strict=True):
            found[report] += chance
        assert found == pytest.approx(seen, abs=1e-12)


def test_the_winner_in_the_middle_of_sixteen():
    """By simulation; and for many agents it is a distribution still."""
    rng = np.random.default_rng(0)
    won = np.sort(simulate_draws(np.arange(16.0), 40_000, rng), axis=1)[:, 2]
    seen = np.bincount(won, minlength=16) / 40_000
    assert RULES["sandwich"].middle_winner(16) == pytest.approx(seen, abs=0.012)
    for n in (16, 17, 32):
        assert RULES["sandwich"].middle_winner(n).sum() == pytest.approx(1)
        assert np.all(RULES["sandwich"].middle_winner(n) >= 0)


@pytest.mark.parametrize("name", ["sandwich", "sandwich-paper"])
def test_an_imitator_says_what_winners_said(name):
    """Over all draws: the winner in the middle of the winners, the lower of two."""
    rows = POPULATIONS[7]
    target = world_of(name, rows)
    after = imitator(target)
    assert not after.sampled
    for k, costs in enumerate(rows):
        every = list(reference.groupings(range(7)))
        wins, borne, others = 0.0, 0.0, np.zeros(6)
        for grouping in every:
            won = sorted(sorted(costs[i] for i in group)[1] for group in grouping)
            said = won[(len(won) - 1) // 2]
            wins += reference.chances([said, *costs[1:]])[0] / len(every)
            now = losses(target, k, said, math.sqrt(A / costs[0]))
            borne += now[0] / len(every)
            others += np.array(now[1:]) / len(every)
        assert after.wins[k] == pytest.approx(wins)
        if name == "sandwich":
            assert after.borne[k] == pytest.approx(borne, rel=1e-9)
            assert after.observed.loss[k, 1:] == pytest.approx(others, rel=1e-9)


def test_an_imitator_of_the_chosen():
    """Three jobs for seven bidders: the second lowest bid, which may be its own."""
    rows = POPULATIONS[7]
    target = world_of("auction", rows)
    after = imitator(target)
    for k, costs in enumerate(rows):
        wanted = losses(target, k, sorted(costs)[1], target.rule.size)
        assert after.borne[k] == pytest.approx(wanted[0], rel=1e-9)


def test_nobody_to_imitate():
    for name in ("local", "federated", "penalised", "rebate", "shaping", "realfm"):
        assert imitator(world_of(name, POPULATIONS[4])) is None


@pytest.mark.parametrize("name", ["local", "federated", "sandwich", "rebate", "shared", "auction"])
def test_a_learner_among_honest_agents(name):
    """Hedge over a thousand rounds that are all the same, in plain loops."""
    rows = POPULATIONS[5]
    target = world_of(name, rows)
    after = learner(target)
    middle = target.setting.median
    for k, costs in enumerate(rows):
        c, alone = costs[0], 2 * math.sqrt(A * costs[0])
        reports = [c]
        if target.rule.asks:
            highest = 10 if target.rule.draws else 1e8
            reports += [middle * part for part in (1e-4, 0.5, 0.9, 1.0, 1.1, 2.0, highest)]
        actions = [
            (said, part * reference.optimum(c, reference.own(target.rule, 5, A)))
            for said in reports
            for part in (1.0, 1e-3, 0.25, 0.5, 2.0)
        ]
        every = [losses(target, k, *action) for action in actions]
        real = [each[0] for each in every]
        more = [(loss - min(real)) / alone for loss in real]
        scaled = [min(loss / min(1, max(more)), 1) for loss in more]
        eta = math.sqrt(8 * math.log(len(actions)) / 1000)
        weights = [math.exp(-eta * 1000 * loss) for loss in scaled]
        means = np.average(every, axis=0, weights=weights)
        assert after.borne[k] == pytest.approx(means[0], rel=1e-6)
        assert after.observed.loss[k, after.others] == pytest.approx(means[1:], rel=1e-6)
        # It ends near its best, and never beyond it.
        assert min(real) * (1 - 1e-9) <= after.borne[k] <= min(real) + 0.05 * alone


@pytest.mark.parametrize("name", REPORTING)
def test_honest_agents_stay_as_they_are(name):
    """An attack changes the first agent of each population, and nobody else."""
    target = world_of(name, POPULATIONS[4])
    before = target.honest.reports.copy(), target.honest.samples.copy()
    table = target.with_attackers(np.array([[9.0], [8.0]]), np.array([[7.0], [6.0]]))
    assert table.reports[:, 0].tolist() == [9, 8]
    assert table.samples[:, 0].tolist() == table.used[:, 0].tolist() == [7, 6]
    for now, was in zip((table.reports, table.samples), before, strict=True):
        assert now[:, 1:].tolist() == was[:, 1:].tolist()
    assert target.honest.reports.tolist() == before[0].tolist()
