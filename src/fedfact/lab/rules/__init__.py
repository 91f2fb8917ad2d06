"""FACT and its rivals as games."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .registry import all_rules, check_names, rule_names, select_rules
    from .settled import SettledRule

__all__ = ["SettledRule", "all_rules", "check_names", "rule_names", "select_rules"]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "SettledRule": "settled",
        "all_rules": "registry",
        "check_names": "registry",
        "rule_names": "registry",
        "select_rules": "registry",
    },
)
