"""Win probabilities against full enumeration, simulation and each other."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy import integrate, stats

from fedfact.errors import InputError
from fedfact.mechanism import (
    continuum_win_probability,
    simulate_draws,
    simulate_win_probability,
    win_probability,
    win_probability_against,
    win_probability_if,
)


def threes(agents):
    """Every way to split these agents into unordered groups of three."""
    if not agents:
        yield ()
        return
    first, *rest = agents
    for pair in combinations(rest, 2):
        left = [agent for agent in rest if agent not in pair]
        for others in threes(left):
            yield ((first, *pair), *others)


def groupings(n):
    """Every draw: who is left over, and how the others are split. All are equally likely."""
    for left_over in combinations(range(n), n % 3):
        yield from threes([agent for agent in range(n) if agent not in left_over])


def tie_patterns(n):
    """Sorted reports of n agents with every pattern of ties: 2^(n−1) of them."""
    for steps in product((0, 1), repeat=n - 1):
        yield np.concatenate(([1], 1 + np.cumsum(steps))).tolist()


def shares(group, reports):
    """What each of three members wins on average: 1 shared by those at the median."""
    median = sorted(reports[agent] for agent in group)[1]
    tied = [agent for agent in group if reports[agent] == median]
    return {agent: Fraction(1, len(tied)) for agent in tied}


@pytest.mark.parametrize("n", range(3, 10))
def test_win_probability_against_every_possible_draw(n):
    draws = Counter(group for draw in groupings(n) for group in draw)
    total = sum(draws.values()) // (n // 3)
    for reports in tie_patterns(n):
        wins = [Fraction(0)] * n
        for group, times in draws.items():
            for agent, share in shares(group, reports).items():
                wins[agent] += times * share
        expected = [float(win / total) for win in wins]
        found = win_probability(reports)
        assert found == pytest.approx(expected, rel=1e-14)
        assert found.sum() == pytest.approx(n // 3, rel=1e-14)


def test_only_the_order_of_reports_matters():
    expected = dict(zip((0.1, 2.0, 2.5, 9.0), win_probability([1, 2, 3, 4]), strict=True))
    shuffled = (9.0, 0.1, 2.5, 2.0)
    assert win_probability(shuffled).tolist() == [expected[report] for report in shuffled]


@pytest.mark.parametrize("n", [3, 7, 16])
def test_one_against_the_others_agrees_with_all_at_once(n):
    reports = np.random.default_rng(n).integers(1, 6, n).astype(float)
    one_by_one = [win_probability_against(c, np.delete(reports, i)) for i, c in enumerate(reports)]
    assert one_by_one == win_probability(reports).tolist()


@pytest.mark.parametrize("n", [3, 4, 7, 16])
def test_a_lie_is_judged_as_one_more_agent_among_the_others(n):
    rng = np.random.default_rng(n)
    reports = rng.integers(1, 6, n).astype(float)
    told = rng.integers(0, 7, (n, 9)) + rng.integers(0, 2, (n, 9)) / 2
    found = win_probability_if(told, reports)
    for k in range(n):
        assert found[k].tolist() == win_probability_against(told[k], np.delete(reports, k)).tolist()


def test_simulated_draws_agree_with_the_exact_probability():
    """Sixteen agents with ties, as in the paper: five groups and one left over."""
    reports, trials = [1, 2, 3, 3, 4, 5, 5, 5, 6, 7, 8, 8, 9, 10, 11, 12], 40_000
    exact = win_probability(reports)
    winners = simulate_draws(reports, trials, np.random.default_rng(1))
    assert winners.shape == (trials, 5)
    assert all(len(set(row)) == 5 for row in winners[:1000].tolist())  # nobody wins twice
    found = np.bincount(winners.ravel(), minlength=16) / trials
    assert np.all(np.abs(found - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / trials))


CONTINUOUS = [
    pytest.param(stats.norm(1, 0.1), id="norm"),
    pytest.param(stats.lognorm(0.8, scale=3), id="lognorm"),
    pytest.param(stats.uniform(2, 5), id="uniform"),
    pytest.param(stats.expon(scale=0.4), id="expon"),
]


@pytest.mark.parametrize("costs", CONTINUOUS)
def test_lemma_2_against_simulation(costs):
    trials, quantiles = 100_000, np.array([0.01, 0.05, 0.3, 0.5, 0.8, 0.99])
    exact = 2 * quantiles * (1 - quantiles)
    report = costs.ppf(quantiles)
    assert continuum_win_probability(report, costs) == pytest.approx(exact, rel=1e-12)
    found = simulate_win_probability(report, costs, trials, np.random.default_rng(2))
    assert np.all(np.abs(found - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / trials))


@pytest.mark.parametrize("costs", CONTINUOUS)
def test_lemma_2_is_one_half_at_the_median_and_one_third_on_average(costs):
    assert continuum_win_probability(costs.median(), costs) == pytest.approx(1 / 2, rel=1e-12)
    # Over c = F⁻¹(q), so that every quantile counts alike.
    mean, _ = integrate.quad(lambda q: continuum_win_probability(costs.ppf(q), costs), 0, 1)
    assert mean == pytest.approx(1 / 3, rel=1e-9)


def test_lemma_2_with_ties_against_every_pair_of_opponents():
    """Costs 1 to 5 alike: all 25 pairs, ties shared; also reports that nobody else has."""
    costs, reports = stats.randint(1, 6), [0.5, 1, 1.5, 2, 3, 3.5, 4, 5, 6]
    expected = []
    for report in reports:
        won = [
            shares("abc", {"a": report, "b": b, "c": c}).get("a", Fraction(0))
            for b, c in product(range(1, 6), repeat=2)
        ]
        expected.append(float(sum(won) / 25))
    assert continuum_win_probability(reports, costs) == pytest.approx(expected, abs=1e-15)
    assert continuum_win_probability(range(1, 6), costs).mean() == pytest.approx(1 / 3, rel=1e-14)
    found = simulate_win_probability(reports, costs, 100_000, np.random.default_rng(4))
    # A share of a win varies less than a win, so p(1−p) bounds the variance.
    error = np.sqrt(np.multiply(expected, np.subtract(1, expected)) / 100_000)
    assert np.all(np.abs(found - expected) <= 4.5 * error)


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.8])
def test_many_agents_tend_to_lemma_2(quantile):
    """The error falls with 1/n, as a first order correction does."""
    errors = []
    for n in (30, 300, 3000, 30_000):
        others = (np.arange(n - 1) + 0.5) / (n - 1)
        errors.append(
            n * (win_probability_against(quantile, others) - 2 * quantile * (1 - quantile))
        )
    assert np.abs(errors).max() < 0.8


def test_two_agents_are_refused():
    with pytest.raises(InputError, match="a group needs three"):
        win_probability([1.0, 2.0])
