"""A statement tells an agent all of its own lines and nothing of the others'."""

import json
import math
import re

import numpy as np
import pytest

from fedfact import InputError, Population, Terms, settle
from fedfact.settlement.statement import statement

NAMES = [
    "north-clinic",
    "south-clinic",
    "east-clinic",
    "west-clinic",
    "old-town",
    "new-town",
    "sea",
]
COST = np.array([1.31e-6, 2.17e-6, 3.73e-6, 4.91e-6, 5.57e-6, 6.67e-6, 2.39e-6])
SAMPLES = np.array([873, 679, 517, 451, 423, 387, 646])
TERMS = {"error_scale": 1.0, "unit": 1e-7}


def settled(rule, **columns):
    return settle(Population(NAMES, COST, SAMPLES, **columns), Terms(rule=rule, **TERMS), seed=5)


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_lines_add_up_to_the_net_of_the_settlement(rule):
    settlement = settled(rule)
    for k, name in enumerate(NAMES):
        found = statement(settlement, name)
        signs = {"you pay": -1, "paid to you": -1, "to you": 1}
        assert found.lines[-1].name == "net"
        assert sum(signs[line.effect] * line.amount for line in found.lines[:-1]) == found.net
        assert found.net == settlement.net[k]


def test_a_statement_shows_its_lines_as_a_table():
    found = statement(settled("rebate"), "sea")
    title, header, *lines = repr(found).splitlines()
    assert title == "Statement for sea, rule rebate, 646 samples"
    assert header.split() == ["name", "amount", "formula", "filled", "effect"]
    assert [line.split()[0] for line in lines] == ["fee", "charge", "rebate", "net"]
    assert [row["amount"] for row in found.rows()] == [line.amount for line in found.lines]
    assert f"<caption>{title}</caption>" in found._repr_html_()
    assert found._repr_html_().count("<tr>") == 5


def evaluate(text):
    """The value of a filled-in formula."""
    text = re.sub(r"√\(([^()]*)\)", r"math.sqrt(\1)", text)
    for old, new in [("⌊", "math.floor("), ("⌋", ")"), ("⌈", "math.ceil("), ("⌉", ")")]:
        text = text.replace(old, new)
    for old, new in [("·", "*"), ("−", "-"), ("²", "**2"), ("[", "("), ("]", ")")]:
        text = text.replace(old, new)
    return eval(text, {"math": math})


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_the_penalty_is_shown_for_comparison_if_asked(rule):
    settlement = settled(rule)
    for k, name in enumerate(NAMES):
        plain, compared = statement(settlement, name), statement(settlement, name, penalty=True)
        fee, penalty, *rest = compared.lines
        assert (penalty.name, penalty.effect) == ("penalty", "moves no money")
        assert penalty.amount == settlement.penalty[k] > 0
        assert plain.lines == (fee, *rest)


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_numbers_filled_in_give_the_amounts(rule):
    settlement = settled(rule)
    for name in NAMES:
        for line in statement(settlement, name, penalty=True).lines:
            if line.name == "reward" and not line.amount:
                assert line.filled in ("left over by the draw", "not the median of its group")
            elif line.name == "penalty":
                assert round(evaluate(line.filled)) == line.amount
            else:
                assert evaluate(line.filled) == line.amount


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_nothing_of_the_others_is_told(rule):
    settlement = settled(rule)
    for i, name in enumerate(NAMES):
        found = json.dumps(statement(settlement, name).document(), ensure_ascii=False)
        for j, other in enumerate(NAMES):
            if j == i:
                continue
            secrets = [other, f"{COST[j]:g}", str(SAMPLES[j]), str(settlement.fee[j])]
            for secret in secrets:
                assert not re.search(rf"(?<![\d.]){re.escape(secret)}(?!\d)", found), secret


def test_measured_statements_explain_fee_and_compensation():
    settlement = settled(
        "rebate",
        local_loss=np.array([1.5, 1.4, 0.2, 1.3, 1.2, 1.1, 1.0]),
        federated_loss=np.full(7, 0.5),
    )
    hurt = statement(settlement, "east-clinic").lines[0]
    assert (hurt.name, hurt.amount, evaluate(hurt.filled)) == ("compensation", 3_000_000, 3_000_000)
    helped = statement(settlement, "sea").lines[0]
    assert (helped.name, helped.amount, evaluate(helped.filled)) == ("fee", 5_000_000, 5_000_000)


def test_a_shortfall_is_told():
    settlement = settled(
        "sandwich", local_loss=np.full(7, 0.4), federated_loss=np.linspace(0.3, 0.9, 7)
    )
    assert settlement.shortfall > 0
    line = statement(settlement, "sea").lines[0]
    assert line.formula.startswith("⌊fees/claims·")
    assert line.amount > 0
    assert evaluate(line.filled) == pytest.approx(line.amount, abs=1)


def test_who_uses_all_it_has_sees_a_charge_of_zero():
    settlement = settled("rebate", capacity=np.where(np.arange(7) == 0, SAMPLES, 10**6))
    charge = next(line for line in statement(settlement, NAMES[0]).lines if line.name == "charge")
    assert (charge.amount, evaluate(charge.filled)) == (0, 0)
    assert charge.filled.count("873") == 4  # what it used is the best it can do


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_who_left_sees_its_fee_and_what_it_forfeited(rule):
    settlement, whole = settled(rule, left=np.arange(7) % 2 == 0), settled(rule)
    for k, name in enumerate(NAMES):
        found = statement(settlement, name)
        if k % 2:
            assert found == statement(whole, name)  # others see no difference
            continue
        lines = {line.name: line for line in found.lines}
        received = lines[settlement.rule.gives]
        assert (received.amount, received.formula) == (0, "0")
        assert received.filled == "forfeited by leaving before the end"
        assert lines["fee"].amount == max(whole.fee[k], 0)  # nobody is paid for leaving
        assert found.net == -lines["fee"].amount
        if settlement.rule.charges:
            charge = lines["charge"]
            assert (charge.amount, charge.formula) == (0, "0")
            assert charge.filled == "waived for members that leave"
        else:
            assert "charge" not in lines


def test_unknown_agents_are_refused():
    with pytest.raises(InputError, match="no agent 'nobody'"):
        statement(settled("rebate"), "nobody")


@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_on_the_command_line(fedfact, examples, rule):
    command = [
        "settle", examples / "hospitals.csv", "--terms", examples / "terms.toml",
        "--rule", rule, "--seed", 3, "--statement", "Oak",
    ]  # fmt: skip
    text = fedfact(*command)
    document = json.loads(fedfact(*command, "--json").out)
    assert text.code == 0
    assert document["agent"] == "Oak"
    assert (document["unit"], document["currency"]) == (0.01, "EUR")
    assert "formulas give units of 0.01 EUR" in text.out
    for line in document["lines"]:
        assert f" {line['amount'] / 100:,.2f} EUR  {line['effect']}\n" in text.out
        assert line["filled"] in text.out
    assert "penalty" not in text.out
    for other in ("Alder", "Birch", "Willow", "surplus"):
        assert other not in text.out
