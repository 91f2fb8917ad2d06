"""Where replies end, against games solved by hand, closed forms and search over deviations."""

import importlib.util
import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from fedfact.lab import Belief, Setting, Table, rule_names
from fedfact.lab.game.rule import Deal
from fedfact.lab.play.dynamics import contributions, replies, start
from fedfact.lab.play.equilibrium import RuleEnd, equilibrium
from fedfact.lab.rules.paper_sandwich import PaperSandwich
from fedfact.lab.rules.plain import PlainFederated
from fedfact.lab.rules.realfm import RealFM
from fedfact.mechanism import Terms, win_probability, win_probability_against

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

A = 36.0
TERMS = Terms(error_scale=A, rule="sandwich")
THREE = (1.0, 4.0, 9.0)  # m* = 6, 3, 2 and losses alone of 12, 24 and 36
STAYS = ["local", "rebate", "auction"]
COSTS = {
    3: (1.0, 4.0, 9.0),
    4: (0.7, 1.0, 1.6, 2.4),
    5: (2.0, 0.9, 1.1, 1.5, 0.8),
    6: (1.3, 0.6, 0.9, 2.2, 1.0, 1.7),
}


def given(costs, terms=TERMS):
    return Setting(terms, len(costs), "given", tuple(costs))


def play(name, costs, rule=None, **how):
    setting = given(costs)
    rule = rule or setting.rule(name, len(costs))
    return replies(rule, setting, np.array(costs), **how)


@pytest.mark.parametrize("costs", list(permutations(THREE)))
def test_only_the_cheapest_of_three_contributes(costs):
    """By hand: M = 6 of the cheapest, who bears 12; others have its model, 36/6, for nothing."""
    end = play("federated", costs)
    assert end.converged
    for c, used, loss in zip(costs, end.used, end.loss, strict=True):
        assert used == pytest.approx(6 if c == 1 else 0, abs=1e-4)
        assert loss == pytest.approx(12 if c == 1 else 6, rel=1e-4)
    assert end.paid.tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [2, 3, 6])
def test_equal_agents_share_the_data_of_one(n):
    """Each is at max(0, m* − S), so that M = m*, however many there are."""
    end = play("federated", [4.0] * n)
    assert end.converged
    assert end.used.sum() == pytest.approx(3, rel=1e-4)
    assert np.all(end.used >= 0)
    assert end.loss == pytest.approx(12 + 4 * end.used, rel=1e-4)


def test_many_agents_do_not_overshoot_together():
    """Sixty that hardly differ: whoever is left, all of them use about what one would alone."""
    end = play("federated", np.linspace(1, 1.01, 60))
    assert end.used.sum() == pytest.approx(6, rel=0.01)
    assert all(row["samples_share"] < 2 / 60 for row in end.history.rows[100:])


def test_two_agents_without_a_rule():
    """By hand: m* of 6 and 3; the dearer uses nothing, since 6 is more than its 3."""
    end = play("federated", (1.0, 4.0))
    assert end.used == pytest.approx([6, 0], abs=1e-4)


@pytest.mark.parametrize("n", [2, 3, 5, 16])
def test_equal_agents_under_shaping(n):
    """Each uses m*(1 + √(1 − 1/n)), and is left with its loss alone."""
    end = play("shaping", [1.0] * n, lies=False)
    assert end.converged
    assert end.used == pytest.approx([6 * (1 + math.sqrt(1 - 1 / n))] * n, rel=1e-5)
    assert end.loss == pytest.approx([12] * n, rel=1e-5)


@pytest.mark.parametrize("costs", [(1.0, 4.0), *COSTS.values()])
def test_shaping_of_honest_agents_is_the_closed_form(costs):
    """M = P + √(P² − Q), m = 2m* − m*²/M; three agents: P = 11, Q = 49, M = 11 + √72."""
    alone = [math.sqrt(A / c) for c in costs]
    P, Q = sum(alone), sum(m * m for m in alone)
    M = P + math.sqrt(P * P - Q)
    end = play("shaping", costs, lies=False)
    assert end.converged
    assert end.used.sum() == pytest.approx(M, rel=1e-5)
    assert end.used == pytest.approx([2 * m - m * m / M for m in alone], rel=1e-5)
    assert end.loss == pytest.approx([2 * math.sqrt(A * c) for c in costs], rel=1e-5)


@pytest.mark.parametrize("kept", [1.0, 0.5])
@pytest.mark.parametrize("n", [3, 4, 6])
def test_realfm_of_honest_agents_collects_as_much_as_shaping(n, kept):
    """The slope is c + ε whatever share is paid on top, and agents are better off by the share."""
    costs = COSTS[n]
    end = play("realfm", costs, RealFM(start=6.0, kept=kept), lies=False)
    assert end.converged
    assert end.used == pytest.approx(reference.shaping_equilibrium(costs, A), rel=2e-4)
    M = end.used.sum()
    share = (1 - kept) * max(A / 6 - A / M, 0) / M
    alone = [2 * math.sqrt(A * c) for c in costs]
    assert end.loss == pytest.approx(alone - share * end.used, rel=1e-3)
    assert end.paid == pytest.approx(-share * end.used, rel=1e-3)


@pytest.mark.parametrize("name", ["shaping", "penalised"])
@pytest.mark.parametrize("n", COSTS)
def test_liars_make_it_plain_federated_learning(name, n):
    """Only the cheapest uses data, its m*; PFL has no penalty left to collect."""
    costs = COSTS[n]
    end, plain = play(name, costs), play("federated", costs)
    assert end.converged
    alone = math.sqrt(A / min(costs))
    assert end.used.sum() == pytest.approx(plain.used.sum(), rel=2e-3)
    assert end.used.max() == pytest.approx(alone, rel=2e-3)
    assert end.used[np.argmin(costs)] == end.used.max()
    assert np.abs(end.paid).max() <= 1e-4 * 2 * math.sqrt(A * min(costs))


@pytest.mark.parametrize("n", [3, 5])
def test_liars_under_realfm_use_what_their_share_is_worth(n):
    """Answers in turn, each by scipy: loss A/M + c·m − ½(A/6 − A/M)·m/M, all have A/M."""
    costs, kept = COSTS[n], 0.5
    samples = [math.sqrt(A / c) for c in costs]

    def loss(m, S, c):
        M = m + S
        return A / M + c * m - (1 - kept) * max(A / 6 - A / M, 0) * m / M

    for _ in range(200):
        for i, c in enumerate(costs):
            S = reference.total_without(samples, i)
            found = minimize_scalar(
                loss, bounds=(1e-9, 30), args=(S, c), method="bounded", options={"xatol": 1e-9}
            )
            samples[i] = found.x if found.fun < loss(1e-9, S, c) else 1e-9
    end = play("realfm", costs, RealFM(start=6.0, kept=kept))
    assert end.converged
    assert end.used.sum() == pytest.approx(sum(samples), rel=2e-3)
    assert end.used == pytest.approx(samples, abs=0.02)


@pytest.mark.parametrize("name", STAYS)
@pytest.mark.parametrize("n", COSTS)
def test_nobody_ever_moves_where_truth_is_dominant(name, n):
    end = play(name, COSTS[n])
    assert (end.converged, end.rounds, len(end.history.rows)) == (True, 0, 1)
    assert end.reports.tolist() == list(COSTS[n])


def test_three_agents_under_the_rebate():
    """By hand: S of 5, 8 and 9, T = 3S/2, and H half of A(1/m_j − 1/T) over the other two."""
    end = play("rebate", THREE)
    back = [
        ((A / 3 - A / 7.5) + (A / 2 - A / 7.5)) / 2,
        ((A / 6 - A / 12) + (A / 2 - A / 12)) / 2,
        ((A / 6 - A / 13.5) + (A / 3 - A / 13.5)) / 2,
    ]
    assert end.loss == pytest.approx([12 - back[0], 24 - back[1], 36 - back[2]], rel=1e-12)
    fees = [A / 6 - A / 11, A / 3 - A / 11, A / 2 - A / 11]
    assert end.paid == pytest.approx(np.subtract(fees, back), rel=1e-12)


def test_three_bidders():
    """By hand: one job of m* = 3, the median's; the lowest bid of 1 wins it, at 4 a sample."""
    end = play("auction", THREE)
    assert end.used == pytest.approx([3, 0, 0])
    assert end.paid == pytest.approx([-12, 0, 0])
    assert end.loss == pytest.approx([12 + 3 - 12, 24, 36])


def test_honest_agents_under_the_penalty():
    """Thm 3: m*, and half of the benefit is left at α = 1."""
    end = play("penalised", THREE, lies=False)
    assert (end.converged, end.rounds) == (True, 0)
    assert end.used == pytest.approx([6, 3, 2])
    fees = [A / 6 - A / 11, A / 3 - A / 11, A / 2 - A / 11]
    assert end.loss == pytest.approx([12 - fees[0] / 2, 24 - fees[1] / 2, 36 - fees[2] / 2])


@pytest.mark.parametrize("seed", range(4))
def test_reports_under_the_sandwich_collapse(seed):
    """Sixteen end in one report near the median, use m* all the while, and none can win more."""
    setting = Setting.read()
    cost = setting.population(seed)
    end = replies(setting.rule("sandwich", 16), setting, cost, seed=seed)
    assert end.converged
    assert len(set(end.reports.tolist())) == 1
    assert cost.min() < end.reports[0] < cost.max()
    assert end.reports[0] == pytest.approx(np.median(cost), abs=0.1)
    assert end.used == pytest.approx(np.sqrt(1e6 / cost), rel=1e-12)
    assert all(row["samples_share"] == pytest.approx(1) for row in end.history.rows)
    others = end.reports[1:]
    lies = [others[0], 0.5 * others[0], others[0] - 1e-12, others[0] + 1e-12, 2 * others[0]]
    chances = win_probability_against(lies, others)
    assert chances[0] == pytest.approx(5 / 16)
    assert chances[1:].tolist() == [0, 0, 0, 0]


WIDE = ["expon", "uniform", "lognorm:s=2", "chi2:df=1", "loguniform:a=0.01,b=100", "lognorm:s=5"]


@pytest.mark.parametrize("costs", WIDE)
def test_reports_run_away_from_the_papers_pool(costs):
    """Winners would pay, so all report beyond each other; no number overflows, and play ends.

    Where it ends all say one thing far below every cost, at which nobody owes a penalty, and none
    can win more.
    """
    setting = Setting.read(costs)
    cost = setting.population(0)
    rule = setting.rule("sandwich-paper", 16)
    end = replies(rule, setting, cost)
    rows = end.history.rows
    assert all(np.isfinite(list(row.values())).all() for row in rows)
    assert max(row["report_high"] for row in rows) > 1e4
    assert end.reports.max() <= 1e8 * max(setting.median, cost.max())
    assert end.converged
    assert len(set(end.reports.tolist())) == 1
    assert end.reports[0] < cost.min()
    prize = rule.prize(Table.of(setting.terms, end.reports, end.used), end.used[:, None])
    assert np.all(prize > 0)  # so that all want to win, and who says anything else cannot
    assert (
        win_probability_against([0.5 * end.reports[0], 2 * end.reports[0]], end.reports[1:]).max()
        == 0
    )
    document = equilibrium(setting, rules=["sandwich-paper", "sandwich"]).document()
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize(("costs", "wide"), [("norm:loc=1,scale=0.1", False), ("expon", True)])
def test_reports_run_away_in_some_populations(costs, wide):
    """Of ten: none with costs about the same, some with wide ones; the others collapse."""
    setting, far = Setting.read(costs), 0
    for seed in range(10):
        end = replies(
            setting.rule("sandwich-paper", 16), setting, setting.population(seed), seed=seed
        )
        assert end.converged
        assert len(set(end.reports.tolist())) == 1
        far += max(row["report_high"] for row in end.history.rows) > 1e4
    assert 0 < far < 10 if wide else far == 0


def test_who_flees_goes_no_farther_than_there_is_room():
    """Above all; at the other end, where others are there already."""

    class WinnersPay(PaperSandwich):
        def prize(self, table, samples):
            return -np.ones(1)

    def outer_report(table, costs):
        return WinnersPay().best_report(table, costs, table.samples, Belief("all", 1.0))

    terms, costs = Terms(error_scale=50.0), np.ones(5)
    for highest, wanted in ((3.0, 6.0), (0.9e8, 1e8), (1e8, 0.5e-2)):
        table = Table.of(terms, [1e-2, 0.5, 1.0, 2.0, highest], np.ones(5))
        said = outer_report(table, costs)
        assert said[2] == pytest.approx(wanted)
    table = Table.of(terms, [1e-8, 0.5, 1.0, 2.0, 1e8], np.ones(5))
    assert outer_report(table, costs)[2] in (1e-8, 1e8)  # tied with one: it seldom wins


def test_what_is_no_number_is_no_rest():
    class Broken(PlainFederated):
        def deal(self, table, said, samples, used):
            return Deal(np.full(1, np.nan), np.zeros(1), used)

    setting, cost = given(THREE), np.array(THREE)
    end = replies(Broken(), setting, cost, rounds=3)
    assert (end.converged, end.rounds) == (False, 3)
    document = RuleEnd.of(Broken(), setting, end).document()
    json.dumps(document, allow_nan=False)
    assert (document["loss"]["mean"], document["agents"]["loss"]) == (None, [None] * 3)


@pytest.mark.parametrize("name", ["sandwich", "sandwich-paper"])
def test_what_agents_know_decides_what_they_say(name):
    """Who takes itself for the median is honest; who knows the spread says its median."""
    costs = COSTS[6]
    own = play(name, costs, knows="own")
    assert own.converged
    assert own.reports.tolist() == list(costs)
    spread = play(name, costs, knows="distribution")
    assert spread.converged
    assert spread.reports == pytest.approx([1.15] * 6, rel=1e-12)
    if name == "sandwich":
        alone = np.sqrt(A / np.array(costs))
        assert own.used == pytest.approx(alone)
        assert spread.used == pytest.approx(alone)


def test_three_agents_under_the_sandwich():
    """By hand: the one in the middle always wins what the other two put up, and nobody can pass.

    Had the cheapest 5 and the dearest 8 to report it would be they who win, so they come close; if
    nobody knows more than its own cost the loss is 24 − (36/6 + 36/2 − 2·36/8).
    """
    end = play("sandwich", THREE, knows="own")
    assert end.loss == pytest.approx([12, 24 - 15, 36])
    spread = play("sandwich", THREE, knows="distribution")
    pools = [A / 3 + A / 2 - 2 * A / 5, 15, A / 6 + A / 3 - 2 * A / 9]
    assert spread.loss == pytest.approx([12 - pools[0] / 3, 24 - 5, 36 - pools[2] / 3])


TRUTHFUL_ENDS = ["local", "federated", "penalised", "sandwich-paper", "shaping", "realfm"]


@pytest.mark.parametrize("name", TRUTHFUL_ENDS)
@pytest.mark.parametrize("n", [3, 5, 6])
def test_no_honest_agent_can_gain_by_other_samples(name, n):
    """By loops over samples, at the end of play among agents that report the truth."""
    costs = COSTS[n]
    setting = given(costs)
    rule, cost = setting.rule(name, n), np.array(costs)
    end = replies(rule, setting, cost, lies=False)
    assert end.converged
    said, used = list(costs), list(end.used)
    now = reference.losses(rule, TERMS, costs, said, used, used)
    assert end.loss == pytest.approx(now, rel=1e-9)
    for i, c in enumerate(costs):
        for part in (1e-6, 0.01, 0.1, 0.3, 0.6, 0.8, 0.95, 0.99, 1.01, 1.05, 1.3, 1.7, 2, 4):
            other = [*used[:i], part * math.sqrt(A / c), *used[i + 1 :]]
            loss = reference.losses(rule, TERMS, costs, said, other, other)[i]
            assert loss >= now[i] * (1 - 1e-5)


LYING_ENDS = ["local", "federated", "penalised", "rebate", "shared", "auction"]


@pytest.mark.parametrize("name", LYING_ENDS)
@pytest.mark.parametrize("n", [3, 5])
def test_no_agent_can_gain_by_anything(name, n):
    """By loops over reports and samples, all others as they are where play has ended."""
    costs = COSTS[n]
    setting = given(costs)
    rule = setting.rule(name, n)
    end = play(name, costs)
    assert end.converged
    said, used = list(end.reports), list(end.used)
    if name == "auction":
        used = [rule.size] * n
    now = reference.losses(rule, TERMS, costs, said, used, used)
    assert end.loss == pytest.approx(now, rel=1e-9)
    for i, c in enumerate(costs):
        lies = [*(c * t for t in (1e-4, 0.5, 0.9, 1, 1.1, 2, 30, 1e7)), *said]
        for lie in sorted(set(lies)):
            for part in (1e-5, 1e-3, 0.1, 0.4, 0.8, 0.95, 1, 1.05, 1.4, 2.5):
                m = rule.size if name == "auction" else part * math.sqrt(A / c)
                trial = [*said[:i], lie, *said[i + 1 :]], [*used[:i], m, *used[i + 1 :]]
                loss = reference.losses(rule, TERMS, costs, *trial, trial[1])[i]
                assert loss >= now[i] - 2e-5 * 2 * math.sqrt(A * c), (i, lie, part)


@pytest.mark.parametrize("n", [3, 4, 6])
@pytest.mark.parametrize("report", [0.2, 1.0, 40.0])
def test_one_report_of_all_is_where_play_can_end(n, report):
    """From any report that all agree on, no other pays, by counting every grouping."""
    costs = COSTS[n]
    alone = [math.sqrt(A / c) for c in costs]
    rule = given(costs).rule("sandwich", n)
    joint = reference.losses(rule, TERMS, costs, [report] * n, alone, alone)
    table = Table.of(TERMS, [report] * n, alone)
    said, samples = rule.reply(table, np.array(costs), given(costs).belief("all"))
    assert said.tolist() == [report] * n
    assert samples == pytest.approx(alone)
    for i in range(n):
        for lie in (0.5 * report, 2 * report):
            trial = [*[report] * i, lie, *[report] * (n - 1 - i)]
            assert reference.losses(rule, TERMS, costs, trial, alone, alone)[i] > joint[i]


@pytest.mark.parametrize("name", rule_names())
@pytest.mark.parametrize("lies", [True, False])
def test_the_order_of_agents_does_not_matter(name, lies):
    """Other agents wake at other times, and the data of all is the same in the end."""
    costs = np.array(COSTS[6])
    order = [4, 2, 0, 5, 1, 3]
    one, two = play(name, costs, lies=lies), play(name, costs[order], lies=lies)
    assert one.converged
    assert two.converged
    assert two.used.sum() == pytest.approx(one.used.sum(), rel=1e-3)
    if name not in ("sandwich", "sandwich-paper") or not lies:
        assert two.used == pytest.approx(one.used[order], abs=1e-2)


@pytest.mark.parametrize("name", ["federated", "shaping", "sandwich"])
def test_same_seed_same_play(name):
    one, two, other = (play(name, COSTS[6], seed=seed) for seed in (3, 3, 4))
    assert one.history.rows == two.history.rows
    assert one.reports.tolist() == two.reports.tolist()
    assert one.history.rows != other.history.rows


def test_play_may_be_cut_short_or_go_on():
    cut = play("federated", COSTS[6], rounds=2)
    assert (cut.converged, cut.rounds, len(cut.history.rows)) == (False, 2, 3)
    on = play("rebate", COSTS[6], rounds=7, stop=False)
    assert (on.converged, on.rounds, len(on.history.rows)) == (True, 0, 8)


def test_play_begins_honest():
    """At m*, or at the job of the auction: m* of the median cost of 4."""
    setting, cost = given(THREE), np.array(THREE)
    for rule in setting.rules():
        table = start(rule, setting, cost)
        wanted = [3, 3, 3] if rule.name == "auction" else [6, 3, 2]
        assert table.reports.tolist() == list(THREE)
        assert table.samples == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("name", ["federated", "penalised", "rebate"])
def test_contributions_are_those_of_the_end(name):
    setting, cost = given(THREE), np.array(THREE)
    for lies in (True, False):
        found = contributions(setting.rule(name, 3), setting, cost, lies)
        plain = name == "federated" or (lies and name == "penalised")
        assert found == pytest.approx([6, 0, 0] if plain else [6, 3, 2], abs=1e-4)


def test_history_by_hand():
    """One round of three honest agents without a rule, from samples 6, 3 and 2."""
    first = play("federated", THREE).history.rows[0]
    losses = [A / 11 + 6, A / 11 + 12, A / 11 + 18]
    mean = sum(loss / alone for loss, alone in zip(losses, (12, 24, 36), strict=True)) / 3
    assert first["loss"] == pytest.approx(mean)
    assert first["samples_share"] == pytest.approx(1)
    assert first["from_truth"] == 0
    assert first["report_mid"] == 1
    assert (first["report_low"], first["report_high"]) == pytest.approx((0.4, 2.0))


@pytest.mark.parametrize("how", [{}, {"lies": False}, {"how": "hedge", "rounds": 12}])
def test_documents_are_clean_and_columns_of_one_length(how):
    document = equilibrium(given(COSTS[5]), **how).document()
    json.dumps(document, allow_nan=False)
    assert [end["rule"] for end in document["rules"]] == list(rule_names())
    assert document["lies"] is how.get("lies", True)
    for end in document["rules"]:
        lengths = {len(column) for column in end["history"].values()}
        assert lengths == {12 if "how" in how else end["rounds"] + 1}
        assert end["history"]["round"] == list(range(lengths.pop()))


def test_a_loss_without_end_is_none():
    """Where nobody uses anything there is no model."""
    setting, cost = given(THREE), np.array(THREE)
    end = replies(setting.rule("federated", 3), setting, cost, rounds=1)
    with np.errstate(divide="ignore"):
        end.history.add(Table.of(TERMS, cost, np.zeros(3)))
    assert end.history.columns()["loss"][-1] is None
    assert end.history.columns()["samples_share"][-1] == 0


@pytest.mark.parametrize("lies", [True, False])
def test_what_a_document_says_of_an_end(lies):
    """Sums and means by loops over its agents."""
    for end in equilibrium(given(COSTS[6]), lies=lies).document()["rules"]:
        agents = end["agents"]
        alone = [2 * math.sqrt(A * c) for c in agents["cost"]]
        best = [math.sqrt(A / c) for c in agents["cost"]]
        assert agents["cost"] == list(COSTS[6])
        assert end["samples"] == pytest.approx(sum(agents["samples"]))
        assert end["samples_share"] == pytest.approx(sum(agents["samples"]) / sum(best))
        used = zip(agents["samples"], best, strict=True)
        assert end["contributors"] == sum(m >= 0.01 * b for m, b in used)
        assert end["loss"]["mean"] == pytest.approx(sum(agents["loss"]) / 6)
        assert end["loss"]["worst"] == max(agents["loss"])
        borne = sum(loss * a for loss, a in zip(agents["loss"], alone, strict=True))
        assert end["cost_to_all"] == pytest.approx(borne / sum(alone) - end["surplus"])
        assert end["shut_out"] == (3 if end["rule"] == "auction" else 0)
        lies_told = zip(agents["report"], agents["cost"], strict=True)
        assert end["from_truth"] == pytest.approx(sum(abs(r / c - 1) for r, c in lies_told) / 6)
        if end["rule"] in ("local", "federated", "shaping"):
            assert end["surplus"] == 0


def test_rules_that_are_asked_for():
    document = equilibrium(given(THREE), rules=["rebate", "local"]).document()
    assert [end["rule"] for end in document["rules"]] == ["local", "rebate"]


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
