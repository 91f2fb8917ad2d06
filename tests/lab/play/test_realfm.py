"""RealFM with the payoff of its own agents: what its source says of it, and what liars do to it."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from fedfact.lab import Setting
from fedfact.lab.play.realfm import realfm
from fedfact.lab.rules.realfm import Payoff, RealFM
from fedfact.mechanism import Terms

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "lab_reference", Path(__file__).parents[1] / "reference.py"
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

COSTS = (0.8, 0.9, 1.0, 1.1, 1.3)


@pytest.fixture(scope="module")
def played():
    setting = Setting(Terms(error_scale=1.0), 5, "given", COSTS)
    return realfm(setting, rounds=100).document()


def row(played, payoff, how):
    return next(r for r in played["rows"] if (r["payoff"], r["how"]) == (payoff, how))


@pytest.mark.parametrize(("payoff", "cost"), [("convex", 4.3755e-3), ("linear", 1.00185e-5)])
def test_alone_and_without_a_rule(played, payoff, cost):
    """By another search: each its best; and one agent's data for all, whoever joins."""
    linear = payoff == "linear"
    best = [reference.payoff_alone(cost * c, linear) for c in COSTS]
    alone, plain = (row(played, payoff, how) for how in ("alone", "federated"))
    assert alone["samples"] == pytest.approx(sum(best), rel=1e-4)
    assert (alone["payoff_mean"], alone["contributors"]) == (1, 5)
    assert plain["samples"] == pytest.approx(best[0], rel=1e-4)
    assert plain["contributors"] == 1
    assert plain["payoff_worst"] == pytest.approx(0, abs=1e-9)
    assert plain["server"] == pytest.approx(reference.payoff(best[0], linear), rel=1e-4)


@pytest.mark.parametrize("payoff", ["convex", "linear"])
def test_honest_agents_reach_the_equilibrium(played, payoff):
    """Where `RealFM.agreed` has it; all are better off than alone, and so is the server."""
    linear = payoff == "linear"
    cost = (1.00185e-5 if linear else 4.3755e-3) * np.array(COSTS)
    rule = RealFM(start=0.0, payoff=Payoff(linear=linear))
    samples = rule.agreed(Terms(error_scale=1.0), cost)
    true = row(played, payoff, "true")
    assert true["converged"]
    assert true["samples"] == pytest.approx(samples.sum(), rel=1e-3)
    assert true["contributors"] == 5
    assert true["payoff_worst"] > 0
    assert true["server"] == pytest.approx(0.5 * reference.payoff(samples.sum(), linear), rel=1e-3)


def test_a_non_linear_payoff_collects_more_from_the_honest(played):
    convex, linear = (row(played, payoff, "true") for payoff in ("convex", "linear"))
    assert convex["samples_share"] > 2 * linear["samples_share"] > 2


@pytest.mark.parametrize("payoff", ["convex", "linear"])
def test_liars_use_far_less(played, payoff):
    true, lies = (row(played, payoff, how) for how in ("true", "lies"))
    assert lies["samples"] < 0.6 * true["samples"]
    assert lies["accuracy"] < true["accuracy"]


def test_the_document_is_clean(played):
    json.dumps(played, allow_nan=False)
    assert len(played["rows"]) == 8
