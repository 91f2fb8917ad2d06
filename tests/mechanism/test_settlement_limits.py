"""The limits of what a settlement takes: large numbers, odd columns, names, caps."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from fedfact.errors import InputError
from fedfact.mechanism import Population, Terms, settle
from fedfact.mechanism.exact import _divide
from fedfact.mechanism.rules.rule import whole_part as share


def test_shares_of_ten_million_agents_do_not_overflow():
    """Six decimals of retention times millions of agents: more than 64 bits, taken naively."""
    terms = Terms(retention=0.025001)
    pool = np.array([0, 1, 10**7 - 2, 974_998 * (10**7 - 1) // 10**6, 9_999_998_999_999, 2**62 - 1])
    for among in (10**7 - 1, 10**7 // 3, 1):
        expected = [math.floor(Fraction(974_999, 10**6) * p / among) for p in pool.tolist()]
        assert share(pool, terms, among).tolist() == expected


@pytest.mark.parametrize("bits", [1, 40, 63, 64, 90, 106])
@pytest.mark.parametrize("most", [7, 10**6, 2**53])
def test_division_of_numbers_of_any_size(bits, most):
    """Whole and fractional part of K/m, whatever K, as long as the whole part fits."""
    rng = random.Random(f"{bits} {most}")
    for _ in range(30):
        K = Fraction(rng.getrandbits(bits) | 1 << bits) + Fraction(rng.randint(0, 10**20), 10**20)
        lowest = min(max(1, math.ceil(K / 2**62)), 2**53)
        m = [rng.randint(lowest, max(lowest, most)) for _ in range(20)]
        whole, rest = _divide(K, np.array(m))
        assert whole.tolist() == [math.floor(K / d) for d in m]
        for part, d in zip(rest.tolist(), m, strict=True):
            assert abs(Fraction(part) - K / d % 1) <= K / d % 1 * Fraction(3, 2**53)


def test_sums_that_do_not_fit_are_refused():
    ones = np.ones(3)
    with pytest.raises(InputError, match="samples add up to"):
        Population([str(k) for k in range(10**4)], np.ones(10**4), np.full(10**4, 10**12))
    tight = Population(list("abc"), ones, ones.astype(int))
    with pytest.raises(InputError, match="fees add up to more than fits"):
        settle(tight, Terms(error_scale=4e18, unit=1.0))
    measured = Population(list("abc"), ones, ones.astype(int), None, 2e18 * ones, 0 * ones)
    with pytest.raises(InputError, match="add up to too much"):
        settle(measured, Terms(unit=1.0))


def test_columns_may_be_lists_and_keep_their_values():
    population = Population(["a", "b", "c"], [1, 2, 3], [10, 20, 30], capacity=[10, 30, 99])
    assert population.reported_cost.tolist() == [1.0, 2.0, 3.0]
    assert population.samples.dtype == np.int64
    for column, message in [
        ({"samples": [1.0, 2.0, 3.0]}, "samples must be whole numbers"),
        ({"samples": [True, True, True]}, "samples must be whole numbers"),
        ({"samples": [[1], [2], [3]]}, "not one entry for each agent"),
        ({"reported_cost": ["1", "2", "3"]}, "reported_cost must be numbers"),
        ({"left": [0, 1, 0]}, "left must be truth values"),
        ({"capacity": [10.5, 20.0, 30.0]}, "capacity must be whole numbers"),
        (
            {"size": [1, 0, 3]},
            "agent 'b': size is 0; it must be a whole number from 1 to 1,000,000",
        ),
        ({"size": [1, 2, 10**6 + 1]}, "agent 'c': size is 1000001; it must be"),
        ({"local_loss": [1.0, 1.0, 1.0]}, "give both or neither"),
    ]:
        good = {"agents": ["a", "b", "c"], "reported_cost": [1, 2, 3], "samples": [10, 20, 30]}
        with pytest.raises(InputError, match=message):
            Population(**good | column)


def test_names_are_text_that_can_be_written():
    with pytest.raises(InputError, match="must be names"):
        Population([1, 2, 3], [1, 2, 3], [1, 2, 3])
    odd = Population(["a", "b", "\ud800"], [1, 2, 3], [1, 2, 3])
    with pytest.raises(InputError, match="cannot be written in UTF-8"):
        settle(odd, Terms(error_scale=1.0, rule="sandwich"), seed=1)


def test_nobody_is_charged_for_samples_that_it_does_not_have():
    """A capacity is what one can use; nobody uses more."""
    cost, samples = np.full(3, 1e-6), np.array([1000, 999, 1000])
    terms = Terms(error_scale=1.0, unit=1e-12)
    fine = Population(list("abc"), cost, samples, capacity=[1000, 999, 5000])
    assert settle(fine, terms).charge.tolist() == [0, 0, 0]
    for capacity in (None, [1000, 1000, 1000], [1000, 5000, 1000]):
        could = Population(list("abc"), cost, samples, capacity=capacity)
        # 1/999 + 999e-6 − 2e-3 = 1e-6/999
        assert settle(could, terms).charge.tolist() == [0, 1002, 0]
    with pytest.raises(InputError, match="agent 'c': it delivered 1,000 samples and has 999"):
        Population(list("abc"), cost, samples, capacity=[1000, 999, 999])


def test_a_settlement_cannot_be_changed():
    result = settle(Population(list("abc"), [1, 2, 3], [1, 2, 3]), Terms(error_scale=1.0))
    with pytest.raises(ValueError, match="read-only"):
        result.fee[0] = 0
