"""Honest agents over n and over b."""

import pytest

from fedfact import plot
from fedfact.errors import InputError
from fedfact.lab import Setting, sweep
from fedfact.lab.sweep import AGENTS, EXPONENTS

EQUAL = "norm:loc=1,scale=1e-9"


def test_closed_forms():
    """Equal agents: n·e(x) + c·x for all under shared, (n^(−b) + b)/(1 + b) under rebate."""
    found = sweep(Setting.read(EQUAL), populations=2, rules=["rebate", "shared"])
    assert len(found.rows()) == 2 * (len(AGENTS) + len(EXPONENTS))
    for over, value in [("agents", n) for n in AGENTS] + [("exponent", b) for b in EXPONENTS]:
        n, b = (value, 1) if over == "agents" else (16, value)
        shared, rebate = (found.cell(over, value, name) for name in ("shared", "rebate"))
        assert shared.loss == pytest.approx(n ** (-b / (1 + b)), rel=1e-6)
        assert shared.samples_share == pytest.approx(n ** (-b / (1 + b)), rel=1e-6)
        assert rebate.loss == pytest.approx((n**-b + b) / (1 + b), rel=1e-6)
        assert rebate.samples_share == pytest.approx(1, rel=1e-6)


def test_it_is_drawn():
    found = sweep(Setting.read(), populations=2)
    assert b"first best" in plot(found).svg
    assert [rule["rule"] for rule in found.document()["rules"] if rule["benchmark"]] == [
        "first-best"
    ]


def test_a_file_has_its_own_number_of_agents(tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text("true_cost\n1\n2\n3\n")
    with pytest.raises(InputError, match="give a distribution of costs"):
        sweep(Setting.read(str(costs)), populations=2)
