"""A new rule is one object: defined and entered here, it settles, advises, verifies and plays."""

import numpy as np
import pytest

from fedfact import Population, Terms, settle
from fedfact.advice import Applicant, advise, others_like
from fedfact.mechanism.rules import RULES, Rule, register
from fedfact.mechanism.terms import RULE_NAMES
from fedfact.settlement import statement


class Half(Rule):
    """Everybody gets half of what the rebate rule would give it, and no charge is asked for."""

    name = "half"
    gives = "rebate"
    guarantees = ("You end no worse than alone.",)

    def among(self, agents):
        return 2 * (agents - 1)

    def back_formula(self, of, kept):
        return "⌊(1 − ρ)·pool/(2(n − 1))⌋", f"⌊{kept}/(2·({of.agents} − 1))⌋"


@pytest.fixture(autouse=True)
def half():
    register(Half())
    yield RULES["half"]
    del RULES["half"]
    RULE_NAMES.remove("half")


def test_it_settles_and_explains_itself():
    agents = Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    found, full = (
        settle(agents, Terms(error_scale=1.0, unit=1e-6, rule=rule)) for rule in ("half", "rebate")
    )
    assert found.fee.tolist() == full.fee.tolist()
    assert found.rebate.tolist() == [310, 416, 439]  # of pools 1242, 1666 and 1757, by four
    assert (found.charge == 0).all()
    assert found.surplus == found.fee.sum() - found.rebate.sum() > full.surplus
    told = statement(found, "a")
    assert [line.name for line in told.lines] == ["fee", "penalty", "rebate", "net"]
    assert told.lines[2].filled == "⌊(1 − 0)·1242/(2·(3 − 1))⌋"


def test_it_advises():
    terms = Terms(error_scale=1.0, unit=1e-6, rule="half")
    applicant = Applicant(1e-6, terms, others_like(1e-6, terms, 6, None), knows_reports=False)
    advice = advise(applicant)
    assert [outcome.rule for outcome in advice.outcomes] == ["rebate", "half", "sandwich"]
    assert advice.outcome.worst == advice.outcome.best
    full = next(outcome for outcome in advice.outcomes if outcome.rule == "rebate")
    assert advice.alone - advice.outcome.best == pytest.approx((advice.alone - full.best) / 2)
    assert "half" in advice.deviations[0].added


def test_a_federation_runs_by_it_and_verifies(make_house, sound):
    house = make_house(agents=4, rule="half")
    house.run()
    record = sound(house)
    assert record.phase == "finished"
    assert record.settled.rule == "half"
    assert all(line.rebate > 0 == line.charge for line in record.lines.values())


def test_terms_that_name_no_rule_are_refused():
    with pytest.raises(ValueError, match="rule is 'halve'; choose sandwich or rebate or half"):
        Terms(rule="halve")
