"""The table and the rules' formulas against plain loops, and "what if" against doing it."""

import importlib.util
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.lab import Table, all_rules, rule_names
from fedfact.lab.rules.realfm import Payoff, RealFM
from fedfact.lab.rules.registry import check_names
from fedfact.mechanism import RULES, Population, Standing, Terms, settle

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

examples = settings(max_examples=40, deadline=None)
TERMS = Terms(error_scale=50.0, rule="sandwich", alpha=0.7, retention=0.25, consistency=1.5)
OWN = [RealFM(900.0, kept, Payoff(linear=linear)) for kept in (1.0, 0.3) for linear in (0, 1)]

numbers = st.floats(0.05, 20)
tied = st.sampled_from([0.5, 1.0, 2.0])


@st.composite
def populations(draw, least=3, most=7):
    """Costs, reports (often tied), what is claimed, and what is used: as much, or less."""
    n = draw(st.integers(least, most))

    def column(of):
        return np.array(draw(st.lists(of, min_size=n, max_size=n)))

    cost, report = column(numbers), column(draw(st.sampled_from([numbers, tied])))
    samples = np.sqrt(50 / column(numbers))
    used = samples * column(st.floats(0.1, 1)) if draw(st.booleans()) else samples
    return cost, report, samples, used


def rules_for(n, terms=TERMS):
    return all_rules(terms, n, 1.3)


def instead(table, i, said, samples, used):
    """The table on which agent i alone does this."""
    parts = [table.reports.copy(), table.samples.copy(), table.used.copy()]
    for part, value in zip(parts, (said, samples, used), strict=True):
        part[i] = value
    return Table.of(table.terms, *parts)


def test_names_are_those_of_the_rules():
    assert tuple(rule.name for rule in rules_for(6)) == rule_names()
    assert rule_names()[:4] == ("local", "federated", "penalised", "sandwich-paper")
    assert rule_names()[4:7] == ("sandwich", "rebate", "shared")
    assert rule_names()[7:] == ("shaping", "realfm", "auction", "vcg", "first-best")
    check_names(rule_names())
    with pytest.raises(InputError, match="rule 'sandwhich' is not known; did you mean sandwich"):
        check_names(["rebate", "sandwhich"])


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_every_grouping_is_counted(n):
    """n!/((3!)^G·G!·(n mod 3)!) of them, and G winners in each."""
    G, left = divmod(n, 3)
    count = math.factorial(n) // (6**G * math.factorial(G) * math.factorial(left))
    assert len({tuple(sorted(g)) for g in reference.groupings(range(n))}) == count
    assert sum(reference.chances([1.0] * n)) == pytest.approx(G)


@examples
@given(populations(), st.just(1.0) | st.floats(0.05, 2))
def test_outcomes_are_those_of_the_formulas(population, exponent):
    cost, report, samples, used = population
    terms = replace(TERMS, exponent=exponent)
    table = Table.of(terms, report, samples, used)
    for rule in rules_for(len(cost), terms):
        want = np.array(reference.outcome(rule, terms, report, samples, used)).T
        deal = rule.at(table)
        scale = np.abs(want).sum(axis=0).max()
        for got, part in zip((deal.error, deal.paid, deal.used), want, strict=True):
            assert got == pytest.approx(part, rel=1e-9, abs=1e-11 * scale), rule.name
        bears = reference.losses(rule, terms, cost, report, samples, used)
        assert rule.losses(table, cost) == pytest.approx(bears, rel=1e-9), rule.name
        if used is samples:
            told = rule.outcome(terms, report, samples)
            assert told.loss(cost) == pytest.approx(deal.loss(cost), rel=1e-14), rule.name


@examples
@given(populations(), st.sampled_from(OWN))
def test_realfm_with_its_own_payoff(population, rule):
    """Costs of which some make training worth it, and some do not; samples before and after m°."""
    _, report, samples, used = population
    report = report * (1e-5 if rule.payoff.linear else 2e-3)
    samples, used = samples * 900, used * 900
    deal = rule.at(Table.of(TERMS, report, samples, used))
    want = np.array(reference.outcome(rule, TERMS, report, samples, used)).T
    assert deal.error == pytest.approx(want[0], rel=1e-6, abs=1e-9)
    assert deal.paid == pytest.approx(want[1], rel=1e-9, abs=1e-12)
    assert deal.used == pytest.approx(used)


@examples
@given(populations(), tied | numbers)
def test_what_an_agent_is_faced_with(population, asked):
    _, report, samples, used = population
    n, table = len(report), Table.of(TERMS, report, samples, used)
    below, equal = table.below(np.full((n, 1), asked))
    for i in range(n):
        others = [float(report[j]) for j in range(n) if j != i]
        S = reference.total_without(samples, i)
        assert table.others[i] == pytest.approx(S)
        assert table.others_used[i] == pytest.approx(reference.total_without(used, i))
        assert below[i, 0] == sum(other < asked for other in others)
        assert equal[i, 0] == others.count(asked)
        for rank, value in enumerate(sorted(others)):
            assert table.of_others(rank)[i] == value
            assert table.of_others(np.full(n, float(rank)))[i] == value


@examples
@given(populations(), tied | numbers)
def test_chance_is_that_of_all_groupings(population, asked):
    """Of what is said, and of what one agent alone would say, were it tied or not."""
    report = population[1]
    n = len(report)
    chances = RULES["sandwich"].chances
    assert chances(report[:, None], report)[:, 0] == pytest.approx(reference.chances(list(report)))
    for i in range(n):
        lie = [*report[:i], asked, *report[i + 1 :]]
        chance = chances(np.full((1, 1), asked), report)[i, 0]
        assert chance == pytest.approx(reference.chances(lie)[i])


@pytest.mark.parametrize("n", [3, 4, 8, 60])
@pytest.mark.parametrize("spread", [0.05, 0.5])
def test_what_if_is_doing_it(n, spread):
    """Of every rule, also where others use less than they claim, and so does the agent."""
    rng = np.random.default_rng(n)
    cost, report = rng.lognormal(0, 0.5, (2, n))
    samples = np.sqrt(50 / cost) * rng.lognormal(0, spread, n)
    said = np.concatenate((rng.lognormal(0, 1, (n, 4)), np.tile(report[:3], (n, 1))), axis=1)
    claimed = samples[:, None] * rng.lognormal(0, spread, (n, 7))
    for share in (1.0, rng.uniform(0.1, 1, n)):
        table = Table.of(TERMS, report, samples, samples * share)
        used = claimed * np.reshape(share, (-1, 1))
        for rule in rules_for(n):
            found = rule.losses_if(table, cost, said, claimed, used)
            for i, k in np.ndindex(n, 7):
                done = instead(table, i, said[i, k], claimed[i, k], used[i, k])
                assert found[i, k] == pytest.approx(rule.losses(done, cost)[i], rel=1e-9), rule.name


@pytest.mark.parametrize("n", [3, 5, 60])
def test_what_if_over_wide_ranges(n):
    """Samples apart by factors of a thousand. Under the paper's pool: up to ten times more."""
    rng = np.random.default_rng(n)
    cost, report = rng.lognormal(0, 1, (2, n))
    samples = np.sqrt(50 / cost) * 10 ** rng.uniform(-1.5, 1.5, n)
    table, said = Table.of(TERMS, report, samples), rng.lognormal(0, 1, (n, 5))
    for rule in rules_for(n):
        ends = (0, 1) if rule.name == "sandwich-paper" else (-3, 3)
        claimed = samples[:, None] * 10 ** rng.uniform(*ends, (n, 5))
        found = rule.losses_if(table, cost, said, claimed)
        for i, k in np.ndindex(n, 5):
            bears = rule.losses(instead(table, i, said[i, k], *[claimed[i, k]] * 2), cost)[i]
            assert found[i, k] == pytest.approx(bears, rel=1e-9), rule.name


@examples
@given(populations())
def test_what_is_done_already_changes_nothing(population):
    cost, report, samples, used = population
    table = Table.of(TERMS, report, samples, used)
    for rule in rules_for(len(cost)):
        found = rule.losses_if(table, cost, report[:, None], samples[:, None], used[:, None])
        assert found[:, 0] == pytest.approx(rule.losses(table, cost), rel=1e-12), rule.name


@pytest.mark.parametrize("name", rule_names())
@pytest.mark.parametrize("n", [3, 5])
def test_populations_do_not_touch_each_other(name, n):
    """Leading axes: each population has what it has by itself."""
    rng = np.random.default_rng(n)
    cost, report = rng.lognormal(0, 0.5, (2, 2, 3, n))
    report[0, 1] = 1.0
    samples = np.sqrt(50 / cost) * rng.lognormal(0, 0.3, (2, 3, n))
    used = samples * rng.uniform(0.2, 1, (2, 3, n))
    said, claimed = rng.lognormal(0, 0.4, (2, 3, n, 4)), rng.lognormal(1, 0.4, (2, 3, n, 4))
    rule = next(rule for rule in rules_for(n) if rule.name == name)
    whole = Table.of(TERMS, report, samples, used)
    losses, if_so = rule.losses(whole, cost), rule.losses_if(whole, cost, said, claimed)
    reply = rule.best_samples(whole, cost, report)
    assert losses.shape == (2, 3, n)
    assert if_so.shape == (2, 3, n, 4)
    for at in np.ndindex(2, 3):
        one = Table.of(TERMS, report[at], samples[at], used[at])
        assert losses[at] == pytest.approx(rule.losses(one, cost[at]), rel=1e-12)
        found = rule.losses_if(one, cost[at], said[at], claimed[at])
        assert if_so[at] == pytest.approx(found, rel=1e-9)
        assert reply[at] == pytest.approx(rule.best_samples(one, cost[at], report[at]), rel=1e-9)


@pytest.mark.parametrize("name", rule_names())
@pytest.mark.parametrize("shape", [(), (4,)])
def test_one_row_of_reports_serves_all(name, shape):
    """What all may say alike need not be written n times, with one's own samples or other ones."""
    n, rng = 7, np.random.default_rng(5)
    cost, report = rng.lognormal(0, 0.5, (2, *shape, n))
    samples = np.sqrt(50 / cost)
    table = Table.of(TERMS, report, samples)
    row = np.append(np.geomspace(0.1, 10, 9), report.flat[:3])[None]
    every = np.broadcast_to(row, (*shape, n, 12))
    rule = next(rule for rule in rules_for(n) if rule.name == name)
    for claimed in (samples[..., None], np.full((1, 1), 6.0)):
        short = rule.losses_if(table, cost, row, claimed)
        full = rule.losses_if(table, cost, every, np.broadcast_to(claimed, every.shape))
        assert np.broadcast_to(short, full.shape) == pytest.approx(full, rel=1e-9)


@pytest.mark.parametrize("name", ["sandwich-paper", "sandwich"])
def test_a_table_that_says_who_won(name):
    """Then a winner has the whole prize and nobody else has any, whatever is said."""
    n, rng = 6, np.random.default_rng(3)
    cost, report = rng.lognormal(0, 0.4, (2, n))
    table = Table.of(TERMS, report, np.sqrt(50 / cost))
    rule = next(rule for rule in rules_for(n) if rule.name == name)
    won, chance = np.array([0.0, 1, 0, 0, 0, 1]), np.array(reference.chances(list(report)))
    parts = [rule.losses(replace(table, won=who), cost) for who in (0 * won, won, won * 0 + 1)]
    assert np.flatnonzero(parts[0] != parts[1]).tolist() == [1, 5]
    assert parts[1][[1, 5]].tolist() == parts[2][[1, 5]].tolist()
    mean = (1 - chance) * parts[0] + chance * parts[2]
    assert rule.losses(table, cost) == pytest.approx(mean, rel=1e-12)
    lies = rng.lognormal(0, 1, (n, 3))
    same = np.tile(table.samples[:, None], 3)
    drawn = rule.losses_if(replace(table, won=won), cost, lies, same)
    assert drawn == pytest.approx(np.tile(parts[1][:, None], 3), rel=1e-12)


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
@pytest.mark.parametrize("n", [3, 4, 8, 16])
def test_a_draw_is_the_settlement(rule, n):
    """What agents pay on whole samples is what a settlement says, up to what it rounds.

    The sandwich rounds fees down, and a reward from n − 1 amounts rounded down, and twice more; the
    others round fees and charges up and rebates down. Their charge is over whole samples.
    """
    rng = np.random.default_rng(n)
    for seed in range(25):
        cost, unit = rng.lognormal(0, 0.5, n), float(rng.choice([1.0, 0.01, 1e-4]))
        b = float(rng.choice([1.0, 0.6, 1.3]))
        terms = Terms(
            error_scale=1e5, exponent=b, rule=rule, unit=unit, retention=0.125, consistency=0.5
        )
        report = np.round(cost, 1) + 0.1  # often tied
        samples = rng.integers(50, 900, n)
        ids = [f"agent-{k + 1}" for k in range(n)]
        settled = settle(Population(ids, report, samples), terms, seed=seed)
        lab = next(each for each in all_rules(terms, n, 1.0) if each.name == rule)
        deal = lab.outcome(terms, report, samples, seed=seed)
        own = lab.own_curve(Table.of(terms, report, samples))
        whole, real = (
            RULES[rule].charge_in_reals(samples, report, terms, own, standing)
            for standing in (Standing(n), None)
        )
        assert np.all(whole <= real + 1e-9)
        off = (deal.paid + whole - real) / unit + settled.net
        among, least = (n // 3, 2) if rule == "sandwich" else (n - 1, 0)
        assert np.all(off < least + 1e-5)
        assert np.all(off > -((n - 1) / among + 3) - 1e-5)
        assert deal.error == pytest.approx(np.full(n, 1e5 * float(samples.sum()) ** -b))
        ends = settled.losses(cost)[1]
        assert deal.loss(cost) + whole - real == pytest.approx(
            ends, abs=unit * ((n - 1) / among + 3)
        )


@pytest.mark.parametrize("name", ["sandwich-paper", "sandwich"])
@pytest.mark.parametrize("report", [[1, 2, 3, 4, 5], [1, 2, 2, 2, 3, 5, 5]])
def test_draws_tend_to_the_expectation(name, report):
    n, draws = len(report), 1500
    report = np.array(report, float)
    samples = np.sqrt(50 / report)
    rule = next(rule for rule in rules_for(n) if rule.name == name)
    paid = np.array([rule.outcome(TERMS, report, samples, seed=k).paid for k in range(draws)])
    error = paid.std(axis=0) / draws**0.5
    expected = rule.outcome(TERMS, report, samples).paid
    assert np.all(np.abs(paid.mean(axis=0) - expected) <= 4 * error + 1e-12)
    assert error.max() > 0


@pytest.mark.parametrize("name", [name for name in rule_names() if "sandwich" not in name])
def test_a_seed_is_for_lotteries_only(name):
    rule = next(rule for rule in rules_for(5) if rule.name == name)
    report, samples = np.array([1.0, 1, 2, 3, 4]), np.array([5.0, 6, 7, 8, 9])
    drawn, expected = (rule.outcome(TERMS, report, samples, seed) for seed in (3, None))
    assert drawn.loss(report).tolist() == expected.loss(report).tolist()
