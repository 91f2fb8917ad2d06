"""Agents that left before the end: they pay for what they delivered and receive nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.mechanism import RULES, Population, Terms, settle

examples = settings(max_examples=150, deadline=None)
AMOUNTS = ("fee", "penalty", "charge", "compensation", "pool", "reward", "rebate", "net")


@st.composite
def populations(draw):
    """Agents with marks of who left, terms and a seed; by formula or by measured losses."""
    n = draw(st.integers(3, 12))

    def column(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    terms = Terms(
        error_scale=draw(st.sampled_from([1.0, 20000.0])),
        unit=draw(st.sampled_from([1.0, 0.01, 1e-6])),
        rule=draw(st.sampled_from(sorted(RULES))),
        retention=draw(st.sampled_from([0.0, 0.25, 1.0])),
        consistency=draw(st.sampled_from([0.0, 1.0, 100.0])),
    )
    measured = {}
    if RULES[terms.rule].measurable and draw(st.booleans()):
        loss = st.integers(0, 1000).map(lambda cents: cents / 100)
        measured = {"local_loss": column(loss), "federated_loss": column(loss)}
    cost = column(st.floats(1e-3, 1e3))
    samples = column(st.integers(1, 1000))
    left = column(st.booleans())
    return [f"agent {k}" for k in range(n)], cost, samples, left, measured, terms


def settled(scenario, left):
    agents, cost, samples, _, measured, terms = scenario
    marks = None if left is None else np.array(left)
    return settle(Population(agents, cost, samples, left=marks, **measured), terms, seed=3)


@examples
@given(populations())
def test_money_is_conserved_whoever_leaves(scenario):
    result = settled(scenario, scenario[3])
    sums = result.totals
    received = sums["reward"] + sums["rebate"] + sums["compensation"]
    assert sums["fee"] + sums["charge"] - received == result.surplus == -sums["net"]
    assert result.surplus >= 0


@examples
@given(populations())
def test_who_left_pays_its_fee_and_forfeits_the_rest(scenario):
    whole, result = settled(scenario, None), settled(scenario, scenario[3])
    for k, gone in enumerate(scenario[3]):
        if gone:
            assert result.fee[k] == max(whole.fee[k], 0)  # nobody is paid for leaving
            assert result.charge[k] == result.reward[k] == result.rebate[k] == 0
            assert result.net[k] == result.compensation[k] - result.fee[k]


@examples
@given(populations())
def test_the_mark_of_one_changes_nothing_for_the_others(scenario):
    whole, result = settled(scenario, None), settled(scenario, scenario[3])
    stayed = ~np.array(scenario[3])
    for name in AMOUNTS:
        assert (getattr(result, name)[stayed] == getattr(whole, name)[stayed]).all()
    assert (result.group == whole.group).all()
    assert (result.won == whole.won).all()


@examples
@given(populations())
def test_what_is_forfeited_goes_to_the_surplus_and_to_nobody_else(scenario):
    whole, result = settled(scenario, None), settled(scenario, scenario[3])
    left = np.array(scenario[3])
    forfeited = (whole.reward + whole.rebate - whole.charge - np.minimum(whole.fee, 0))[left].sum()
    assert result.surplus - whole.surplus == forfeited


@examples
@given(populations())
def test_marks_of_nobody_are_no_marks(scenario):
    whole, nobody = settled(scenario, None), settled(scenario, [False] * len(scenario[0]))
    for name in AMOUNTS:
        assert (getattr(whole, name) == getattr(nobody, name)).all()


@pytest.mark.parametrize("left", [[True, False], [1, 0, 0], ["x", "y", "z"], [0.0, 1.0, 0.0]])
def test_marks_that_are_no_truth_values_are_refused(left):
    with pytest.raises(InputError, match="left"):
        Population(list("abc"), [1.0, 1.0, 1.0], [5, 5, 5], left=np.array(left))
