"""With b = 1 the paper's formulas and the sandwich give what they gave before exponents came.

``frozen.json`` was written by commit 737df2c: settlements of random agents, and the formulas.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from fedfact import mechanism
from fedfact.mechanism import Curve, Population, Terms, settle

FROZEN = json.loads(Path(__file__).with_name("frozen.json").read_text())


@pytest.mark.parametrize("exponent", [1, 1.0])
def test_the_sandwich_pays_what_it_paid(exponent):
    assert len(FROZEN["settlements"]) == 60
    for case in FROZEN["settlements"]:
        names = [f"a{k}" for k in range(len(case["samples"]))]
        terms = Terms(rule="sandwich", exponent=exponent, **case["terms"])
        result = settle(Population(names, case["cost"], case["samples"]), terms, case["seed"])
        for column in ("fee", "penalty", "pool", "reward", "net", "group", "won"):
            assert getattr(result, column).tolist() == case[column], column
        assert result.surplus == case["surplus"]


def formulas(curve):
    was = {name: np.array(values) for name, values in FROZEN["formulas"].items()}
    m, S, c = was["samples"], was["others"], was["cost"]
    arguments = {
        "local_loss": (m, c, curve),
        "federated_loss": (m, S, c, curve),
        "effective_fee": (m, S, curve),
        "local_optimum": (c, curve),
        "whole_local_optimum": (c, curve),
        "penalty_weight": (c, S, curve, 1.2),
        "penalty_slope": (c, S, curve),
        "free_rider_penalty": (m, S, c, curve, 1.2),
        "penalised_loss": (m, S, c, 2 * c, curve, 1.2),
        "contract_fee": (m, S, c, curve, 1.2),
        "rationality_gap": (c, S, curve, 1.2),
        "largest_alpha": (c, S, curve),
        "paper_pool": (was["contract_fee"],),
    }
    for name, given in arguments.items():
        yield name, getattr(mechanism, name)(*given), was[name]


def test_the_papers_formulas_give_what_they_gave():
    for curve in (1.0, Curve(1.0), Curve(1.0, 1.0)):
        for name, now, was in formulas(curve):
            assert now == pytest.approx(was, rel=4e-16), name


def test_formulas_for_any_exponent_lead_to_those_of_the_paper():
    """Exponents next to 1 take the general branch everywhere."""
    for name, now, was in formulas(Curve(1.0, 1 + 1e-9)):
        if name != "whole_local_optimum":
            assert now == pytest.approx(was, rel=1e-6), name
