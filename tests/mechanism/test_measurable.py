"""Rules that cannot settle by measured losses say so, rather than settle as another rule would."""

import numpy as np
import pytest

from fedfact import Population, Terms, settle
from fedfact.errors import InputError
from fedfact.mechanism import RULES


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_settles_measured_losses_or_refuses_them(rule):
    losses = {"local_loss": np.full(3, 0.9), "federated_loss": np.full(3, 0.5)}
    population = Population(list("abc"), np.full(3, 1e-4), np.full(3, 100), **losses)
    if RULES[rule].measurable:
        assert settle(population, Terms(rule=rule), seed=0).input == "measured"
        return
    with pytest.raises(InputError, match=r"leave them out \(settle --input analytic\), or take"):
        settle(population, Terms(rule=rule), seed=0)


def test_shared_does_not():
    assert [name for name, rule in RULES.items() if not rule.measurable] == ["shared"]
