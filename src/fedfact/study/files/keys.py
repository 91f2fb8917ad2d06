"""What a study's summary holds, key by key.

Every rule has its own keys, made from its name, so a new rule appears by itself; a summary that was
written before there was such a rule has none of them and is read all the same.
"""

from collections.abc import Iterable, Mapping
from typing import Any

PAPER = "sandwich"
"""The paper's own rule, whose draw and chances the paper's figures are about."""

READINGS = ("fact_paper", "fact_realised", "fact_believed")
"""The loss under FACT as the paper counts it, by three chances to win."""

_FACT = {PAPER: "fact_settled"}


def fact_of(rule: str) -> str:
    """The key of the loss that a rule leaves an agent with.

    >>> fact_of("rebate"), fact_of(PAPER)  # the latter beside what the paper says of it
    ('fact_rebate', 'fact_settled')
    """
    return _FACT.get(rule, f"fact_{rule}")


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
