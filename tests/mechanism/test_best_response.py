"""The search for best responses, against closed forms, scipy and brute force."""

import numpy as np
import pytest
from scipy import stats

from fedfact.mechanism import (
    Others,
    Terms,
    best_response,
    continuum_win_probability,
    expected_loss,
    federated_optimum,
    local_optimum,
)
from fedfact.mechanism.search import minimise

COSTS = (1.024e-7, 0.3, 40.0)
FLAT = 1e-6  # a minimum is found to about √ε, where the loss no longer changes


def equal_others(n, cost=1.0, A=1.0):
    return Others(np.full(n - 1, (A / cost) ** 0.5), np.full(n - 1, cost))


@pytest.mark.parametrize(
    ("function", "least"),
    [
        (lambda x: x + 9 / x, 3.0),
        (lambda x: (np.log(x) - 5) ** 2, np.exp(5)),
        (lambda x: x, 1e-3),  # at a bound
        (lambda x: -x, 1e9),
        (lambda x: np.abs(x - 7), 7.0),  # a kink
        (lambda x: np.minimum((np.log(x) - 1) ** 2 + 1, (np.log(x) - 9) ** 2), np.exp(9)),  # two
    ],
)
def test_minimise(function, least):
    assert minimise(function, 1e-3, 1e9) == pytest.approx(least, rel=FLAT)


@pytest.mark.parametrize("play", ["local", "penalised", "sandwich", "rebate"])
@pytest.mark.parametrize("cost", COSTS)
def test_honest_agent_uses_its_local_optimum(play, cost):
    """Theorems 1 and 3, and FACT under either rule."""
    for others in (equal_others(16, cost), equal_others(3, cost / 50)):
        found = best_response(play, cost, others, Terms(error_scale=1.0), reported_cost=cost)
        assert found.samples == pytest.approx(float(local_optimum(cost, 1.0)), rel=FLAT)
        assert found.reported_cost == cost


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("share", [0.4, 0.9, 1.0, 1.1, 30.0])
def test_federation_alone_invites_free_riding(cost, share):
    """Theorem 2; with m* or more from the others, exactly nothing."""
    others = Others(np.full(2, share / 2 * (1 / cost) ** 0.5), np.ones(2))
    found = best_response("federated", cost, others, Terms(error_scale=1.0))
    expected = float(federated_optimum(cost, others.total, 1.0))
    assert found.samples == pytest.approx(expected, rel=FLAT, abs=FLAT * (1 / cost) ** 0.5)
    assert (found.samples == 0) == (share >= 1)


@pytest.mark.parametrize("report", [0.02, 1.0, 2.0, 300.0])
@pytest.mark.parametrize("kappa", [0.0, 0.5, 20.0])
def test_rebate_samples_for_a_given_report(report, kappa):
    """A(1+κ)/m + (c_i + κc)m − 2κ√(Ac) is least at m² = A(1+κ)/(c_i + κc)."""
    terms = Terms(error_scale=5.0, consistency=kappa)
    found = best_response("rebate", 2.0, equal_others(4), terms, reported_cost=report)
    m = (5 * (1 + kappa) / (2 + kappa * report)) ** 0.5
    assert found.samples == pytest.approx(m, rel=FLAT)


@pytest.mark.parametrize("n", [3, 4, 9, 16])
def test_sandwich_report_by_brute_force(n):
    """Every rank and every tie is tried: no report on a fine grid does better."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        reports = rng.integers(1, 8, n - 1).astype(float)  # ties
        others = Others(10 ** rng.uniform(0, 2, n - 1), reports)
        terms, cost = Terms(error_scale=3.0), float(rng.uniform(0.5, 8))
        found = best_response("sandwich", cost, others, terms)
        grid = np.append(np.arange(0.25, 10, 0.25), cost)
        m_star = (3 / cost) ** 0.5
        losses = expected_loss("sandwich", m_star, grid, cost, others, terms)
        assert found.loss == pytest.approx(losses.min(), rel=1e-12)
        assert found.samples == pytest.approx(m_star, rel=FLAT)
        # The truth where nothing beats it, a lie where something does.
        assert (found.reported_cost == cost) == (losses[-1] <= losses.min() * (1 + 1e-12))


@pytest.mark.parametrize(("n", "alpha"), [(3, 0.0), (16, 1.0), (16, 1.9)])
def test_penalised_report_by_brute_force(n, alpha):
    """No samples (none included) with any report in reach do better than what is found."""
    others, terms = equal_others(n), Terms(error_scale=1.0, alpha=alpha)
    found = best_response("penalised", 1.0, others, terms)
    samples = np.append(0.0, np.geomspace(1e-6, 1e6, 1201))
    reports = np.geomspace(1e-6, 1e6, 601)
    losses = expected_loss("penalised", samples[:, None], reports, 1.0, others, terms)
    assert losses.min() >= found.loss * (1 - 1e-12)
    itself = expected_loss("penalised", found.samples, found.reported_cost, 1.0, others, terms)
    assert found.loss == itself


@pytest.mark.parametrize("play", ["local", "federated"])
def test_truth_is_kept_where_the_report_does_not_matter(play):
    assert best_response(play, 0.7, equal_others(5), Terms(error_scale=1.0)).reported_cost == 0.7


def test_truth_is_kept_where_no_report_is_charged():
    terms = Terms(error_scale=1.0, consistency=0.0)
    assert best_response("rebate", 0.7, equal_others(5), terms).reported_cost == 0.7


@pytest.mark.parametrize("kappa", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("n", [3, 16])
def test_rebate_best_response_is_the_truth(kappa, n):
    """Also where everybody else lies."""
    others = Others(np.linspace(1, 9, n - 1), np.geomspace(1e-5, 1e5, n - 1))
    terms = Terms(error_scale=2.0, consistency=kappa)
    found = best_response("rebate", 0.5, others, terms)
    assert found.reported_cost == 0.5
    assert found.samples == pytest.approx(2.0, rel=FLAT)


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(lambda c: stats.norm(c, c / 10), id="norm"),  # the paper's own simulation
        pytest.param(lambda c: stats.lognorm(0.7, scale=c), id="lognorm"),
        pytest.param(lambda c: stats.uniform(c / 2, c), id="uniform"),
    ],
)
@pytest.mark.parametrize("cost", [1.024e-7, 40.0])
def test_main_theorem_under_assumption_2(family, cost):
    """An agent that believes its cost is the median does best by (m*, c_i), and strictly so."""
    beliefs, others, terms = family(cost), equal_others(16, cost), Terms(error_scale=1.0)

    def chance(report):
        return continuum_win_probability(report, beliefs)

    found = best_response("sandwich", cost, others, terms, win_probability=chance)
    m_star = (1 / cost) ** 0.5
    assert found.reported_cost == cost
    assert found.samples == pytest.approx(m_star, rel=FLAT)
    lies = cost * np.array([1e-3, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 1e3])
    samples = m_star * np.array([[0.01], [0.9], [1.0], [1.1], [100.0]])
    losses = expected_loss("sandwich", samples, lies, cost, others, terms, chance)
    assert np.all(losses > found.loss)


def test_a_narrow_belief_is_not_overlooked():
    """Who knows that all the others cost 7 ± 0.07 should say 7, also if its own cost is 1."""
    beliefs = stats.norm(7.0, 0.07)
    found = best_response(
        "sandwich",
        1.0,
        equal_others(16, 7.0),
        Terms(error_scale=1.0),
        win_probability=lambda report: continuum_win_probability(report, beliefs),
    )
    assert found.reported_cost == pytest.approx(7.0, rel=1e-3)
