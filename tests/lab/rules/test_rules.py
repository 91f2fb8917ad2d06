"""Replies against search over grids and enumeration, and what FACT's rules promise."""

import importlib.util
from dataclasses import replace
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.lab import Belief, Table, all_rules, rule_names
from fedfact.lab.rules.paper_sandwich import PaperSandwich
from fedfact.mechanism import RULES, Others, Terms, best_response

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

examples = settings(max_examples=40, deadline=None)
TERMS = Terms(error_scale=50.0, rule="sandwich", alpha=1.2, retention=0.1, consistency=0.7)
ALL = Belief("all", 1.0)
GRID = np.append(0.0, np.geomspace(1e-5, 1e3, 4001))  # times m*

seeds = st.integers(0, 10**6)


def draw(seed, n=None, spread=0.3):
    """Costs, and a table of agents that are not honest and not at their best."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(3, 9))
    cost = rng.lognormal(0, 0.5, n)
    report = cost * rng.lognormal(0, 0.5, n)
    return cost, Table.of(TERMS, report, np.sqrt(50 / cost) * rng.lognormal(0, spread, n))


def rule_of(name, n, terms=TERMS):
    return next(rule for rule in all_rules(terms, n, 1.0) if rule.name == name)


def least(rule, table, cost, said):
    """The least loss of any samples of a grid around each agent's m*; nobody changes its report."""
    grid = GRID if rule.name in ("federated", "penalised", "realfm", "shaping") else GRID[1:]
    samples = np.sqrt(50 / cost)[:, None] * grid
    if rule.name == "sandwich-paper":  # within reach of its interpolation
        samples = np.sqrt(50 / cost)[:, None] * np.geomspace(0.7, 1.5, 4001)
    return rule.losses_if(table, cost, said[:, None], samples).min(axis=-1)


def loss_of(rule, table, cost, said, samples):
    shape = np.broadcast_shapes(said.shape, samples.shape)
    return rule.losses_if(table, cost, np.broadcast_to(said, shape)[:, None], samples[:, None])[
        :, 0
    ]


def middle_report(table, cost):
    """The sandwich's best report of agents that know all others': the likeliest to win."""
    return rule_of("sandwich", table.n).best_report(table, cost, table.samples, ALL)


@pytest.mark.parametrize("name", [name for name in rule_names() if name != "sandwich-paper"])
@examples
@given(seed=seeds, lie=st.sampled_from([0.2, 0.9, 1.0, 1.1, 5.0, 1e3]))
def test_best_samples_are_best(name, seed, lie):
    """At a true report and at false ones no samples of a fine grid do better."""
    cost, table = draw(seed)
    rule = rule_of(name, table.n)
    said = cost * lie
    if name == "auction":
        said = cost  # with a bid below its cost the chosen would rather not
    samples = rule.best_samples(table, cost, said)
    found = loss_of(rule, table, cost, said, samples)
    slack = 1e-9
    if name == "penalised" and lie != 1:
        slack = 2e-3  # it looks for the best samples of a liar from m*/1000 on
    if name == "realfm":
        slack = 1e-6 * lie**0.5  # it looks for a kink, on one side of which the line is steep
    assert np.all(found <= least(rule, table, cost, said) + slack * np.sqrt(50 * cost))
    if name in ("local", "sandwich") or (name in ("penalised", "rebate") and lie == 1):
        assert samples == pytest.approx(np.sqrt(50 / cost), rel=1e-12)


@pytest.mark.parametrize("n", [3, 4, 6, 8])
def test_best_samples_under_the_papers_pool(n):
    """Where play stands still they are best, and elsewhere the error is of second order."""
    cost, table = draw(n, n, 0.0)
    rule, samples = rule_of("sandwich-paper", n), table.samples
    for _ in range(30):
        samples = rule.best_samples(Table.of(TERMS, table.reports, samples), cost, table.reports)
    still = Table.of(TERMS, table.reports, samples)
    again = rule.best_samples(still, cost, table.reports)
    assert again == pytest.approx(samples, rel=1e-9)
    found = rule.losses(still, cost)
    assert np.all(found <= least(rule, still, cost, table.reports) + 1e-10 * found)
    assert np.any(np.abs(samples / np.sqrt(50 / cost) - 1) > 1e-4)


@pytest.mark.parametrize(("n", "excess"), [(3, 0.0582), (16, 0.00276)])
def test_papers_pool_makes_agents_use_too_much(n, excess):
    """docs/theory.md: 5.8 % among three agents alike, 0.28 % among sixteen, who believe in ½.

    With α next to 2, where contract fees are the effective fees; the others stay at m*.
    """
    terms = Terms(error_scale=1.0, alpha=2 - 1e-9)
    rule, samples, one = rule_of("sandwich-paper", n, terms), np.ones(n), np.ones(n)
    for _ in range(40):
        table = replace(Table.of(terms, one, samples), won=np.full(n, 0.5))
        samples[0] = rule.best_samples(table, one, one)[0]
    assert samples[0] - 1 == pytest.approx(excess, rel=1e-2)
    ours = rule_of("sandwich", n, terms)
    assert ours.best_samples(table, one, one).tolist() == [1.0] * n


@pytest.mark.parametrize("name", rule_names()[:-1])  # the first best knows true costs
@examples
@given(seed=seeds)
def test_best_report_is_best(name, seed):
    """With the samples that are best for the honest, no report of a grid does better.

    The grid has what others say and what lies between them. The paper's prize may be negative,
    and is then left out here: to win it would be a mistake.
    """
    cost, table = draw(seed, spread=0.1)
    rule = rule_of(name, table.n)
    samples = rule.best_samples(table, cost, cost)
    if name in ("federated", "penalised"):
        samples = np.maximum(samples, 0.1)
    report = rule.best_report(table, cost, samples, ALL)
    known = np.sort(table.reports)
    tries = np.concatenate((np.geomspace(1e-6, 1e6, 1201), known, (known[1:] + known[:-1]) / 2))
    wide = np.broadcast_to(samples[:, None], (table.n, len(tries)))
    best = rule.losses_if(table, cost, tries[None], wide).min(axis=-1)
    found = loss_of(rule, table, cost, report, samples)
    if name == "sandwich-paper":
        wanted = rule.prize(table, samples[:, None])[:, 0] >= 0
        found, best = found[wanted], best[wanted]
    assert np.all(found <= best + 1e-9 * np.abs(best))


@pytest.mark.parametrize("name", rule_names()[:-1])
@pytest.mark.parametrize("n", [3, 4, 5, 8])
def test_reply_is_the_best_of_all(name, n):
    """Of all pairs of a report and samples on a grid none does better than the reply.

    Shaping and RealFM ask a liar for 1e-4 of its m*, for there is no highest report. Under the
    paper's pool the samples are those of the honest, to first order; that is a little off, the
    less so the more agents there are.
    """
    rule, off = rule_of(name, n), {"shaping": 2e-4, "realfm": 2e-4, "sandwich-paper": 0.7 / n**3}
    for seed in range(6):
        cost, table = draw(seed, n, 0.1)
        report, samples = rule.reply(table, cost, ALL)
        known = np.sort(table.reports)
        between = (known[1:] + known[:-1]) / 2
        tries = np.concatenate((np.geomspace(1e-6, 1e6, 49), known, between, cost))
        grid = np.append(0.0, np.geomspace(1e-4, 20, 150))
        if name in ("local", "sandwich", "rebate"):
            grid = grid[1:]
        if name == "sandwich-paper":
            grid = np.geomspace(0.8, 1.3, 60)
        sizes = np.sqrt(50 / cost)[:, None] * np.tile(grid, len(tries))
        pairs = np.broadcast_to(np.repeat(tries, len(grid)), sizes.shape)
        if name == "auction":  # a contract binds the chosen to the job
            sizes = np.full_like(sizes, rule.size)
        best = rule.losses_if(table, cost, pairs, sizes).min(axis=-1)
        found = loss_of(rule, table, cost, report, samples)
        assert np.all(found <= best + off.get(name, 1e-9) * 2 * np.sqrt(50 * cost))
        assert np.all(found <= rule.losses(table, cost) + off.get(name, 1e-9) * np.sqrt(50 * cost))


@pytest.mark.parametrize("name", ["sandwich", "sandwich-paper"])
def test_what_an_agent_knows_is_what_it_goes_by(name):
    """Assumption 2: with its own cost only the truth; with the distribution the median."""
    cost, table = draw(7, 6)
    rule = rule_of(name, 6)
    assert rule.reply(table, cost, Belief("own", 1.7))[0].tolist() == cost.tolist()
    assert rule.reply(table, cost, Belief("distribution", 1.7))[0].tolist() == [1.7] * 6
    known = rule.reply(table, cost, ALL)[0]
    assert known.tolist() == middle_report(table, cost).tolist()
    chance, honest = (rule.chance(table, said[:, None])[:, 0] for said in (known, cost))
    assert np.all(chance >= honest)
    assert np.any(chance > honest)


@pytest.mark.parametrize("name", [name for name in rule_names() if "sandwich" not in name])
def test_other_rules_have_no_use_for_beliefs(name):
    cost, table = draw(7, 6)
    rule = rule_of(name, 6)
    replies = [rule.reply(table, cost, Belief(knows, 1.7)) for knows in ("own", "all")]
    assert replies[0][0].tolist() == replies[1][0].tolist()
    assert replies[0][1].tolist() == replies[1][1].tolist()


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_middle_report_against_every_rank_and_tie(n):
    """All orders of the others' reports with all their ties, one agent at a time."""

    def chance(others, said):
        return reference_chance(n - 1, sum(o < said for o in others), others.count(said))

    for others in combinations_with_replacement([1.0, 2.0, 3.0, 4.0], n - 1):
        best = max(chance(others, said) for said in [0.25, *np.arange(1, 5.0, 0.5)]) - 1e-12
        for now, cost in product((9.0, 2.25, 3.0), (0.5, 1.0, 2.5, 3.5, 9.0)):
            table = Table.of(TERMS, np.array([*others, now]), np.ones(n))
            said = float(middle_report(table, np.full(n, cost))[-1])
            assert chance(others, said) >= best
            # Where truth does as well it is the truth; else what the agent says now.
            for rather in (now, cost):
                if chance(others, rather) >= best:
                    wanted = rather
            if max(chance(others, now), chance(others, cost)) >= best:
                assert said == wanted


def reference_chance(others, below, equal):
    """Lemma 2 by counting pairs of opponents, ties shared: all that a rank and ties decide."""
    side = [-1] * below + [0] * equal + [1] * (others - below - equal)
    won, pairs = 0.0, 0
    for i in range(others):
        for j in range(i):
            pairs += 1
            group = [side[i], side[j], 0]
            if sorted(group)[1] == 0:
                won += 1 / group.count(0)
    return won / pairs


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("joint", [1e-3, 1.0, 40.0])
def test_joining_in_where_all_say_the_same(n, joint):
    """Any unanimous report is an equilibrium of the sandwich, and the truth of none."""
    table = Table.of(TERMS, np.full(n, joint), np.ones(n))
    assert middle_report(table, np.full(n, 2.0)).tolist() == [joint] * n


@examples
@given(seed=seeds)
def test_middle_report_is_the_search_of_the_mechanism(seed):
    cost, table = draw(seed)
    report = middle_report(table, cost)
    rule = rule_of("sandwich", table.n)
    found = rule.chance(table, report[:, None])[:, 0]
    for i in range(table.n):
        others = Others(np.delete(table.samples, i), np.delete(table.reports, i))
        answer = best_response("sandwich", float(cost[i]), others, TERMS)
        wanted = rule.chance(table, np.full((1, 1), answer.reported_cost))[i, 0]
        assert found[i] == pytest.approx(wanted, rel=1e-12)


@examples
@given(seed=seeds, alpha=st.floats(0, 1.9), part=st.floats(1e-3, 5))
def test_a_liar_brings_the_penalty_to_nothing(seed, alpha, part):
    """P_fr is a square: whatever samples an agent uses, one report makes it zero."""
    cost, table = draw(seed)
    terms = replace(TERMS, alpha=alpha)
    table = Table.of(terms, table.reports, table.samples)
    rule, samples = rule_of("penalised", table.n), np.sqrt(50 / cost) * part
    said = rule.best_report(table, cost, samples, ALL)
    for i in range(table.n):
        S = reference.total_without(table.samples, i)
        penalty = reference.penalty(samples[i], S, said[i], 50.0, alpha)
        assert penalty == pytest.approx(0, abs=1e-12 * np.sqrt(50 * said[i]) / (2 - alpha))
        assert penalty < reference.penalty(samples[i], S, said[i] * 1.01, 50.0, alpha)
        assert penalty < reference.penalty(samples[i], S, said[i] / 1.01, 50.0, alpha)
    assert rule.deal(table, said[:, None], samples[:, None], samples[:, None]).paid == (
        pytest.approx(0, abs=1e-9)
    )


def test_a_liar_that_uses_nothing_has_no_penalty():
    """The limit c → 0: the liar has A/S, a full free ride."""
    cost, table = draw(1, 6, 0.0)
    rule = rule_of("penalised", 6)
    said, samples = rule.reply(table, cost, ALL)
    assert samples.tolist() == [0.0] * 6
    found = loss_of(rule, table, cost, said, samples)
    assert found == pytest.approx(50 / table.others, rel=1e-4)


@pytest.mark.parametrize("kappa", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("n", [3, 5])
def test_truth_is_strictly_dominant_under_the_rebate(kappa, n):
    """By brute force: whatever others do, any other pair of report and samples loses."""
    terms = replace(TERMS, consistency=kappa)
    rule = rule_of("rebate", n, terms)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        cost, report, samples = rng.lognormal(0, 1, (3, n))
        table = Table.of(terms, report, samples)
        said, best = rule.reply(table, cost, ALL)
        assert said == pytest.approx(cost, rel=1e-12)
        assert best == pytest.approx(np.sqrt(50 / cost), rel=1e-12)
        least = loss_of(rule, table, cost, cost, np.sqrt(50 / cost))
        factor = np.append(np.geomspace(1e-3, 0.97, 40), np.geomspace(1.03, 1e3, 40))
        factors = np.array([(a, b) for a in [1, *factor] for b in [1, *factor]])[1:]
        others = rule.losses_if(
            table, cost, cost[:, None] * factors[:, 0], np.sqrt(50 / cost)[:, None] * factors[:, 1]
        )
        assert np.all(others > least[:, None] * (1 + 1e-6))


@pytest.mark.parametrize("name", ["sandwich", "rebate"])
@examples
@given(seed=seeds)
def test_nobody_is_worse_off_than_alone(name, seed):
    """Honest agents among any others: the sandwich in expectation, the rebate in every outcome."""
    cost, table = draw(seed)
    rule = rule_of(name, table.n)
    honest = loss_of(rule, table, cost, cost, np.sqrt(50 / cost))
    assert np.all(honest <= 2 * np.sqrt(50 * cost) * (1 + 1e-12))


@pytest.mark.parametrize("name", ["sandwich", "rebate"])
@examples
@given(seed=seeds)
def test_the_server_never_pays(name, seed):
    """docs/theory.md: fees cover what the others of each winner put up, or all rebates.

    What the rebate leaves is Σe(T) − n·e(M) + ΣQ, T being n/(n − 1) times what all others use.
    """
    _, table = draw(seed)
    n, terms = table.n, replace(TERMS, retention=0.0)
    table = Table.of(terms, table.reports, table.samples)
    left = rule_of(name, n, terms).at(table).paid.sum()
    M, m = table.samples.sum(), table.samples
    if name == "rebate":
        charge = 0.7 * ((50 / m) ** 0.5 - (table.reports * m) ** 0.5) ** 2
        surplus = (50 * (n - 1) / (n * (M - m))).sum() - n * 50 / M + charge.sum()
    else:
        # Each of the G winners has a G-th of what the others would have paid without it.
        chance = RULES["sandwich"].chances(table.reports[:, None], table.reports)[:, 0]
        without = np.array([(1 / np.delete(m, w) - 1 / (M - m[w])).sum() for w in range(n)])
        surplus = 50 * (chance / (n // 3) * ((1 / m - 1 / M).sum() - without)).sum()
    assert left == pytest.approx(surplus, rel=1e-9)
    assert left > 0


@pytest.mark.parametrize("n", [3, 8])
def test_only_the_cheapest_contributes_without_a_rule(n):
    """m* of the cheapest, nothing from the rest is an equilibrium, and the only one."""
    rng = np.random.default_rng(n)
    cost = np.sort(rng.lognormal(0, 0.5, n))
    rule, alone = rule_of("federated", n), np.sqrt(50 / cost)
    samples = np.append(alone[0], np.zeros(n - 1))
    for report in (cost, cost[::-1]):
        table = Table.of(TERMS, report, samples)
        assert rule.best_samples(table, cost, report) == pytest.approx(samples)
    assert samples.sum() == pytest.approx((50 / cost[0]) ** 0.5)
    assert rule.losses(table, cost)[0] == pytest.approx(2 * (50 * cost[0]) ** 0.5)
    play = alone.copy()
    for turn in range(40 * n):
        i = turn % n
        play[i] = rule.best_samples(Table.of(TERMS, cost, play), cost, cost)[i]
    assert play == pytest.approx(samples, abs=1e-9)


@pytest.mark.parametrize("name", ["local", "federated", "penalised", "sandwich", "rebate"])
def test_what_is_agreed_is_the_local_optimum(name):
    report = np.array([0.5, 2.0, 8.0])
    assert rule_of(name, 3).agreed(TERMS, report) == pytest.approx([10, 5, 2.5])
    rows = rule_of(name, 3).agreed(TERMS, np.stack([report, report[::-1]]))
    assert rows == pytest.approx(np.array([[10, 5, 2.5], [2.5, 5, 10]]))


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
