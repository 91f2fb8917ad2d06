"""A rule that is entered appears in studies, their tables and their pages by itself."""

import shutil

import pytest

from fedfact import read_result
from fedfact.errors import InputError
from fedfact.mechanism.rules import RULES, Rebate, register
from fedfact.mechanism.terms import RULE_NAMES
from fedfact.report.study.cases import cases_of
from fedfact.report.study.charts import charts_of
from fedfact.report.study.key_numbers import checks, curve_numbers, key_numbers
from fedfact.report.study.page import page


class Half(Rebate):
    """Everybody gets half of what the rebate rule would give it."""

    name = "half"
    measured_loss = "ℓ_i − 1/(2(n−1)) · Σ_{j≠i} f_j"
    measured_meaning = ""
    guarantees = ("You end no worse than alone & half as well.",)

    def among(self, agents):
        return 2 * (agents - 1)

    def back_formula(self, of, kept):
        return "⌊(1 − ρ)·pool/(2(n − 1))⌋", f"⌊{kept}/(2·({of.agents} − 1))⌋"


class Lottery(Rebate):
    """Half of all agents are drawn by lot, whatever they report, and share the pool."""

    name = "lottery"
    gives = "reward"
    draws = True
    charges = False
    guarantees = ("At worst you end where training alone leaves you.",)

    def among(self, agents):
        return agents // 2

    def back_formula(self, of, kept):
        return "⌊(1 − ρ)·pool/⌊n/2⌋⌋", f"⌊{kept}/{self.among(of.agents)}⌋"


def leave(name):
    del RULES[name]
    RULE_NAMES.remove(name)


@pytest.fixture
def settled_with(tiny, run_tiny, no_training, tmp_path):
    """The tiny study, settled anew when there is one more rule."""
    entered = []

    def settle(rule):
        register(rule)
        entered.append(rule.name)
        shutil.copytree(tiny, tmp_path / "copy")
        with no_training():
            return run_tiny(tmp_path / "copy", resume=True)

    yield settle
    for name in entered:
        if name in RULES:
            leave(name)


@pytest.fixture
def found(settled_with):
    return settled_with(Half())


def test_it_is_settled_like_the_others(found, tiny):
    before = read_result(tiny)
    assert before.rules == ("sandwich", "rebate", "shared")
    assert found.rules == ("sandwich", "rebate", "shared", "half")
    assert found.measured == ("sandwich", "rebate", "half")
    for arm, old in zip(found.summary["arms"], before.summary["arms"], strict=True):
        for table in ("loss", "ratio", "at_local_loss", "by_curve", "checks", "settlement"):
            new = {"loss": {"fact_half"}, "ratio": {"fact_half"}, "checks": {"rational_half"}}
            assert set(arm[table]) - set(old[table]) == new.get(table, {"half"})
            assert {key: arm[table][key] for key in old[table]} == old[table]
        assert set(arm["best"]["loss"]) - set(old["best"]["loss"]) == {"fact_half"}
    rebate, ours = (found.agents["federated_loss"] - found.agents[f"fact_{rule}"]
                    for rule in ("rebate", "half"))  # fmt: skip
    fee = found.agents["gain"]
    helped = (fee > 0) & (rebate != 0)
    assert (rebate + fee)[helped] / 2 == pytest.approx((ours + fee)[helped], abs=2e-9)
    settled = found.settlement
    assert len(settled["rule"]) == 7 / 5 * len(before.settlement["rule"])
    assert set(settled["input"][settled["rule"] == "half"]) == {"measured", "analytic"}


def test_a_rule_that_draws_is_asked_for_its_own_chances(settled_with):
    """Three of seven win, each as likely as any other: on the mean all get a seventh of the pool.

    The paper's rule would have the agents in the middle win more often.
    """
    result = settled_with(Lottery())
    agents, n, drawn = result.agents, 7, 3
    lost, (rebate, lottery) = (
        agents["if_lost"],
        (agents[f"fact_{rule}"] for rule in ("rebate", "lottery")),
    )
    pool = (lost - rebate) * (n - 1)
    assert (pool > 0).any()
    assert len({*agents["win_probability"].round(6)}) > 2  # by the paper's rule they are not alike
    assert lottery == pytest.approx(lost - pool / n, abs=1e-8)
    for arm in result.summary["arms"]:
        assert arm["at_local_loss"]["lottery"]["mean"] <= 1 - drawn / n
        assert arm["loss"]["fact_lottery"]["mean"] == pytest.approx(
            lottery[agents["arm"] == arm["arm"]].mean()
        )
    text = page([result], charts_of([result]), lambda: None)
    assert "rational, lottery" in text


def test_it_is_in_every_table_and_figure_that_compares_rules(found):
    charts = {chart.stem: chart for chart in charts_of([found])}
    assert charts["outcomes"].title == "Sandwich against rebate and half"
    assert charts["outcomes"].header[-2:] == ["rebate", "half"]
    assert [panel.title for panel in charts["money-flow"].panels][:4] == [
        "iid: sandwich", "iid: rebate", "iid: shared, by the curve", "iid: half"
    ]  # fmt: skip
    assert "half" in [row[1] for row in charts["rules-by-curve"].rows]
    assert " and half gives to " in charts["money-flow"].sentence
    assert "FACT, half" in [row[1] for row in charts["figure-2-losses"].rows]
    text = page([found], list(charts.values()), lambda: None)
    assert "rational, half" in text
    assert "You end no worse than alone &amp; half as well." in text


def test_beside_a_study_that_was_settled_without_it_there_are_gaps(found, tiny):
    charts = charts_of([read_result(tiny), found])
    rows = {chart.stem: chart for chart in charts}["outcomes"].rows
    assert {row[-1] is None for row in rows} == {True, False}
    cases = [cases_of([result])[0] for result in (read_result(tiny), found)]
    for header, lines in (key_numbers(cases), curve_numbers(cases), checks(cases)):
        assert all(len(line) == len(header) for line in lines)
        gaps = [[name for name, cell in zip(header, line, strict=True) if cell is None]
                for line in lines]  # fmt: skip
        assert any("half" in name for name in gaps[0])
        assert not any("half" in name for name in gaps[1])


def test_a_study_by_a_rule_that_is_not_there_is_refused(found):
    leave("half")
    with pytest.raises(InputError, match=r"summary\.json: is settled by rule 'half', which is not"):
        read_result(found.path)
