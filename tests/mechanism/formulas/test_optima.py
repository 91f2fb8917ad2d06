"""Theorems 1, 2 and 3 against numeric minimisation and brute force."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from fedfact.errors import InputError
from fedfact.mechanism import (
    federated_loss,
    federated_optimum,
    local_loss,
    local_optimum,
    penalised_loss,
    penalised_optimum,
    whole_local_optimum,
)

WORLDS = [(1.024e-7, 1.0), (3e-3, 0.1), (0.16, 40.0), (1.0, 0.1), (25.0, 40.0)]  # c, A


def numeric_minimum(loss, high):
    """Where the loss is least in [0, high], to the accuracy a flat minimum allows (√ε)."""
    found = minimize_scalar(loss, bounds=(0.0, high), method="bounded", options={"xatol": 0.0})
    return found.x


@pytest.mark.parametrize(("c", "A"), WORLDS)
def test_theorem_1(c, A):
    optimum = float(local_optimum(c, A))
    assert numeric_minimum(lambda m: local_loss(m, c, A), 5 * optimum) == pytest.approx(
        optimum, rel=1e-6
    )


def test_theorem_1_for_whole_samples_by_brute_force():
    m = np.arange(1, 3000)
    for c, A in product(np.geomspace(1e-5, 50, 97), (0.1, 1.0, 40.0)):
        assert int(whole_local_optimum(c, A)) == m[np.argmin(local_loss(m, c, A))]


def test_whole_optimum_is_not_m_star_rounded():
    """m* = √2.05 rounds to 1, but two samples are better: the switch is at √(m(m+1))."""
    assert np.rint(local_optimum(1.0, 2.05)) == 1
    assert whole_local_optimum(1.0, 2.05) == 2
    assert whole_local_optimum(1.0, 1.95) == 1
    assert whole_local_optimum(1.0, 1e-9) == 1  # never none at all


@pytest.mark.parametrize(("c", "A"), WORLDS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99, 1.0, 1.5, 40.0])
def test_theorem_2_needs_the_max(c, A, share):
    """Others with S = share·m*: what is left of m*, and nothing once they have m* together."""
    m_star = (A / c) ** 0.5
    S = share * m_star + 1e-12 * m_star  # a little, so that no data at all is no division by 0
    optimum = float(federated_optimum(c, S, A))
    found = numeric_minimum(lambda m: federated_loss(m, S, c, A), 5 * m_star)
    assert found == pytest.approx(optimum, abs=1e-6 * m_star)
    assert (optimum == 0) == (share >= 1)


@pytest.mark.parametrize(("c", "A"), WORLDS)
@pytest.mark.parametrize("share", [0.1, 1.0, 15.0, 1e4])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.9])
def test_theorem_3(c, A, share, alpha):
    m_star = (A / c) ** 0.5
    S = share * m_star
    found = numeric_minimum(lambda m: penalised_loss(m, S, c, c, A, alpha), 5 * m_star)
    assert found == pytest.approx(float(penalised_optimum(c, A)), rel=1e-6)


@pytest.mark.parametrize("share", [0.1, 1.0, 15.0, 1e4])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.9])
def test_penalised_loss_is_strictly_convex(share, alpha):
    """So that m* is the only minimum, not merely one of several."""
    m = np.linspace(0, 20, 2001)  # m* = 1
    loss = penalised_loss(m, share, 1.0, 1.0, 1.0, alpha)
    assert (np.diff(loss, 2) > 0).all()
    assert m[np.argmin(loss)] == pytest.approx(1, abs=1e-12)


def test_an_optimum_beyond_all_reason_is_refused():
    with pytest.raises(InputError, match="same unit"):
        whole_local_optimum([1e-3, 1e-30], 1.0)
