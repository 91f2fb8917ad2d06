"""Hedge against plain loops over what was played, its bound, and where learners end."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from fedfact.lab import Setting, Table, rule_names
from fedfact.lab.play.equilibrium import equilibrium
from fedfact.lab.play.hedge import hedge, rate
from fedfact.lab.rules.plain import Local
from fedfact.lab.rules.settled import SettledRule
from fedfact.lab.rules.shaping import Shaping
from fedfact.mechanism import RULES, Terms

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

A = 36.0
TERMS = Terms(error_scale=A, rule="sandwich")
COSTS = (1.0, 1.5, 0.8, 1.2)
REPORTS = (1e-4, 0.5, 0.9, 1.0, 1.1, 2.0)  # of the median
PARTS = (1.0, 1e-3, 0.25, 0.5, 2.0)  # of m*
ALONE = [2 * math.sqrt(A * c) for c in COSTS]


def given(costs=COSTS):
    return Setting(TERMS, len(costs), "given", tuple(costs))


def what_each_may_do(i, rule):
    """Reports and samples of one agent; the median of the costs is 1.1."""
    c = COSTS[i]
    highest = 10 if rule.draws else 1e8
    reports = [c, *(1.1 * part for part in (*REPORTS, highest))] if rule.asks else [c]
    return [(said, part * math.sqrt(A / c)) for said in reports for part in PARTS]


def more_than_the_best(rule, table, i, actions):
    """What each costs agent i above the best of them, in parts of its loss alone."""
    found = []
    for said, samples in actions:
        reports, used = list(table.reports), list(table.samples)
        reports[i], used[i] = said, samples
        found.append(reference.losses(rule, TERMS, COSTS, reports, used, used)[i] / ALONE[i])
    return [loss - min(found) for loss in found]


def mixed(losses, lost, eta):
    weights = [math.exp(-eta * (total - min(lost))) for total in lost]
    pairs = zip(weights, losses, strict=True)
    return sum(w * loss for w, loss in pairs) / sum(weights)


class Rebate(SettledRule):
    def __init__(self):
        super().__init__(RULES["rebate"])


class Sandwich(SettledRule):
    def __init__(self):
        super().__init__(RULES["sandwich"])


@pytest.mark.parametrize("base", [Local, Rebate, Sandwich, Shaping])
def test_regret_is_that_of_plain_loops(base):
    """From the tables that were played: what weights bore, less the best single action."""
    seen = []

    class Watched(base):
        def at(self, table):
            seen.append(table)
            return super().at(table)

    T = 25
    learned = hedge(Watched(), given(), np.array(COSTS), rounds=T, seed=5)
    assert len(seen) == T
    for i in range(len(COSTS)):
        actions = what_each_may_do(i, base())
        K = len(actions)
        honest = Table.of(TERMS, COSTS, [math.sqrt(A / c) for c in COSTS])
        width = min(1, max(more_than_the_best(base(), honest, i, actions)))
        assert len(actions) == (40 if base.asks else 5)
        eta, lost, borne = math.sqrt(8 * math.log(K) / T), [0.0] * K, 0.0
        for table in seen:
            assert (table.reports[i], table.samples[i]) in [
                (pytest.approx(said), pytest.approx(m)) for said, m in actions
            ]
            more = more_than_the_best(base(), table, i, actions)
            losses = [min(loss / width, 1) for loss in more]
            borne += mixed(losses, lost, eta)
            lost = [total + loss for total, loss in zip(lost, losses, strict=True)]
        assert learned.regret[i] == pytest.approx(borne - min(lost), abs=1e-6)
        best = actions[lost.index(min(lost))][0]
        assert learned.reports[i] == pytest.approx(best) or base is Sandwich
        assert learned.bound == pytest.approx(math.sqrt(T * math.log(K) / 2))


def test_what_is_played_follows_the_weights():
    """Over many seeds a first action is any of five, alone, a fifth of the time each."""
    counts = dict.fromkeys(PARTS, 0)
    for seed in range(100):
        end = hedge(Local(), given(), np.array(COSTS), rounds=1, seed=seed)
        for used, c in zip(end.used, COSTS, strict=True):
            part = used / math.sqrt(A / c)
            counts[min(PARTS, key=lambda known: abs(known - part))] += 1
    assert sum(counts.values()) == 400
    for count in counts.values():
        assert count == pytest.approx(80, abs=5 * math.sqrt(400 * 0.2 * 0.8))


def test_the_rate():
    assert rate(800, 5) == pytest.approx(math.sqrt(8 * math.log(5) / 800))


@pytest.mark.parametrize("name", rule_names())
@pytest.mark.parametrize("rounds", [1, 9, 80])
def test_regret_is_never_above_the_bound(name, rounds):
    for costs in (COSTS, (1.0, 4.0, 9.0)):
        setting = given(costs)
        learned = hedge(setting.rule(name, len(costs)), setting, np.array(costs), rounds=rounds)
        assert np.all(learned.regret <= learned.bound)
        actions = 5 if name in ("local", "federated", "first-best") else 40
        assert learned.bound == pytest.approx(math.sqrt(rounds * math.log(actions) / 2))


@pytest.mark.parametrize("T", [10, 400])
def test_a_learner_alone_in_closed_form(T):
    """Alone a part x of m* costs ½(1/x + x) in every round, so the regret is a sum over rounds."""
    losses = [min((1 / x + x) / 2 - 1, 1) for x in PARTS]
    eta = math.sqrt(8 * math.log(5) / T)
    borne = sum(mixed(losses, [t * loss for loss in losses], eta) for t in range(T))
    learned = hedge(Local(), given(), np.array(COSTS), rounds=T)
    assert learned.regret == pytest.approx([borne] * len(COSTS))


def test_a_learner_comes_to_rest():
    """Alone, after 1000 rounds: the next best parts, ½ and 2, weigh exp(−η·1000/4) each."""
    learned = hedge(Local(), given(), np.array(COSTS), rounds=1000)
    assert math.exp(-math.sqrt(8 * math.log(5) / 1000) * 1000 / 4) < 1e-12
    assert learned.converged
    assert learned.loss / ALONE == pytest.approx([1] * 4)
    assert learned.contributors == 4
    assert not hedge(Local(), given(), np.array(COSTS), rounds=10).converged


@pytest.mark.parametrize(("n", "costs"), [(16, "expon"), (30, "norm:loc=1,scale=0.1")])
def test_learners_learn_whatever_the_scale(n, costs):
    """Also where one in the middle pays many times its loss alone, or where stakes are small."""
    setting = Setting.read(costs, n)
    cost = setting.population(0)
    paper = hedge(setting.rule("sandwich-paper", n), setting, cost)
    assert paper.converged
    if costs != "expon":  # where winners pay there is no good end
        assert paper.loss.max() < setting.alone(cost).max()
        assert np.all(paper.reports == setting.median)
    auction = hedge(setting.rule("auction", n), setting, cost)
    assert auction.contributors == pytest.approx(n // 2, rel=0.2)
    assert np.all(auction.loss < 1.001 * setting.alone(cost))


def test_how_far_from_truth_is_that_of_all_that_is_played():
    """Who is shut out of an auction may bid anything; what is bid most often is the truth."""
    setting = Setting.read()
    cost = setting.population(0)
    learned = hedge(setting.rule("auction", 16), setting, cost)
    assert learned.reports == pytest.approx(cost)
    assert learned.from_truth > 1e6


def test_learners_under_the_sandwich_end_in_one_report():
    """Whatever they know of each other: sixteen of them, all at the median."""
    setting = Setting.read()
    cost = setting.population(1)
    learned = hedge(setting.rule("sandwich", 16), setting, cost, rounds=600, seed=1)
    assert len(set(learned.reports.tolist())) == 1
    assert learned.reports[0] == pytest.approx(setting.median)
    assert learned.used == pytest.approx(np.sqrt(1e6 / cost), rel=0.1)


@pytest.mark.parametrize("costs", [COSTS, (1.0, 4.0, 9.0)])
def test_learners_under_the_rebate_end_honest(costs):
    setting = given(costs)
    learned = hedge(setting.rule("rebate", len(costs)), setting, np.array(costs), rounds=1000)
    assert learned.reports.tolist() == list(costs)
    assert learned.used == pytest.approx([math.sqrt(A / c) for c in costs], rel=0.1)


def test_learners_ride_free_without_a_rule():
    """Of equal agents, all but next to one stop: in all they use about what one would alone."""
    setting = given([1.0] * 6)
    learned = hedge(setting.rule("federated", 6), setting, np.ones(6), rounds=1000)
    assert 0.5 < learned.used.sum() / 6 < 2


def test_contributors_are_counted_round_by_round():
    """Each of many learners uses data now and then, and in any round but a few do."""
    document = equilibrium(
        Setting.read(), how="hedge", rules=["federated", "auction", "rebate"]
    ).document()
    free, rebate, auction = document["rules"]
    shares = np.array(free["agents"]["samples"]) * np.sqrt(np.array(free["agents"]["cost"]) / 1e6)
    assert (shares > 0.01).sum() > free["contributors"] > 1
    assert free["contributors"] < 6
    assert auction["contributors"] == pytest.approx(8, abs=1)
    assert rebate["contributors"] == 16


def test_regret_in_documents():
    document = equilibrium(given(), how="hedge", rounds=20, rules=["rebate", "local"]).document()
    for end in document["rules"]:
        actions = 5 if end["rule"] == "local" else 40
        assert end["regret"]["bound"] == pytest.approx(math.sqrt(10 * math.log(actions)))
        assert end["regret"]["largest"] <= end["regret"]["bound"]
    assert "regret" not in equilibrium(given(), rules=["local"]).document()["rules"][0]


def test_same_seed_same_learning():
    rule, cost = given().rule("sandwich", 4), np.array(COSTS)
    one, two, other = (hedge(rule, given(), cost, rounds=30, seed=seed) for seed in (1, 1, 2))
    assert one.history.rows == two.history.rows
    assert one.history.rows != other.history.rows
