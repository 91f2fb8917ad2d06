"""Sizes at the table are those of a settlement."""

import numpy as np
import pytest

from fedfact.lab import Setting, Table
from fedfact.mechanism import Population, Terms, settle


@pytest.mark.parametrize("rule", ["rebate", "shared"])
@pytest.mark.parametrize("exponent", [1.0, 0.4])
def test_what_agents_of_different_sizes_pay(rule, exponent):
    """But for rounding, and for charges, which a settlement works out over whole samples."""
    rng, unit = np.random.default_rng(5), 1e-6
    size, cost = rng.integers(1, 5, 7), rng.lognormal(0, 0.5, 7)
    terms = Terms(error_scale=1e4, exponent=exponent, rule=rule, unit=unit, consistency=0)
    samples = rng.integers(50, 900, 7)
    settled = settle(
        Population([f"agent-{k}" for k in range(7)], cost, samples, size=size), terms, seed=0
    )
    used = samples.astype(float)
    table = Table(terms, cost, used, used, size=size.astype(float))
    deal = Setting(terms, 7, "given", tuple(cost)).rule(rule).at(table)
    assert -deal.paid == pytest.approx(settled.net * unit, abs=5 * unit)
    total = terms.curve.error(used.sum())
    assert deal.error == pytest.approx(size * total)


@pytest.mark.parametrize("rule", ["rebate", "shared"])
def test_the_best_samples_of_a_size(rule):
    """By a grid: an agent of size 3 among others."""
    terms = Terms(error_scale=1e4, exponent=0.6, rule=rule)
    size, cost = np.array([3.0, 1, 1, 2, 1]), np.full(5, 1.0)
    used = np.full(5, 100.0)
    table = Table(terms, cost, used, used, size=size)
    game = Setting(terms, 5, "given", tuple(cost)).rule(rule)
    best = game.best_samples(table, cost, cost)
    grid = best[:, None] * np.geomspace(0.2, 5, 2001)
    losses = game.losses_if(table, cost, cost[:, None], grid)
    assert losses.argmin(axis=-1).tolist() == [1000] * 5
