"""The lab: strategic agents against FACT and its rivals."""

from .rule import Belief, Deal, Knows, Rule
from .rules import NAMES, all_rules
from .setting import COSTS, TERMS, Setting
from .table import Table

__all__ = [
    "COSTS",
    "NAMES",
    "TERMS",
    "Belief",
    "Deal",
    "Knows",
    "Rule",
    "Setting",
    "Table",
    "all_rules",
]
