"""Who takes part: costs, reports, samples agreed and used."""

import math
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from fedfact.errors import InputError
from fedfact.mechanism import RULES, Curve
from fedfact.study.config.agents import agents_of
from fedfact.study.config.arm import arms
from fedfact.study.config.study import Study

examples = settings(max_examples=80, deadline=None)
PLENTY = 10**9


def study(**keys):
    return Study.model_validate({"dataset": "digits", "agents": 10, **keys})


def of(there=1438, seed=0, arm=0, **keys):
    made = study(**keys)
    return agents_of(made, arms(made)[arm], seed, there)


def many(seeds=400, **keys):
    """True costs of all agents with many seeds, 20 agents each."""
    return np.concatenate([of(PLENTY, seed, agents=20, **keys).true_cost for seed in range(seeds)])


@contextmanager
def patience(seconds):
    """Fail, rather than hang for ever."""

    def give_up(*_):
        raise TimeoutError("does not end")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_uniform_costs_are_the_mean():
    found = of(costs={"mean": 1e-4})
    assert found.true_cost.tolist() == found.reported_cost.tolist() == [1e-4] * 10
    assert found.agreed.tolist() == found.samples.tolist() == [100] * 10
    assert found.kind == ["honest"] * 10
    assert found.dealt.tolist() == [100] * 10
    assert found.names[0] == "agent-01"
    assert found.names[9] == "agent-10"


def test_names_of_many_agents_sort_by_number():
    found = of(agents=120, costs={"mean": 0.01})
    assert found.names == sorted(found.names)
    assert found.names[0] == "agent-001"


@pytest.mark.parametrize("spread", [0.05, 0.1, 0.3])
def test_gaussian_costs_have_the_mean_and_the_spread(spread):
    costs = many(costs={"kind": "gaussian", "mean": 1e-4, "spread": spread}) / 1e-4
    error = spread / math.sqrt(len(costs))
    assert costs.mean() == pytest.approx(1, abs=5 * error + (spread > 0.2) * 0.001)
    assert costs.std() == pytest.approx(spread, rel=0.05)
    assert (costs > 0).all()
    inside = (np.abs(costs - 1) < spread).mean()
    assert inside == pytest.approx(math.erf(math.sqrt(0.5)), abs=0.03)


def test_a_gaussian_cost_is_never_without_sense():
    costs = many(costs={"kind": "gaussian", "mean": 1e-4, "spread": 1.0})
    assert costs.min() == pytest.approx(5e-6)  # a twentieth of the mean
    assert costs.max() > 3e-4


@pytest.mark.parametrize("spread", [0.1, 0.5])
def test_lognormal_costs_have_the_median_and_the_spread_of_the_logarithm(spread):
    logs = np.log(many(costs={"kind": "lognormal", "mean": 1e-4, "spread": spread}) / 1e-4)
    assert np.median(logs) == pytest.approx(0, abs=7 * spread / math.sqrt(len(logs)))
    assert logs.mean() == pytest.approx(0, abs=5 * spread / math.sqrt(len(logs)))
    assert logs.std() == pytest.approx(spread, rel=0.05)


def test_given_costs_are_taken_as_they_are():
    values = (1e-4, 4e-4, 1.6e-3)
    found = of(agents=3, costs={"kind": "file", "values": values})
    assert found.true_cost.tolist() == list(values)
    assert found.agreed.tolist() == [100, 50, 25]


def test_costs_depend_on_the_seed_and_on_nothing_else():
    keys = {
        "costs": {"kind": "gaussian", "mean": 1e-3},
        "partitions": ("iid", "dirichlet:0.3"),
        "deviators": ({"kind": "misreport", "number": (0, 4), "strength": 0.5},),
    }
    found = [of(seed=1, arm=arm, **keys).true_cost.tolist() for arm in range(4)]
    assert found == [found[0]] * 4
    assert of(seed=1, **keys).true_cost.tolist() == found[0]
    assert of(seed=2, **keys).true_cost.tolist() != found[0]
    other = of(seed=1, **{**keys, "costs": {"kind": "gaussian", "mean": 2e-3}}).true_cost
    assert other.tolist() == pytest.approx([2 * cost for cost in found[0]])


@examples
@given(
    st.integers(3, 60),
    st.integers(200, 60_000),
    st.sampled_from(["uniform", "gaussian", "lognormal"]),
    st.floats(0.01, 1),
    st.sampled_from([1.0, 0.01, 250.0]),
    st.integers(0, 50),
)
def test_without_a_mean_the_agents_use_nearly_all_the_data_and_never_more(
    n, there, kind, spread, A, seed
):
    costs = {"kind": kind, "spread": 0.1 if kind == "uniform" else spread}
    found = of(there, seed, agents=n, costs=costs, terms={"error_scale": A})
    used = found.agreed.sum()
    assert there - 2 * n <= used <= there
    if kind == "uniform":
        assert found.agreed.tolist() == [there // n] * n


@pytest.mark.parametrize("n", [1000, 1438])
def test_even_very_many_agents_share_the_data(n):
    with patience(5):
        found = of(agents=n)
    assert found.agreed.tolist() == [1] * n


@pytest.mark.parametrize("n", [1439, 5000])
def test_more_agents_than_samples_are_refused(n):
    with patience(5), pytest.raises(InputError, match="take fewer"):
        of(agents=n)


@examples
@given(st.floats(1e-7, 1), st.sampled_from([1.0, 0.5, 20.0]))
def test_agreed_samples_are_the_best_whole_number(theory, cost, A):
    found = of(PLENTY, costs={"mean": cost}, terms={"error_scale": A})
    m = int(found.agreed[0])
    exact_A, c = theory.exact(A), theory.exact(cost)
    loss = exact_A / m + c * m
    slack = 1 + theory.exact(1e-12)  # two neighbours may be as good as each other
    assert loss <= (exact_A / (m + 1) + c * (m + 1)) * slack
    assert m == 1 or loss <= (exact_A / (m - 1) + c * (m - 1)) * slack


@pytest.mark.parametrize(("strength", "agreed"), [(3.0, 50), (-0.75, 200), (0.21, 91)])
def test_a_misreport_changes_report_and_data_but_not_the_true_cost(strength, agreed):
    deviators = ({"kind": "misreport", "number": 4, "strength": strength},)
    found = of(10_000, costs={"mean": 1e-4}, deviators=deviators)
    lies = [kind == "misreport" for kind in found.kind]
    assert sum(lies) == 4
    assert found.true_cost.tolist() == [1e-4] * 10
    expected = [1e-4 * (1 + strength) if lie else 1e-4 for lie in lies]
    assert found.reported_cost.tolist() == pytest.approx(expected)
    assert found.agreed.tolist() == [agreed if lie else 100 for lie in lies]
    assert found.samples.tolist() == found.agreed.tolist()
    assert found.dealt.tolist() == [max(agreed, 100) if lie else 100 for lie in lies]


@pytest.mark.parametrize(
    ("strength", "left"), [(0.5, 50), (0.75, 25), (0.9, 10), (0.999, 1), (0.1, 90), (0.3, 70)]
)
def test_a_free_rider_reports_the_truth_and_uses_less(strength, left):
    deviators = ({"kind": "free-ride", "number": 3, "strength": strength},)
    found = of(costs={"mean": 1e-4}, deviators=deviators)
    rides = [kind == "free-ride" for kind in found.kind]
    assert sum(rides) == 3
    assert found.reported_cost.tolist() == [1e-4] * 10
    assert found.agreed.tolist() == [100] * 10
    assert found.samples.tolist() == [left if ride else 100 for ride in rides]


def test_both_kinds_are_different_agents():
    deviators = (
        {"kind": "free-ride", "number": (1, 4), "strength": 0.5},
        {"kind": "misreport", "number": 6, "strength": 0.5},
    )
    for arm, number in ((0, 1), (1, 4)):
        kind = of(arm=arm, costs={"mean": 1e-3}, deviators=deviators).kind
        assert (kind.count("free-ride"), kind.count("misreport")) == (number, 6)
        assert kind.count("honest") == 4 - number


def test_given_samples_are_agreed_and_are_all_that_agents_have():
    found = of(agents=3, samples=(99, 100, 101), costs={"mean": 1e-4})
    assert found.agreed.tolist() == [99, 100, 101]
    assert found.population(found.samples).capacity.tolist() == [99, 100, 101]
    assert found.true_cost.tolist() == [1e-4] * 3
    assert of(samples=40, costs={"mean": 1e-4}).samples.tolist() == [40] * 10


def test_samples_without_costs_are_taken_for_the_optimum():
    found = of(agents=4, samples=(100, 50, 20, 10))
    assert found.true_cost.tolist() == pytest.approx([1e-4, 4e-4, 2.5e-3, 0.01])
    assert found.agreed.tolist() == found.dealt.tolist() == [100, 50, 20, 10]


def test_a_lone_misreport_does_not_move_given_samples():
    deviators = ({"kind": "misreport", "number": 1, "strength": 3.0},)
    found = of(samples=50, costs={"mean": 4e-4}, deviators=deviators)
    assert found.agreed.tolist() == [50] * 10
    assert sorted(found.reported_cost.tolist())[-1] == pytest.approx(1.6e-3)


def test_too_much_data_wanted_names_how_much_and_a_remedy_that_helps():
    with pytest.raises(InputError, match=r"want 2,000 samples and there are 1,438") as refusal:
        of(costs={"mean": 2.5e-5})
    assert "a costs.mean 1.93 times as high" in str(refusal.value)
    assert of(costs={"mean": 2.5e-5 * 1.95}).agreed.sum() <= 1438


def test_too_many_given_samples_are_not_blamed_on_the_cost():
    with pytest.raises(InputError, match=r"want 2,000 samples") as refusal:
        of(samples=200, costs={"mean": 1e-4})
    assert "mean cost" not in str(refusal.value)
    assert "fewer samples" in str(refusal.value)


def test_costs_of_a_file_that_want_too_much_are_not_blamed_on_a_mean():
    with pytest.raises(InputError, match=r"want 3,000 samples") as refusal:
        of(agents=3, costs={"kind": "file", "values": (1e-6,) * 3})
    assert "or leave it out" not in str(refusal.value)


def test_a_mean_that_nobody_gave_leaves_room_for_who_reports_too_little():
    """In every arm alike, so that costs do not depend on the arm."""
    deviators = ({"kind": "misreport", "number": (0, 2), "strength": -0.5},)
    found = [of(deviators=deviators, arm=arm) for arm in (0, 1)]
    assert (found[0].true_cost == found[1].true_cost).all()
    assert found[0].agreed.sum() < found[1].agreed.sum() <= 1438
    assert found[1].agreed.sum() > 1438 - 10


@examples
@given(
    st.integers(3, 60),
    st.integers(300, 60_000),
    st.sampled_from(["uniform", "gaussian", "lognormal"]),
    st.floats(0.05, 2),
    st.integers(0, 50),
)
def test_with_any_curve_the_agents_use_nearly_all_the_data_and_never_more(n, there, kind, b, seed):
    found = of(there, seed, agents=n, costs={"kind": kind}, terms={"exponent": b})
    used = found.agreed.sum()
    assert there - 3 * n <= used <= there
    if kind == "uniform":
        assert found.agreed.tolist() == [there // n] * n


def test_samples_follow_the_exponent_of_the_terms():
    """m* = (A·b/c)^(1/(1+b)): with b = ½ and A = 2 that is c^(−2/3)."""
    found = of(costs={"mean": 1e-3}, terms={"error_scale": 2.0, "exponent": 0.5})
    assert found.agreed.tolist() == [100] * 10
    given = of(samples=100, terms={"error_scale": 2.0, "exponent": 0.5})
    assert given.true_cost.tolist() == pytest.approx([1e-3] * 10)


@pytest.mark.parametrize("b", [0.3, 1.0, 2.0])
def test_a_rule_with_a_price_of_its_own_asks_for_other_samples(b):
    """Under shared n agents alike have x = n·m: m is best at n^(−b/(1+b)) of m*."""
    n = 8
    costs = {"mean": b * 1000 ** (-1 - b)}  # m* = 1,000
    riders = ({"kind": "free-ride", "number": 2, "strength": 0.5},)
    found = of(10_000, agents=n, costs=costs, terms={"exponent": b}, deviators=riders)
    curve = Curve(1.0, b)
    for rule in ("sandwich", "rebate"):
        assert found.samples_under(RULES[rule], curve).tolist() == found.samples.tolist()
    best = 1000 * n ** (-b / (1 + b))
    for kind, used in zip(found.kind, found.samples_under(RULES["shared"], curve), strict=True):
        assert used == pytest.approx(best / 2 if kind == "free-ride" else best, abs=1.01)


def test_nobody_is_asked_for_more_than_it_has():
    found = of(agents=4, samples=(100, 51, 49, 10), costs={"mean": 1e-4})
    asked = found.samples_under(RULES["shared"], Curve(1.0))
    assert asked.tolist() == [50, 50, 49, 10]  # the best are 100/√4


def test_arms_are_told_apart():
    deviators = tuple(
        {"kind": "misreport", "number": 1, "strength": strength} for strength in (-0.9, 5.0)
    )
    (arm,) = arms(study(deviators=deviators, partitions=("iid",)))
    assert arm.name.startswith("iid, 1 of ")
    assert "misreport -0.9, 1 of " in arm.name
    assert arm.name.endswith("misreport +5")


def test_money_too_coarse_to_settle_by_is_refused():
    with pytest.raises(ValidationError, match=r"worth 1000 of test loss.* at most 0\.001"):
        study(terms={"unit": 1000.0})
