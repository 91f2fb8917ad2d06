"""The rules by which fees are given back. A rule is one object in one file, entered here."""

from ..terms import RULE_NAMES, Terms
from .figures import Figures, StatementLine
from .rebate import Rebate
from .rule import GIVEN, GivenBack, Rule
from .sandwich import Sandwich
from .shared import Shared

RULES: dict[str, Rule] = {}
"""Every rule by its name, in the order of tables."""


def register(rule: Rule) -> None:
    """Make a rule known, so that terms can name it."""
    RULES[rule.name] = rule
    RULE_NAMES[:] = list(RULES)


register(Sandwich())
register(Rebate())
register(Shared())

PAPER_RULE: Rule = next(rule for rule in RULES.values() if rule.from_paper)
"""The paper's own rule, whose draw and chances the paper's figures are about."""


def rule_of(terms: Terms) -> Rule:
    """The rule that the terms name: how fees are given back (Algorithm 2)."""
    return RULES[terms.rule]


__all__ = [
    "GIVEN",
    "PAPER_RULE",
    "RULES",
    "Figures",
    "GivenBack",
    "Rebate",
    "Rule",
    "Sandwich",
    "Shared",
    "StatementLine",
    "register",
    "rule_of",
]
