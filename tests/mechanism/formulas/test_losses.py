"""Eq. 2, 3, 5, 9, 10 and 11 of the paper, by hand and by the identities that tie them together."""

from itertools import product

import numpy as np
import pytest

from fedfact.mechanism import (
    contract_fee,
    effective_fee,
    fact_loss,
    federated_loss,
    free_rider_penalty,
    local_loss,
    paper_pool,
    penalised_loss,
    truthfulness_penalty,
)

# Every combination of samples, others, true cost, reported cost, A and α, as columns.
M, S, COST, REPORT, A, ALPHA = np.array(
    list(
        product(
            (0.3, 4.0, 50.0),
            (2.0, 900.0),
            (1e-3, 0.7),
            (1e-5, 0.7, 30.0),
            (1.0, 64.0),
            (0.0, 1.5),
        )
    )
).T


def test_losses_by_hand():
    # A = 16, c = 1: m* = 4. With S = 12 the federation has M = 16 samples.
    assert local_loss(4, 1.0, 16.0) == 16 / 4 + 4
    assert local_loss(2, 3.0, 16.0) == 16 / 2 + 6
    assert federated_loss(4, 12, 1.0, 16.0) == 16 / 16 + 4
    assert federated_loss(0, 8, 1.0, 16.0) == 2
    assert effective_fee(4, 12, 16.0) == 16 / 4 - 16 / 16


def test_losses_with_the_penalty_by_hand():
    # A = 16, c = 1, S = 4, α = 1: s = 1, g = 3/4, λ = (1/4)·9/16 = 9/64, B(m*) = 2.
    # P_fr(m*) = 1; one sample short of m*: 1 + 3/4 + 9/64.
    assert penalised_loss(4, 4, 1.0, 1.0, 16.0, 1.0) == pytest.approx(2 + 4 + 1, rel=1e-14)
    short = 16 / 7 + 3 + 1 + 3 / 4 + 9 / 64
    assert penalised_loss(3, 4, 1.0, 1.0, 16.0, 1.0) == pytest.approx(short, rel=1e-14)
    # Eq. 9: the report decides the penalty, the true cost (here 5) what the samples cost.
    lied = 2 + 20 + 1
    assert penalised_loss(4, 4, 5.0, 1.0, 16.0, 1.0) == pytest.approx(lied, rel=1e-14)
    assert contract_fee(4, 4, 1.0, 16.0, 1.0) == pytest.approx(2 - 1, rel=1e-14)


def test_pool_and_truthfulness_penalty_by_hand():
    # Eq. 10: three times the mean over n of the *others'* contract fees.
    assert paper_pool([1.0, 2.0, 4.0, 5.0]).tolist() == [
        3 / 4 * 11,
        3 / 4 * 10,
        3 / 4 * 8,
        3 / 4 * 7,
    ]
    assert truthfulness_penalty(3.0, 10.0, [0, 1, 0.25]).tolist() == [3.0, -7.0, 0.5]


def test_fee_makes_federated_loss_local_again():
    """A/M + c·m + B = A/m + c·m: what kills free riding."""
    paid = federated_loss(M, S, COST, A) + effective_fee(M, S, A)
    assert paid == pytest.approx(A / M + COST * M, rel=1e-14)


@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_fact_loss_is_local_loss_less_winnings_whatever_is_reported(chance):
    """Eq. 11: the penalty cancels, and with it the report."""
    loss = fact_loss(M, S, COST, REPORT, A, ALPHA, pool=7.5, win_probability=chance)
    expected = A / M + COST * M - chance * 7.5
    # What cancels may be far larger than what is left, and so is its rounding error.
    size = expected + chance * 15 + free_rider_penalty(M, S, REPORT, A, ALPHA)
    assert np.all(np.abs(loss - expected) <= 1e-14 * size)


def test_truthful_penalised_loss_is_eq_5():
    """Eq. 5 in the paper's own arrangement of the square, where the report is the truth."""
    m, S, c, A, lam = 3.0, 4.0, 1.0, 16.0, 9 / 64
    m_star = (A / c) ** 0.5
    square = (c / (2 * lam) - 2 * A / (4 * lam * (m_star + S) ** 2) + m_star - m) ** 2
    expected = A / (m + S) + c * m + lam * square
    assert penalised_loss(m, S, c, c, A, 1.0) == pytest.approx(expected, rel=1e-14)


def test_losses_take_arrays():
    m, c = np.array([[1.0], [2.0]]), np.array([1.0, 2.0, 3.0])
    assert local_loss(m, c, 4.0).tolist() == [[5, 6, 7], [4, 6, 8]]
    assert penalised_loss(m, 3.0, c, c, 4.0, 1.0).shape == (2, 3)
