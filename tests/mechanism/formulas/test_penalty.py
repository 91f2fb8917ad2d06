"""λ, P_fr, Lemma 1 and the limit on α, against the paper's own formulas in 60 decimal digits."""

from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest

from fedfact.mechanism import (
    effective_fee,
    free_rider_penalty,
    largest_alpha,
    local_loss,
    local_optimum,
    penalised_loss,
    penalty_weight,
    rationality_gap,
)

# Costs, others and error scales; from a tiny share of others to a huge one.
WORLDS = list(product((1.024e-7, 0.3, 7.0, 1e6), (1e-3, 2.0, 46875.0, 1e9), (0.2, 1.0, 5e4)))


def paper_weight_and_penalty(m, S, c, A, alpha):
    """Eq. 6 and Eq. 8 letter by letter (γσ²L = 2A)."""
    with localcontext() as context:
        context.prec = 60
        m, S, c, A, alpha = map(Decimal, (m, S, c, A, alpha))
        gsl = 2 * A
        m_star = (gsl / (2 * c)).sqrt()
        lam = (
            m_star
            * (S + m_star)
            / ((2 - alpha) * gsl * S)
            * (c - gsl / (2 * (S + m_star) ** 2)) ** 2
        )
        penalty = lam * (c / (2 * lam) - gsl / (4 * lam * (m_star + S) ** 2) + m_star - m) ** 2
        return float(lam), float(penalty)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.999999])
def test_weight_and_penalty_are_the_papers(alpha):
    for c, S, A in WORLDS:
        m_star = float(local_optimum(c, A))
        for part in (0.0, 0.5, 0.99, 1.0, 1.2, 5.0):
            weight, penalty = paper_weight_and_penalty(part * m_star, S, c, A, alpha)
            assert penalty_weight(c, S, A, alpha) == pytest.approx(weight, rel=1e-13)
            # At m* the last digit of m* itself counts, 1/(2−α) times.
            found = free_rider_penalty(part * m_star, S, c, A, alpha)
            assert found == pytest.approx(penalty, rel=1e-9 if part == 1 else 1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.999999])
def test_compliant_agent_pays_and_still_gains_as_lemma_1_says(alpha):
    """P_fr(m*) = (2−α)/2·B(m*), which leaves (α/2)·B(m*) of what federation brings."""
    c, S, A = np.array(WORLDS).T
    m_star = local_optimum(c, A)
    B = effective_fee(m_star, S, A)
    penalty = free_rider_penalty(m_star, S, c, A, alpha)
    assert penalty == pytest.approx((2 - alpha) / 2 * B, rel=1e-12)
    assert np.all(penalty > 0)
    assert rationality_gap(c, S, A, alpha) == pytest.approx(alpha / 2 * B, rel=1e-12)


@pytest.mark.parametrize("alpha", np.linspace(0, 2, 41)[:-1])
def test_individual_rationality_of_pfl_for_every_alpha(alpha):
    """Lemma 1's gap is the difference of the two losses at m*, and never below zero."""
    cost, S = np.geomspace(1e-4, 1e4, 9), np.geomspace(0.01, 1e4, 9)[:, None]
    m_star = local_optimum(cost, 2.0)
    alone = local_loss(m_star, cost, 2.0)
    gap = alone - penalised_loss(m_star, S, cost, cost, 2.0, alpha)
    assert np.all(np.abs(gap - rationality_gap(cost, S, 2.0, alpha)) <= 1e-14 * alone)
    assert np.all(rationality_gap(cost, S, 2.0, alpha) >= 0)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.999999, 2.0])
def test_no_others_no_penalty(alpha):
    assert penalty_weight(1.0, 0.0, 16.0, alpha) == 0
    assert free_rider_penalty([0.0, 4.0, 9.0], 0.0, 1.0, 16.0, alpha).tolist() == [0, 0, 0]


def test_alpha_two_is_the_limit():
    """λ·(2−α) and P_fr(m*)/(2−α) settle; at α = 2 itself a miss costs infinitely much."""
    alphas = 2 - np.array([1e-6, 1e-9, 1e-12])
    # A = 16, c = 1, S = 4: λ(2−α) = 9/64 and P_fr(m*) = (2−α)/2·2.
    assert penalty_weight(1.0, 4.0, 16.0, alphas) * (2 - alphas) == pytest.approx(9 / 64, rel=1e-14)
    assert free_rider_penalty(4.0, 4.0, 1.0, 16.0, alphas) == pytest.approx(2 - alphas, rel=1e-14)
    assert penalty_weight(1.0, 4.0, 16.0, 2.0) == np.inf
    assert free_rider_penalty([3.0, 4.0, 5.0], 4.0, 1.0, 16.0, 2.0).tolist() == [np.inf, 0, np.inf]


@pytest.mark.parametrize("alpha", [-1e-9, 2.0000001, np.nan])
def test_alpha_outside_its_range_is_refused(alpha):
    for function in (penalty_weight, rationality_gap):
        with pytest.raises(ValueError, match="alpha must lie in"):
            function(1.0, 4.0, 16.0, alpha)
    with pytest.raises(ValueError, match="alpha must lie in"):
        free_rider_penalty(4.0, 4.0, 1.0, 16.0, alpha)


@pytest.mark.parametrize("A", [1e-100, 1e-30, 1.0, 1e10, 1e100])
def test_extreme_reports_give_a_number(A):
    """Reports come from strangers: whatever a population may hold gives amounts, no warning."""
    cost = 10.0 ** np.arange(-100, 101, 20)
    for alpha in (0.0, 1.0, 1.999999):
        assert not np.isnan(free_rider_penalty(10, 20, cost, A, alpha)).any()
        assert np.isfinite(penalty_weight(cost, 20, A, alpha)).all()
        assert np.isfinite(rationality_gap(cost, 20, A, alpha)).all()
        assert not np.isnan(largest_alpha(cost, 20, A)).any()


def variant_optimum(lambda_of_m, S, alpha):
    """Where PFL is least if λ is worked out from the samples actually used (c = A = m* = 1)."""
    m = np.geomspace(0.3, 3, 200_001)
    lam = lambda_of_m(m, S) / ((2 - alpha) * 2 * S) * (1 - 1 / (S + 1) ** 2) ** 2
    loss = 1 / (m + S) + m + lam * (1 / (2 * lam) * (1 - 1 / (1 + S) ** 2) + 1 - m) ** 2
    return m[np.argmin(loss)]


@pytest.mark.parametrize(
    ("lambda_of_m", "alpha", "moved"),
    [
        pytest.param(lambda m, S: 1 + S, 1.0, 0.0, id="lemma-1"),
        pytest.param(lambda m, S: m + S, 1.0, 0.0275, id="algorithm-1"),
        pytest.param(lambda m, S: m * (1 + S), 0.0, 0.4752, id="appendix"),
    ],
)
def test_other_variants_of_lambda_move_the_optimum(lambda_of_m, alpha, moved):
    """Why λ uses m* throughout: with 16 equal agents the paper's variants are 3 % and 48 % off."""
    assert variant_optimum(lambda_of_m, 15.0, alpha) - 1 == pytest.approx(moved, abs=1e-4)


@pytest.mark.parametrize(("m_star", "n"), [(3125, 16), (3750, 16), (801, 10)])
def test_largest_alpha_refuses_the_authors_choice(m_star, n):
    limit = largest_alpha(1 / m_star**2, (n - 1) * m_star, 1.0)
    assert 1.999 < limit < 2 - 1e-6


def test_largest_alpha_lets_every_settlement_use_one():
    """α = 1 fits all: n ≥ 3 agents deliver whole samples, so S ≥ 2, and any cost is reported."""
    m_star = np.geomspace(1e-6, 1e12, 2001)
    S = np.array([2, 3, 5, 100, 10**6, 10**12])[:, None]
    assert largest_alpha(1 / m_star**2, S, 1.0).min() > 1.28 - 1e-3
    # The tightest case is m* = ½ with S = 2: miss = m*, so 2 − ½(6/5)².
    assert largest_alpha(4.0, 2, 1.0) == pytest.approx(1.28, rel=1e-14)


@pytest.mark.parametrize("m_star", [0.75, 2.0, 30.0, 3125.0])
@pytest.mark.parametrize("n", [3, 16])
@pytest.mark.parametrize("side", [-1, 1])
def test_largest_alpha_parts_bearable_from_unbearable_misses(m_star, n, side):
    """Half a sample or 1 % off: below the limit this costs less than B(m*), above it more."""
    c, S = 1 / m_star**2, (n - 1) * m_star
    slack = 2 - float(largest_alpha(c, S, 1.0))
    miss = max(0.5, 0.01 * m_star)
    B = effective_fee(m_star, S, 1.0)

    def cost_of_miss(alpha):
        at, off = (penalised_loss(m, S, c, c, 1.0, alpha) for m in (m_star, m_star + side * miss))
        return off - at

    # 15 %: besides λ·miss², missing m* costs a little of the federation's own error.
    assert cost_of_miss(2 - 1.15 * slack) < B < cost_of_miss(2 - slack / 1.15)


def test_an_optimum_below_half_a_sample_sets_no_limit():
    assert largest_alpha([4.0, 4.01], 2, 1.0).tolist() == [pytest.approx(1.28), 2.0]
