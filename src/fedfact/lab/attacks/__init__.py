"""Agents that do not play fair, and what each attack does under each rule."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .measure import AttackCell
    from .registry import NamedAttack, all_attacks, check_attacks
    from .table import AttackTable, attack

__all__ = ["AttackCell", "AttackTable", "NamedAttack", "all_attacks", "attack", "check_attacks"]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "AttackCell": "measure",
        "AttackTable": "table",
        "NamedAttack": "registry",
        "all_attacks": "registry",
        "attack": "table",
        "check_attacks": "registry",
    },
)
