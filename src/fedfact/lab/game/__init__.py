"""The game that rules set: who said and used what, and what each agent gets and pays."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .observed import Observed, observe
    from .rule import Belief, Deal, GameRule, Knows
    from .table import Table

__all__ = ["Belief", "Deal", "GameRule", "Knows", "Observed", "Table", "observe"]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "Belief": "rule",
        "Deal": "rule",
        "GameRule": "rule",
        "Knows": "rule",
        "Observed": "observed",
        "Table": "table",
        "observe": "observed",
    },
)
