"""What rules come to by the curve: closed forms for equal agents, and laws for any."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.mechanism import RULES, Others, whole_local_optimum
from fedfact.study.config.agents import agents_of
from fedfact.study.config.arm import arms
from fedfact.study.config.study import Study
from fedfact.study.measure.by_curve import by_curve

examples = settings(max_examples=40, deadline=None)


def of(seed=0, **keys):
    """A study's agents, and what they come to by the curve."""
    study = Study.model_validate({"dataset": "digits", **keys})
    who = agents_of(study, arms(study)[0], seed, 10**9)
    return study, who, by_curve(study, who, seed)


@pytest.mark.parametrize("b", [0.3, 1.0])
@pytest.mark.parametrize("n", [3, 16])
def test_equal_agents_end_where_theory_says(n, b):
    """Relative to alone, (1+b)/b·c·m*: with m* each n^(−b) of e(m*) is left, and c·m*; under
    shared all lose n^(−b/(1+b)). The sandwich keeps back what no winner's own samples decide."""
    _, _, found = of(
        agents=n, costs={"mean": b * 1e5 ** (-1 - b)}, terms={"exponent": b, "unit": 1e-12}
    )
    numbers = found.numbers()
    assert numbers["rebate"]["loss"] == pytest.approx((n**-b + b) / (1 + b), rel=1e-6)
    assert numbers["shared"]["loss"] == pytest.approx(n ** (-b / (1 + b)), rel=1e-6)
    back = (n - 1) / n * (1 - (n - 1) ** -b)
    assert numbers["sandwich"]["loss"] == pytest.approx(1 - back / (1 + b), rel=1e-6)
    assert numbers["shared"]["samples"] == pytest.approx(1e5 * n ** (-b / (1 + b)), rel=1e-4)


COSTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["gaussian", "lognormal"]),
        "mean": st.sampled_from([1e-6, 1e-4]),
        "spread": st.floats(0.05, 1),
    }
)


@examples
@given(st.integers(3, 12), COSTS, st.sampled_from([0.3, 1.0, 2.0]), st.integers(0, 50))
def test_whoever_keeps_its_word_ends_no_worse_than_alone(n, costs, b, seed):
    _, _, found = of(seed, agents=n, costs=costs, terms={"exponent": b})
    for rule in RULES:
        assert found.rational(rule).all(), rule
        assert found.ends[rule].settlement.surplus >= 0


@examples
@given(
    st.integers(4, 9),
    COSTS,
    st.sampled_from([0.3, 1.0, 2.0]),
    st.sampled_from([("free-ride", 0.7), ("misreport", 0.5), ("misreport", -0.4)]),
    st.integers(0, 50),
)
def test_deviating_costs_the_difference_of_expected_losses(n, costs, b, how, seed):
    """One agent at a time, as `Rule.expected_loss` has it."""
    kind, strength = how
    riders = ({"kind": kind, "number": 2, "strength": strength},)
    study, who, found = of(seed, agents=n, costs=costs, terms={"exponent": b}, deviators=riders)
    for name, rule in RULES.items():
        terms, used = study.terms.agreed(name), found.samples[name].astype(float)
        own = rule.own_curve(terms.curve, 1, n)
        for k, (c, report) in enumerate(zip(who.true_cost, who.reported_cost, strict=True)):
            rest = np.arange(n) != k
            others = Others(used[rest], who.reported_cost[rest])
            best = float(whole_local_optimum(c, own))
            lost, honest = (
                float(rule.expected_loss(m, said, c, others, terms))
                for m, said in ((used[k], report), (best, c))
            )
            got = found.deviation_cost[name][k]
            assert got == pytest.approx(lost - honest, abs=1e-9 * abs(honest))
            if not rule.draws:  # dominance
                assert got >= -1e-9 * abs(honest)
                assert who.kind[k] == "honest" or got > 0
