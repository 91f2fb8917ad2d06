"""What a study's summary holds, key by key.

Every rule has its own keys, made from its name, so a new rule appears by itself; a summary that was
written before there was such a rule has none of them and is read all the same.
"""

from collections.abc import Iterable
from typing import Any

PAPER = "sandwich"
"""The paper's own rule, whose draw and chances the paper's figures are about."""

READINGS = ("fact_paper", "fact_realised", "fact_believed")
"""The loss under FACT as the paper counts it, by three chances to win."""

_FACT = {PAPER: "fact_settled"}

_ARM: dict[str, tuple[str, ...]] = {
    "accuracy": ("local", "federated"),
    "loss": ("local", "federated"),
    "ratio": (),
    "at_local_loss": (),
    "spread": ("agent", "mean"),
    "truthfulness": ("added", "simulated_at", "trials", "believed", "simulated", "realised"),
    "penalty": ("samples", "optimum", "curves"),
    "checks": ("contribution",),
    "settlement": (PAPER,),
}
"""The tables that an arm of a summary has, and what is in each besides the keys of the rules."""
_SUMMARY = ("study", "title", "dataset", "agents", "seeds", "unit", "classes", "arms")


def fact_of(rule: str) -> str:
    """The key of the loss that a rule leaves an agent with.

    >>> fact_of("rebate"), fact_of(PAPER)  # the latter beside what the paper says of it
    ('fact_rebate', 'fact_settled')
    """
    return _FACT.get(rule, f"fact_{rule}")


def rational_of(rule: str) -> str:
    """The key of the check that nobody ends worse than alone under a rule."""
    return f"rational_{rule}"


def facts(rules: Iterable[str]) -> tuple[str, ...]:
    """All losses under FACT: the paper's readings, then what each rule leaves."""
    return (*READINGS, *map(fact_of, rules))


def rules_of(summary: dict[str, Any]) -> tuple[str, ...]:
    """The rules that a study was settled by."""
    return tuple(summary["arms"][0]["settlement"])


def has(document: Any, keys: Iterable[str]) -> bool:
    """Whether it is an object with these keys."""
    return isinstance(document, dict) and set(keys) <= set(document)


def is_summary(document: Any) -> bool:
    """Whether it has all that a report takes from it, for the same rules in every arm."""
    if not has(document, _SUMMARY) or not isinstance(document["arms"], list):
        return False
    arms = document["arms"]
    return bool(arms) and all(_is_arm(arm, arms[0]) for arm in arms)


def _is_arm(arm: Any, first: Any) -> bool:
    sound = has(arm, ("arm", "partition", "deviators")) and isinstance(arm["deviators"], list)
    if not sound or not all(has(arm.get(table), keys) for table, keys in _ARM.items()):
        return False
    rules = list(arm["settlement"])
    wanted = {
        "loss": facts(rules),
        "ratio": facts(rules),
        "at_local_loss": rules,
        "checks": map(rational_of, rules),
    }
    alike = rules == list(first["settlement"]) and set(arm["at_local_loss"]) == set(rules)
    return alike and len(rules) > 1 and all(has(arm[table], keys) for table, keys in wanted.items())
