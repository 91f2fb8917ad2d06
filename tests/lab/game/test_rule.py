"""What every rule does with a table, and the tables that it refuses."""

import numpy as np
import pytest

from fedfact.errors import InputError
from fedfact.lab import Setting, Table
from fedfact.mechanism import Terms


def given_costs(costs, terms):
    return Setting(terms, len(costs), "given", tuple(costs))


def test_losses_have_the_shape_of_what_is_asked():
    """Also where a rule does not ask for reports."""
    setting = Setting.read(agents=4)
    cost = setting.population(0)
    for rule in setting.rules():
        table = Table.of(setting.terms, cost, rule.agreed(setting.terms, cost))
        asked = rule.losses_if(table, cost, cost[:, None] * np.ones(3), table.samples[:, None])
        assert asked.shape == (4, 3)


BAD_TABLES = {
    "negative report": ([1.0, -1.0, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "no report": ([1.0, np.nan, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "zero report": ([1.0, 0.0, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "endless report": ([1.0, np.inf, 2.0], [1.0, 1.0, 1.0], "a report is not above 0"),
    "zero samples": ([1.0, 1.0, 2.0], [1.0, 0.0, 1.0], "samples is not above 0; leave out"),
    "no samples": ([1.0, 1.0, 2.0], [1.0, np.nan, 1.0], "samples is not above 0; leave out"),
    "unequal": ([1.0, 1.0, 2.0], [1.0, 1.0], "one of each for every agent"),
    "nobody": ([], [], "one of each for every agent"),
}


@pytest.mark.parametrize(("reports", "samples", "wrong"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_outcomes_of_nonsense_are_refused(reports, samples, wrong):
    setting = given_costs((1.0, 1.0, 2.0), Terms(error_scale=50.0))
    for rule in setting.rules():
        with pytest.raises(InputError, match=wrong):
            rule.outcome(setting.terms, reports, samples)


@pytest.mark.parametrize("name", ["sandwich", "sandwich-paper", "rebate"])
def test_two_agents_are_no_federation(name):
    """No group of three can be drawn, nor a rebate be paid."""
    rule = Setting.read(agents=3).rule(name, 3)
    with pytest.raises(InputError, match=f"{name} needs 3 agents, and there are 2"):
        rule.outcome(Terms(error_scale=1e6), [1.0, 1.1], [1000, 1000])
