"""Which rules are played: by name, as games of one's own, and as the mechanism has them."""

import pytest

from fedfact.errors import InputError
from fedfact.lab import Setting, attack, compare, equilibrium
from fedfact.mechanism import RULES


@pytest.mark.parametrize("play", [equilibrium, attack, compare])
def test_unknown_rules_are_refused(play):
    with pytest.raises(InputError, match="rule 'rebat' is not known; did you mean rebate"):
        play(Setting.read(agents=4), rules=["rebat"])
    with pytest.raises(InputError, match="no rule is given"):
        play(Setting.read(agents=4), rules=[])


def test_one_rule_by_name_or_object():
    setting = Setting.read(agents=4)
    with pytest.raises(InputError, match="did you mean rebate"):
        setting.rule("rebat", 4)
    assert setting.rule(RULES["rebate"]).name == "rebate"


def test_two_rules_of_one_name_are_refused():
    with pytest.raises(InputError, match="2 rules are named rebate"):
        Setting.read(agents=4).rules(["rebate", RULES["rebate"]])
