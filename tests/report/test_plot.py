"""``fedfact.plot``: a picture by the kind of result."""

import numpy as np
import pytest

from fedfact import Applicant, InputError, Population, Terms, advise, others_like, plot, settle
from fedfact.lab import Setting, attack, compare, equilibrium

TERMS = Terms(error_scale=1.0, unit=1e-6, rule="rebate")


def test_a_settlement_is_drawn_and_saved(tmp_path):
    agents = Population(["a", "b", "c"], np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    picture = plot(settle(agents, TERMS))
    assert picture._repr_svg_().lstrip().startswith("<?xml")
    picture.save(tmp_path / "settlement.svg")
    assert (tmp_path / "settlement.svg").read_bytes() == picture.svg
    assert repr(picture) == "Picture(title='What each agent pays and receives')"


def test_an_applicants_losses_are_drawn():
    others = others_like(4e-6, TERMS, agents=6, total=None)
    picture = plot(Applicant(4e-6, TERMS, others, knows_reports=False))
    assert b"<svg" in picture.svg


def test_an_advice_is_drawn_with_every_rule():
    others = others_like(4e-6, TERMS, agents=6, total=None)
    picture = plot(advise(Applicant(4e-6, TERMS, others, knows_reports=False)))
    assert repr(picture) == "Picture(title='What you may end with under each rule')"
    assert b"<svg" in picture.svg


def test_a_studys_figures_are_named(make_result):
    result = make_result("mnist", arms=("iid",), seeds=1, epochs=3)
    assert plot(result).title == "Truthfulness: what a wrong report gains"
    assert plot(result, "money-flow").title == "Money flow of one settlement"
    with pytest.raises(InputError, match="a Result has no figure 'mony-flow'; did you mean money-"):
        plot(result, "mony-flow")


def test_results_of_the_lab_are_drawn():
    setting, rules = Setting.read(agents=4), ("rebate", "federated")
    of = {"rules": rules}
    truth, lies, learned = (
        plot(equilibrium(setting, rounds=30, **of, **how))
        for how in ({"lies": False}, {}, {"how": "hedge"})
    )
    assert {each.title for each in (truth, lies, learned)} == {
        "Dynamics: samples and reports, round by round"
    }
    assert b"reports: the median of them" not in truth.svg
    assert b"reports: the median of them" in lies.svg
    few = {"populations": 20, **of}
    assert plot(attack(setting, **few)).title == "Attacks: who gains, and who pays"
    both = compare(setting, rounds=30, **few)
    assert plot(both, "contributions").title == "Who contributes"
    with pytest.raises(InputError, match="a Comparison has no figure 'x'; there is welfare, "):
        plot(both, "x")


@pytest.mark.parametrize("absent", ["pyarrow", "torch"])
def test_a_settlement_needs_nothing_but_what_draws(python_without, absent):
    code = """
import numpy as np
import fedfact
agents = fedfact.Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
print(fedfact.plot(fedfact.settle(agents, fedfact.Terms(error_scale=1.0, unit=1e-6))))
"""
    done = python_without(absent, code)
    assert done.stderr == ""
    assert done.stdout == "Picture(title='What each agent pays and receives')\n"


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="there is no picture of a list"):
        plot([1, 2])
