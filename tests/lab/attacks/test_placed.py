"""The gain of the best-placed attackers."""

import numpy as np
import pytest

from fedfact.lab import Setting, attack
from fedfact.lab.attacks.placed import best_placed, gain_of
from fedfact.lab.attacks.registry import all_attacks
from fedfact.lab.attacks.target import Target
from fedfact.mechanism import Terms

NAMED = {each.name: each for each in all_attacks(16)}
COSTS = (0.2, 0.7, 1.0, 1.3, 1.9, 2.5)


@pytest.mark.parametrize(("name", "rule"), [("sybil", "rebate"), ("merged", "shared")])
def test_of_given_costs_it_is_the_best_of_all_sets(name, rule):
    setting = Setting(Terms(error_scale=50.0), 6, "given", COSTS)
    (cell,) = attack(setting, rules=[rule], attacks=[name]).cells
    assert cell.exact
    played = setting.rule(rule)
    found = []
    a = NAMED[name].attackers
    for first in range(6 - a + 1):  # neighbours are among the sets
        chosen = np.arange(first, first + a)
        cost = np.concatenate([np.array(COSTS)[chosen], np.delete(COSTS, chosen)])[None]
        target = Target(played, setting, cost)
        found.append(float(gain_of(target, NAMED[name].attack(target), a)[0]))
    assert cell.best_gain >= max(found) - 1e-3
    assert cell.best_gain > cell.gain


def test_the_median_over_populations_at_the_best_place():
    """Under the sandwich a report of the median pays those at the ends most."""
    setting = Setting.read("expon", 9)
    cost = setting.populations(60, 1)
    gain, place = best_placed(
        Target(setting.rule("sandwich"), setting, cost), NAMED["median"], None
    )
    assert place == 0
    ranked = np.sort(cost, axis=-1)
    target = Target(setting.rule("sandwich"), setting, ranked)
    found = gain_of(target, NAMED["median"].attack(target), 1)
    assert gain == pytest.approx(np.median(found), rel=1e-9)


def test_an_attacker_that_has_a_place_keeps_it():
    (cell,) = attack(
        Setting.read(), populations=50, rules=["sandwich"], attacks=["median-low"]
    ).cells
    assert cell.best_place == 0.05
    assert cell.best_gain == pytest.approx(cell.gain, abs=0.1)
