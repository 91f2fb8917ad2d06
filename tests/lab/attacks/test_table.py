"""The table of attacks against plain loops: every set of attackers, every number of a cell."""

import importlib.util
import json
import math
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from fedfact.errors import InputError
from fedfact.lab import Setting, Table, rule_names
from fedfact.lab.attacks.measure import measure
from fedfact.lab.attacks.registry import all_attacks, check_attacks
from fedfact.lab.attacks.table import attack
from fedfact.lab.attacks.target import Target
from fedfact.lab.comparison import compare
from fedfact.lab.game.observed import observe
from fedfact.lab.play.equilibrium import equilibrium
from fedfact.mechanism import Population, Terms, settle

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

A = 50.0
TERMS = Terms(error_scale=A, rule="sandwich", alpha=1.2, retention=0.1, consistency=0.7)
SIX = (0.6, 0.8, 1.0, 1.3, 1.7, 2.5)
MEDIAN = 1.15
DRAWS = ("sandwich", "sandwich-paper")
NO_REPORTS = ("local", "federated", "first-best")
BENCHMARKS = ("vcg", "first-best")
ALONE = ("local", "first-best")
"""Nobody is attacked there."""
NAMED = {each.name: each for each in all_attacks(6)}

examples = settings(max_examples=40, deadline=None)


def given_costs(costs=SIX, terms=TERMS):
    return Setting(terms, len(costs), "given", tuple(costs))


def optimum(c):
    return math.sqrt(A / c)


def agreed(rule, costs):
    """What honest agents use; under RealFM as much as under shaping (its share comes on top)."""
    if rule.name in ("shaping", "realfm"):
        return reference.shaping_equilibrium(costs, A)
    if rule.name == "auction":
        return [rule.size] * len(costs)
    if rule.name in BENCHMARKS:
        return [reference.optimum(c / len(costs), A) for c in costs]
    return [reference.optimum(c, reference.own(rule, len(costs), A)) for c in costs]


class Round:
    """One table of one population, by loops: losses, what may happen, money."""

    def __init__(self, rule, costs, reports, samples, used=None):
        used = samples if used is None else used
        self.deals = reference.outcome(rule, TERMS, reports, samples, used)
        self.loss = reference.losses(rule, TERMS, costs, reports, samples, used)
        self.worst, self.least = list(self.loss), sum(paid for _, paid, _ in self.deals)
        self.surplus, self.chance = self.least, None
        self.unearned = 0.0
        if rule.name in ("realfm", "auction"):  # the server pays for what nobody used
            for (_, paid, _), told, real in zip(self.deals, samples, used, strict=True):
                self.unearned -= min(paid, 0) * (told - real) / told
        if rule.name in DRAWS:
            self.chance = reference.chances(reports)
            self._draws(rule, costs, reports, samples, used)

    def _draws(self, rule, costs, reports, samples, used):
        n = len(costs)
        fees = [
            reference.fee(m, reference.total_without(samples, i), A) for i, m in enumerate(samples)
        ]
        owed = fees
        if rule.name == "sandwich-paper":
            owed = [
                fees[i]
                - reference.penalty(m, reference.total_without(samples, i), reports[i], A, 1.2)
                for i, m in enumerate(samples)
            ]
            prizes = [3 / n * reference.total_without(owed, i) for i in range(n)]
        else:
            prizes = []
            for i in range(n):
                S = reference.total_without(samples, i)
                pool = sum(A / samples[j] - A / S for j in range(n) if j != i)
                prizes.append(0.9 * pool / (n // 3))
        for i in range(n):
            loser = A / sum(used) + fees[i] + costs[i] * used[i]
            self.worst[i] = max(loser, loser - prizes[i])
        self.least = min(
            sum(fees) - sum(prizes[i] for i in winners)
            for winners in combinations(range(n), n // 3)
        )


def best_samples(rule, costs, reports, samples):
    """Of the first agent, by a grid and scipy."""
    if rule.name == "auction":
        return rule.size

    def loss(m):
        trial = [m, *samples[1:]]
        return reference.losses(rule, TERMS, costs, reports, trial, trial)[0]

    grid = optimum(costs[0]) * np.geomspace(0.05, 20, 61)
    k = int(np.argmin([loss(m) for m in grid]))
    bounds = grid[max(k - 1, 0)], grid[min(k + 1, 60)]
    options = {"xatol": 1e-10}
    return minimize_scalar(loss, bounds=bounds, method="bounded", options=options).x


# What an attack makes of populations with the attackers first: of each, what the attackers bear,
# the round, and the honest agents' columns.


def on_average(ways):
    """The one way for all populations that is best on average, in parts of the loss alone."""

    def attack(rule, populations):
        found = [ways(rule, costs, samples) for costs, samples in populations]
        alone = [2 * math.sqrt(A * costs[0]) for costs, _ in populations]

        def share(way):
            return sum(borne / unit for (borne, *_), unit in zip(way, alone, strict=True))

        return min(zip(*found, strict=True), key=share)

    return attack


def lying(said):
    def ways(rule, costs, samples):
        reports = [said(costs[0]), *costs[1:]]
        m = best_samples(rule, costs, reports, samples)
        after = Round(rule, costs, reports, [m, *samples[1:]])
        return [(after.loss[0], after, range(1, len(costs)))]

    return on_average(ways)


@on_average
def riding(rule, costs, samples):
    after = Round(rule, costs, costs, [samples[0] / 10, *samples[1:]])
    return [(after.loss[0], after, range(1, len(costs)))]


def places(others):
    """With others, and in every gap between them, below and above."""
    ranked = sorted(set(others))
    edges = [ranked[0] / 3, *ranked, 3 * ranked[-1]]
    return ranked + [(low + high) / 2 for low, high in pairwise(edges)]


def without_penalty(m, S):
    """The cost for which P_fr is nothing (its square is of 0), by halving."""

    def above(x):
        return m - x * (1 + 0.8 * (x + S) / (2 * x + S))

    return A / reference.root(above, 1e-9 * m, m) ** 2


def best_said(rule, m, others, S, loss):
    """What an agent would say that knows all reports: of the sandwich by trying every place."""
    if rule.name in DRAWS:
        return min(places(others), key=loss)
    if rule.name == "penalised":
        return without_penalty(m, S)
    return fitting(rule, m, len(others) + 1) if rule.name in ("rebate", "shared") else 1e8


def fitting(rule, m, n):
    """The cost for which so many samples are best."""
    return reference.slope(m, reference.own(rule, n, A))


@on_average
def claiming(rule, costs, samples):
    found = []
    for times in (1, 2, 5, 10, 100):
        claim = times * samples[0]
        told, used = [claim, *samples[1:]], [0.0, *samples[1:]]

        def loss(said, told=told, used=used):
            return reference.losses(rule, TERMS, costs, [said, *costs[1:]], told, used)[0]

        best = best_said(rule, claim, costs[1:], sum(samples[1:]), loss)
        for said in (costs[0], fitting(rule, claim, len(costs)), MEDIAN, best):
            after = Round(rule, costs, [said, *costs[1:]], told, used)
            found.append((after.loss[0], after, range(1, len(costs))))
    return found


@on_average
def sabotaging(rule, costs, samples):
    after = Round(rule, costs, [1e6 * costs[0], *costs[1:]], samples)
    return [(after.loss[0], after, range(1, len(costs)))]


def least_part(share):
    """Where it is least from 1e-4 to 4: a grid, and scipy between two of its points."""
    grid = np.geomspace(1e-4, 4, 33)
    k = int(np.argmin([share(part) for part in grid]))
    ends = grid[max(k - 1, 0)], grid[min(k + 1, 32)]
    found = minimize_scalar(share, bounds=ends, method="bounded", options={"xatol": 1e-6}).x
    return min(found, *ends, key=share)


def posing(names, members):
    """Some under other names: the cheapest of them has the data, and all of them have the model.

    A part of its m* under each name, the best for all populations; and one of a few reports, the
    best for each population.
    """

    def bear(rule, costs, reports, told):
        """What members bear: the model once each, money and data of all names."""
        c, n = min(costs[:members]), names
        deals = reference.outcome(rule, TERMS, reports, told, told)[:n]
        borne = sum(paid + c * used for _, paid, used in deals)
        if rule.name == "auction":
            return borne + sum(2 * math.sqrt(A * x) for x in costs[:members])
        return borne + members * deals[0][0]

    def play(rule, costs, samples, way, part):
        c, others = min(costs[:members]), costs[members:]
        n = names + len(others)
        own = reference.own(rule, n, A)
        m = rule.size if rule.name == "auction" else part * reference.optimum(c, own)
        more = reference.optimum(1, own) / reference.optimum(1, reference.own(rule, len(costs), A))
        told = [*[m] * names, *(more * x for x in samples[members:])]

        def loss(said):
            return bear(rule, costs, [*[said] * names, *others], told)

        if way == "fits":
            said = [fitting(rule, m, n)] * names
        elif way == "median":
            said = [MEDIAN] * names
        elif way == "known":
            S = sum(told) - m
            said = [best_said(rule, m, others, S, loss)] * names
        else:
            said = [c * times for times in way]
        reports = [*said, *others]
        return bear(rule, costs, reports, told), reports, told

    def attack(rule, populations):
        ways = ["fits", "median", "known"]
        if rule.name in ("auction", "vcg"):
            ways = list(product((1.0, 10.0, 0.1), repeat=names))
        found = []
        for way in ways:

            def share(part, way=way):
                return sum(
                    play(rule, costs, samples, way, part)[0]
                    / sum(2 * math.sqrt(A * x) for x in costs[:members])
                    for costs, samples in populations
                )

            best = 1.0 if rule.name == "auction" else least_part(share)
            found.append([play(rule, *each, way, best) for each in populations])
        after = []
        for (costs, _), tried in zip(populations, zip(*found, strict=True), strict=True):
            borne, reports, told = min(tried, key=lambda each: each[0])
            said = [*[min(costs[:members])] * names, *costs[members:]]
            now = Round(rule, said, reports, told)
            after.append((borne, now, range(names, len(reports))))
        return after

    return attack


@on_average
def leaving(rule, costs, samples):
    """Three train apart, each with any samples: the best by scipy. The rest goes on without."""

    def borne(logs):
        used = np.exp(logs)
        return 3 * A / used.sum() + float(used @ costs[:3])

    starts = [
        np.log([optimum(c) if k == j else 1e-6 for k in range(3)]) for j, c in enumerate(costs[:3])
    ]
    least = min(
        minimize(
            borne,
            start,
            method="Nelder-Mead",
            options={"fatol": 1e-10, "xatol": 1e-9, "maxiter": 4000},
        ).fun
        for start in starts
    )
    rest = costs[3:]
    after = Round(rule, rest, rest, agreed(rule, rest))
    return [(least, after, range(len(rest)))]


ATTACKS = {
    "inflate": lying(lambda c: 1.2 * c),
    "deflate": lying(lambda c: 0.8 * c),
    "median": lying(lambda c: MEDIAN),
    "free-rider": riding,
    "unverified": claiming,
    "saboteur": sabotaging,
    "merged": posing(1, 2),
    "sybil": posing(2, 1),
    "leave-3": leaving,
}
ABSENT = {
    "inflate": NO_REPORTS,
    "deflate": NO_REPORTS,
    "median": NO_REPORTS,
    "saboteur": NO_REPORTS,
    "free-rider": BENCHMARKS,
    "unverified": ("local", *BENCHMARKS),
    "leave-3": (*ALONE, "auction"),
}
SEVERAL = ("unverified", "merged", "sybil")
"""Under the sandwich several reports win as often; they do not harm others alike. Nor do claims
under the penalty, each of which has a report that brings it to nothing."""

CASES = [(attacked, name) for attacked in ATTACKS for name in rule_names()]


PAYERS = {
    (True, True): "both",
    (True, False): "the honest",
    (False, True): "the server",
    (False, False): "nobody",
}


def clearly(part, gain):
    """Whether somebody pays a part of the gain that is worth naming; None: hard to say."""
    if part > 0.1 * abs(gain):
        return part > 1e-5 or None
    return False if part <= max(1e-7, 1e-3 * abs(gain)) else None


def by_hand(rule, attacked, a):
    """Every number of a cell: means over all sets of attackers."""
    before, populations = [], []
    for attackers in combinations(range(6), a):
        costs = [SIX[i] for i in attackers] + [SIX[i] for i in range(6) if i not in attackers]
        samples = agreed(rule, costs)
        before.append((costs, Round(rule, costs, costs, samples)))
        populations.append((costs, samples))
    after = ATTACKS[attacked](rule, populations)
    gains, harms, worsts, bad, server, surplus, deficit = [], [], [], [], [], [], False
    for (costs, was), (borne, now, columns) in zip(before, after, strict=True):
        alone = [2 * math.sqrt(A * c) for c in costs]
        gains.append((sum(was.loss[:a]) - borne) / sum(alone[:a]))
        harm = [
            (now.loss[column] - was.loss[k]) / alone[k]
            for k, column in zip(range(a, 6), columns, strict=True)
        ]
        harms.append(sum(harm) / len(harm))
        worsts.append(max(harm))
        bad += [
            now.worst[column] > alone[k] * (1 + 1e-6)
            for k, column in zip(range(a, 6), columns, strict=True)
        ]
        server.append((was.surplus - now.surplus + now.unearned) / sum(alone))
        surplus.append(now.surplus / sum(alone))
        deficit |= now.least < -1e-6 * sum(alone)
    count = len(before)
    gain, honest = sum(gains) / count, sum(harms) / count
    pays = tuple(clearly(part, a * gain) for part in ((6 - a) * honest, 6 * sum(server) / count))
    return {
        "gain": gain,
        "honest": honest,
        "worst": sum(worsts) / count,
        "irrational": sum(bad) / len(bad),
        "deficit": deficit and rule.name not in ("realfm", "auction"),
        "surplus": sum(surplus) / count,
        "surplus_before": sum(
            was.surplus / (2 * sum(math.sqrt(A * c) for c in SIX)) for _, was in before
        )
        / count,
        "payer": None if None in pays else PAYERS[pays],
    }


@pytest.mark.parametrize(("attacked", "name"), CASES)
def test_cells_are_those_of_plain_loops(attacked, name):
    """All numbers of a cell, where the costs are given: over every set of attackers."""
    setting = given_costs()
    found = attack(setting, rules=[name], attacks=[attacked]).document()["cells"]
    assert len(found) == 1
    seen = found[0]
    assert seen["applies"] is (name not in ABSENT.get(attacked, ALONE))
    if not seen["applies"]:
        assert {value for key, value in seen.items() if key not in ("rule", "attack")} == {
            False,
            None,
        }
        return
    assert seen["exact"]
    assert (seen["gain_error"], seen["honest_error"]) == (0, 0)
    rule = setting.rule(name, 6)
    wanted = by_hand(rule, attacked, NAMED[attacked].attackers)
    close = {"rel": 1e-6, "abs": 1e-7}
    if name in ("realfm", "sandwich-paper") or attacked == "leave-3":
        close = {"rel": 1e-4, "abs": 2e-5}
    if attacked in ("merged", "sybil"):  # found by search
        close = {"rel": 1e-3, "abs": 4e-4}
    if (attacked, name) == ("sybil", "sandwich-paper"):  # names weigh on each other's prizes
        close = {"abs": 0.02}
    for key, value in wanted.items():
        if attacked in SEVERAL and name in DRAWS and key != "gain":
            continue
        if (attacked, name) == ("unverified", "penalised") and key != "gain":
            continue
        if key in ("payer", "deficit"):
            assert value in (seen[key], None), key
        else:
            assert seen[key] == pytest.approx(value, **close), key


def test_a_server_pays_for_work_that_nobody_did():
    """In an auction the rider's gain is the price of a job, out of the server's purse."""
    found = attack(
        Setting.read(), populations=200, rules=["auction"], attacks=["unverified"]
    ).document()
    (seen,) = found["cells"]
    assert seen["gain"] > 0.4
    assert seen["payer"] in ("the server", "both")
    checked = attack(
        Setting.read(), populations=200, rules=["auction"], attacks=["free-rider"]
    ).document()
    assert checked["cells"][0]["payer"] == "nobody"


@pytest.mark.parametrize("name", DRAWS)
def test_wins_before_and_after(name):
    """Counted over every grouping: honest, and of one that reports the median."""
    seen = attack(given_costs(), rules=[name], attacks=["median", "saboteur"]).document()["cells"]
    assert seen[0]["wins_before"] == pytest.approx(2 / 6)  # all of them together win twice
    after = []
    for i in range(6):
        said = [*SIX[:i], MEDIAN, *SIX[i + 1 :]]
        after.append(reference.chances(said)[i])
    assert seen[0]["wins"] == pytest.approx(sum(after) / 6)
    assert (seen[1]["wins_before"], seen[1]["wins"]) == (pytest.approx(2 / 6), 0)


@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
def test_cells_are_those_of_settlements(rule):
    """A free rider that is seen, in whole samples and cents: what it and the others pay."""
    terms = Terms(error_scale=1e6, rule=rule, unit=1e-9)
    costs, n = [1.0] * 6, 6
    seen = attack(given_costs(costs, terms), rules=[rule], attacks=["free-rider"]).document()[
        "cells"
    ][0]
    samples = [100, *[1000] * 5]
    agents = [f"a{k}" for k in range(n)]

    def settled(m):
        out = settle(Population(agents, np.array(costs), np.array(m)), terms, seed=1)
        paid = (out.fee + out.charge) * terms.unit
        if rule == "rebate":
            return paid - out.rebate * terms.unit
        return paid - out.pool * terms.unit / 3 / 2  # each wins a third of the time, half a pool

    def losses(m):
        return [1e6 / sum(m) + mi + paid for mi, paid in zip(m, settled(m), strict=True)]

    before, after = losses([1000] * 6), losses(samples)
    if rule == "rebate":
        assert seen["gain"] == pytest.approx((before[0] - after[0]) / 2000, rel=1e-6)
        assert seen["honest"] == pytest.approx((after[1] - before[1]) / 2000, rel=1e-6)
    local = 1e6 / 100 + 100  # its local loss, less what it cannot change
    charge = (100 - 10) ** 2 if rule == "rebate" else 0
    assert seen["gain"] == pytest.approx((2000 - local - charge) / 2000, rel=1e-9)


def test_attacks_that_nobody_is_left_for_are_not_tried():
    """Three agents: two may collude, three may not; and none can leave."""
    found = attack(given_costs((1.0, 2.0, 3.0))).document()
    names = [each["attack"] for each in found["attacks"]]
    assert "collude-2" in names
    assert not {"collude-3", "collude-3-known", "leave-3"} & set(names)
    applies = {(c["attack"], c["rule"]): c["applies"] for c in found["cells"]}
    assert len(applies) == len(names) * len(rule_names())
    assert not applies["merged", "rebate"]
    assert not applies["leave-half", "rebate"]


@pytest.mark.parametrize("costs", [SIX, (1.0, 2.0, 3.0), (1.0, 1.0, 1.0, 1.0)])
def test_documents_are_clean(costs):
    found = attack(given_costs(costs), populations=3).document()
    json.dumps(found, allow_nan=False)
    assert found["agents"] == len(costs)
    assert [rule["rule"] for rule in found["rules"]] == list(rule_names())
    keys = {tuple(sorted(each)) for each in found["cells"]}
    assert len(keys) == 1


def test_every_set_of_attackers_is_tried():
    """Of three that leave the rebate: twenty sets, the mean of what each gains."""
    whole = attack(given_costs(), rules=["rebate"], attacks=["leave-3"]).document()["cells"][0]
    setting, gains = given_costs(), []
    for three in combinations(range(6), 3):
        costs = [SIX[i] for i in three] + [SIX[i] for i in range(6) if i not in three]
        target = Target(setting.rule("rebate", 6), setting, np.array([costs]))
        gains.append(measure(target, NAMED["leave-3"], exact=True).document()["gain"])
    assert whole["gain"] == pytest.approx(sum(gains) / 20)


def test_populations_matter_only_where_costs_are_drawn():
    one, two = (
        attack(
            given_costs(), populations=p, seed=s, rules=["sandwich"], attacks=["merged"]
        ).document()
        for p, s in ((2, 0), (50, 9))
    )
    assert one["cells"] == two["cells"]
    drawn = Setting.read("norm:loc=1,scale=0.1", 6)
    ask = {"rules": ["sandwich"], "attacks": ["merged"]}
    one, same, two = (
        attack(drawn, populations=30, seed=s, **ask).document()["cells"] for s in (0, 0, 9)
    )
    assert one == same
    assert one != two
    assert not one[0]["exact"]


def test_a_quantile_is_put_in_the_place_of_an_attacker():
    """Of a file in everybody's place, one after another: nothing is left to sampling."""
    one, two = (
        attack(
            given_costs(), populations=20, seed=seed, rules=["rebate"], attacks=["median-low"]
        ).document()
        for seed in (0, 1)
    )
    assert one["cells"] == two["cells"]
    assert one["cells"][0]["exact"]
    low = float(np.quantile(SIX, 0.05))
    rule, gains = given_costs().rule("rebate", 6), []
    for i in range(6):
        costs = [low, *SIX[:i], *SIX[i + 1 :]]
        samples = [optimum(c) for c in costs]
        reports = [MEDIAN, *costs[1:]]
        m = best_samples(rule, costs, reports, samples)
        was = reference.losses(rule, TERMS, costs, costs, samples, samples)[0]
        told = [m, *samples[1:]]
        now = reference.losses(rule, TERMS, costs, reports, told, told)[0]
        gains.append((was - now) / (2 * math.sqrt(A * low)))
    assert one["cells"][0]["gain"] == pytest.approx(sum(gains) / 6, rel=1e-9)


def test_standard_errors_shrink_with_the_root_of_populations():
    setting = Setting.read("norm:loc=1,scale=0.1", 6)
    ask = {"rules": ["sandwich"], "attacks": ["best-reply"]}
    few, many = (
        attack(setting, populations=p, seed=2, **ask).document()["cells"][0] for p in (400, 6400)
    )
    for key in ("gain_error", "honest_error"):
        assert few[key] / many[key] == pytest.approx(4, rel=0.15)
    assert abs(few["gain"] - many["gain"]) <= 4 * few["gain_error"]


@pytest.mark.parametrize("n", [6, 7, 16])
def test_means_agree_with_closed_forms(n):
    """Wins of a report at quantile q: 3G/n·2q(1−q), so before, at 0.05; and after, at ½."""
    setting = Setting.read("norm:loc=1,scale=1e-3", n)
    seen = attack(
        setting, populations=4000, seed=1, rules=["sandwich"], attacks=["median", "median-low"]
    ).document()["cells"]
    in_a_group = 3 * (n // 3) / n
    reward = (n - 2) / (n // 3)  # in units of c·m*, half a loss alone; all about the same
    for each, before in ((seen[0], 1 / 3), (seen[1], 2 * 0.05 * 0.95)):
        gain = in_a_group * (1 / 2 - before) * reward / 2
        assert each["gain_error"] > 0
        assert not each["gain_exact"]
        assert abs(each["gain"] - gain) <= 4 * each["gain_error"] + 1e-3 * gain
        assert each["wins"] == pytest.approx(in_a_group / 2, rel=1e-12)
        assert each["wins_before"] == pytest.approx(in_a_group * before, rel=1e-12)
        assert each["wins_exact"]
        assert each["wins_before_exact"]
        assert (each["wins_error"], each["wins_before_error"]) == (0, 0)


@pytest.mark.parametrize("by", [0.1, 0.35])
def test_gains_that_are_the_same_for_every_population_are_exact(by):
    """Liars under the rebate: κ√f + 1 − √((1+κ)(1+κf)) of the loss alone, whatever it is."""
    terms = Terms(error_scale=1e6, rule="rebate", consistency=0.7)
    setting = Setting.read("lognorm:s=0.8", 7, terms)
    tried = ["inflate", "deflate", "free-rider", "best-reply", "median"]
    found = attack(setting, populations=40, rules=["rebate"], attacks=tried, by=by).document()
    cells = {each["attack"]: each for each in found["cells"]}
    assert found["by"] == by
    assert found["attacks"][0]["title"] == f"inflates its cost by {100 * by:g} %"
    for name, f in (("inflate", 1 + by), ("deflate", 1 - by)):
        wanted = 1 + 0.7 * math.sqrt(f) - math.sqrt(1.7 * (1 + 0.7 * f))
        assert cells[name]["gain"] == pytest.approx(wanted, rel=1e-9)
        assert (cells[name]["gain_exact"], cells[name]["gain_error"]) == (True, 0)
    assert cells["free-rider"]["gain"] == pytest.approx(1 - (10 + 0.1 + 0.7 * 8.1) / 2, rel=1e-9)
    assert cells["free-rider"]["gain_exact"]
    assert not cells["free-rider"]["honest_exact"]
    assert abs(cells["best-reply"]["gain"]) < 1e-15
    assert cells["best-reply"]["gain_exact"]
    assert not cells["median"]["gain_exact"]
    assert not any(each["exact"] for each in cells.values())


def test_what_is_left_to_sampling_says_so(monkeypatch):
    """Too many sets of attackers to try them all; an imitator of one draw of many agents."""
    monkeypatch.setattr("fedfact.lab.attacks.table.MOST", 100)
    tried = ["leave-3", "collude-2", "median"]
    found = attack(given_costs(), populations=16, rules=["sandwich"], attacks=tried).document()[
        "cells"
    ]
    exact = {each["attack"]: each["exact"] for each in found}
    assert exact == {"leave-3": False, "collude-2": True, "median": True}
    errors = {each["attack"]: each["gain_error"] for each in found}
    assert errors["leave-3"] > 0 == errors["collude-2"] == errors["median"]
    monkeypatch.undo()
    monkeypatch.setattr("fedfact.lab.attacks.single._ALL_DRAWS", 5)
    one, two = (
        attack(given_costs(), seed=seed, rules=["sandwich"], attacks=["imitator"]).document()[
            "cells"
        ][0]
        for seed in (0, 1)
    )
    assert one["gain"] != two["gain"]
    assert (one["exact"], one["gain_exact"]) == (False, False)
    assert one["gain_error"] > 0
    monkeypatch.undo()
    exact = attack(given_costs(), seed=1, rules=["sandwich"], attacks=["imitator"]).document()[
        "cells"
    ][0]
    assert (exact["exact"], exact["gain_error"]) == (True, 0)


@pytest.mark.parametrize("costs", ["expon", "uniform", "lognorm:s=2", "geom:p=0.3"])
def test_wide_costs_leave_numbers(costs):
    """Of every cell; colluders can stay honest, and who knows more does not gain less."""
    found = attack(Setting.read(costs, 9), populations=30).document()
    cells = {(each["rule"], each["attack"]): each for each in found["cells"] if each["applies"]}
    for each in cells.values():
        for key in ("gain", "gain_error", "honest", "honest_error", "worst", "surplus"):
            assert math.isfinite(each[key]), (each["rule"], each["attack"], key)
    for name in rule_names()[1:-1]:
        for count in (2, 3):
            some, known = (cells[name, f"collude-{count}{what}"] for what in ("", "-known"))
            assert known["gain"] >= some["gain"] - 1e-9 >= -1e-6


def test_too_much_and_too_little_is_refused():
    setting = Setting.read(agents=1000)
    with pytest.raises(InputError, match="more than 500,000 costs; take 500 populations at most"):
        attack(setting, populations=501)
    with pytest.raises(InputError, match="and fewer agents"):
        attack(Setting.read(agents=300_000), populations=2)
    for by in (0, 1, -0.2, 1.5):
        with pytest.raises(InputError, match="take 1 to 99 %"):
            attack(given_costs(), by=by)
    for name, least in (("leave-3", 6), ("leave-half", 5), ("merged", 4), ("collude-3", 4)):
        costs = SIX[: least - 1]
        with pytest.raises(InputError, match=f"attack {name} needs {least} agents"):
            attack(given_costs(costs), attacks=[name])
        found = attack(given_costs(SIX[:least]), attacks=[name], rules=["rebate"]).document()
        assert found["cells"][0]["applies"]


@pytest.mark.parametrize("name", ["sandwich", "rebate"])
@examples
@given(data=st.data())
def test_an_honest_agent_is_never_worse_off_than_alone(name, data):
    """Whatever all others report and use, and whatever is drawn; and the server never pays."""
    n = data.draw(st.integers(3, 8))
    row = st.lists(st.floats(1e-3, 1e3), min_size=n, max_size=n)
    costs, reports, parts = (np.array(data.draw(row)) for _ in range(3))
    samples = np.sqrt(A / costs) * parts
    reports[0], samples[0] = costs[0], math.sqrt(A / costs[0])
    setting = given_costs(costs)
    seen = observe(setting.rule(name, n), Table.of(TERMS, reports, samples), costs)
    slack = 1e-9 * float((A / samples).sum())
    assert seen.worst[0] <= 2 * math.sqrt(A * costs[0]) + slack
    assert seen.least >= -slack
    assert seen.least <= seen.surplus + slack
    assert np.all(seen.worst >= seen.loss - slack)


@pytest.mark.parametrize("name", rule_names())
@examples
@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.01, 0.1, 0.6]))
def test_the_best_reply_is_the_best_of_lies(name, seed, spread):
    """It never loses, and gains as much as any other report that is tried."""
    rng = np.random.default_rng(seed)
    costs = rng.lognormal(0, spread, int(rng.integers(3, 9)))
    setting = given_costs(costs)
    target = Target(setting.rule(name, len(costs)), setting, np.array([costs]))
    best = measure(target, NAMED["best-reply"], exact=True).document()["gain"]
    assert best >= -1e-6
    least = 6e-3 if name == "sandwich-paper" else 1e-6  # whose samples are found to first order
    for other in ("inflate", "deflate", "median"):
        gain = measure(target, NAMED[other], exact=True).document()["gain"]
        assert gain is None or best >= gain - least


def test_all_of_it_on_one_population():
    """What `compare` brings together is what its parts say."""
    setting = given_costs()
    play = {"rounds": 15, "seed": 3}
    found = compare(setting, populations=4, **play).document()
    json.dumps(found, allow_nan=False)
    assert found["setting"] == setting.describe()
    assert found["true"] == equilibrium(setting, lies=False, **play).document()
    assert found["strategic"] == equilibrium(setting, **play).document()
    assert found["learned"] == equilibrium(setting, how="hedge", **play).document()
    assert found["attacks"] == attack(setting, populations=4, seed=3, curves=True).document()
    assert [found[key]["lies"] for key in ("true", "strategic", "learned")] == [False, True, True]


def test_other_curves_are_a_table_of_their_own():
    """A row a rule and curve, as text and as HTML too."""
    found = attack(given_costs(), rules=["rebate", "federated"], populations=20, curves=True).curves
    rows = found.rows()
    assert {row["case"] for row in rows} == {case.name for case in found.cases}
    assert [row["rule"] for row in rows[:2]] == ["federated", "rebate"]
    assert rows[1]["loss"] == found.cell("rebate", "right").loss
    title, header, *_ = repr(found).splitlines()
    assert (title, header.split()) == ("CurveTable", list(rows[0]))
    assert found._repr_html_().count("<tr>") == 1 + len(rows)


def test_unknown_attacks_are_refused():
    check_attacks(["merged", "leave-half"])
    with pytest.raises(InputError, match="attack 'mergd' is not known; did you mean merged"):
        check_attacks(["merged", "mergd"])
    with pytest.raises(InputError, match="choose from inflate"):
        check_attacks(["xyzzy"])
