"""Amounts are the same integers on every machine: floats decide only where they can."""

import importlib.util
import math
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fedfact.mechanism import Terms, settle, subunits

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "populations", Path(__file__).with_name("populations.py")
)
populations = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(populations)


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_a_machine_whose_longest_floats_are_doubles_pays_the_same(rule, monkeypatch):
    rng = random.Random(f"double {rule}")
    drawn = [populations.draw_analytic(rng, rule) for _ in range(200)]
    long = [settle(population, terms, seed=1) for population, terms in drawn]
    monkeypatch.setattr(np, "longdouble", np.float64)
    assert subunits.longdouble(Fraction(1, 3)).dtype == np.float64
    for (population, terms), expected in zip(drawn, long, strict=True):
        result = settle(population, terms, seed=1)
        for column in populations.COLUMNS:
            got, want = getattr(result, column), getattr(expected, column)
            assert np.array_equal(got, want), f"{column} of {population} by {terms}"


@pytest.fixture(params=["long", "double"])
def floats(request, monkeypatch):
    """The longest floats of this machine, and of one that has none beyond doubles."""
    if request.param == "double":
        monkeypatch.setattr(np, "longdouble", np.float64)


@pytest.mark.usefixtures("floats")
@pytest.mark.parametrize("shift", populations.SLIGHTLY)
@pytest.mark.parametrize(
    ("b", "power"), [(1, 1), (Fraction(1, 4), 4), (0.5, 2), (1.5, 2), (2, 1), (0.05, 20)]
)
def test_errors_that_are_whole_or_nearly(b, power, shift):
    """K·x^(−b) for x = r^power is t·(1 + shift): no float can tell on which side of t."""
    r = np.arange(1, 4 if power == 20 else 40)
    x = r**power
    whole = r.astype(object) ** int(Fraction(b) * power) if power < 20 else r.astype(object)
    for t in (1, 997, 10**6):
        for k, (base, m) in enumerate(zip(whole.tolist(), x.tolist(), strict=True)):
            K = Fraction(t * base, 2**subunits.BITS) * (1 + shift)
            terms = Terms(error_scale=K, exponent=b, unit=1)
            for up, rounded in ((True, math.ceil), (False, math.floor)):
                got = subunits.errors(terms, np.array([m]), up=up)
                expected = rounded(t * (1 + shift))
                assert int(got.whole[0]) * 2**subunits.BITS + int(got.part[0]) == expected, k


@pytest.mark.usefixtures("floats")
@pytest.mark.parametrize("b", [0.05, 0.37, 1, 2])
def test_floats_and_decimals_agree_wherever_floats_decide(b):
    """The doubtful cases are those where they might not; here all cases are asked of both."""
    rng = np.random.default_rng(1)
    m = np.unique((10 ** rng.uniform(0, 12, 400)).astype(np.int64))
    over = rng.integers(1, 10**6, len(m))
    for K in (1e-9, 1.0, 3.3e7, 1e15):
        terms = Terms(error_scale=K * float(m.min()) ** b, exponent=b, unit=1)
        for up in (True, False):
            quick = subunits.errors(terms, m, 10**9, over, up=up, bits=40)
            exact = [
                subunits._exactly(terms, int(x), 10**9, int(u), 40, up)
                for x, u in zip(m, over, strict=True)
            ]
            assert (quick.whole.astype(object) * 2**40 + quick.part).tolist() == exact
