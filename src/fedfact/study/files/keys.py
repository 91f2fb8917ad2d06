"""What a study's summary holds, key by key.

Every rule has its own keys, made from its name, so a new rule appears by itself; a summary that was
written before there was such a rule has none of them and is read all the same.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ...mechanism import RULES

READINGS = ("fact_paper", "fact_realised", "fact_believed")
"""The loss under FACT as the paper counts it, by three chances to win."""


def fact_of(rule: str) -> str:
    """The key of the loss that a rule leaves an agent with.

    The paper's own rule has a key that says how it differs from the paper's readings.

    >>> fact_of("rebate"), fact_of("sandwich")
    ('fact_rebate', 'fact_settled')
    """
    known = RULES.get(rule)
    return "fact_settled" if known and known.from_paper else f"fact_{rule}"


def rational_of(rule: str) -> str:
    """The key of the check that nobody ends worse than alone under a rule."""
    return f"rational_{rule}"


def by_curve_of(rule: str) -> str:
    """The key of the loss that a rule leaves an agent with by the curve."""
    return f"by_curve_{rule}"


def deviation_cost_of(rule: str) -> str:
    """The key of what an agent loses, by the curve, by not keeping its word under a rule."""
    return f"deviation_cost_{rule}"


def facts(rules: Iterable[str]) -> tuple[str, ...]:
    """All losses under FACT: the paper's readings, then what each of these rules leaves."""
    return (*READINGS, *map(fact_of, rules))


def rules_of(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """The rules that a study was settled by."""
    return tuple(summary["arms"][0]["settlement"])


def measured_of(arm: Mapping[str, Any]) -> tuple[str, ...]:
    """The rules that an arm was settled by with measured losses, and not only by the curve."""
    return tuple(rule for rule, of in arm["settlement"].items() if of["input"] == "measured")
