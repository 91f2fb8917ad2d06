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
    rebate = RULES["rebate"]
    for both in (["rebate", rebate], ["rebate", "rebate"], [rebate, rebate]):
        with pytest.raises(InputError, match="2 rules are named rebate; keep one"):
            Setting.read(agents=4).rules(both)


@pytest.mark.parametrize("rule", ["rebate", RULES["rebate"]])
def test_one_rule_needs_no_list(rule):
    setting = Setting.read(agents=4)
    assert [end.rule.name for end in equilibrium(setting, rules=rule).ends] == ["rebate"]
    found = compare(setting, rules=rule, populations=2, rounds=5)
    assert [row["rule"] for row in found.rows()] == ["rebate"]


def test_named_rules_come_in_the_order_of_tables():
    names = [rule.name for rule in Setting.read(agents=4).rules(["rebate", "local"])]
    assert names == ["local", "rebate"]


def test_what_is_no_rule_is_refused():
    with pytest.raises(InputError, match="3 is no rule; give a name"):
        Setting.read(agents=4).rules([3])
