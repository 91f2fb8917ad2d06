"""The lab: strategic agents against FACT and its rivals."""

from .attacks.measure import AttackCell
from .attacks.table import AttackTable, attack
from .comparison import Comparison, compare
from .game.rule import Belief, Deal, GameRule, Knows
from .game.table import Table
from .play.dynamics import Dynamics, replies
from .play.equilibrium import Equilibrium, RuleEnd, equilibrium
from .play.hedge import Learned, hedge
from .play.realfm import RealFMPlay, realfm
from .rules.registry import all_rules, rule_names
from .setting import COSTS, TERMS, Setting
from .sweep import Sweep, sweep

__all__ = [
    "COSTS",
    "TERMS",
    "AttackCell",
    "AttackTable",
    "Belief",
    "Comparison",
    "Deal",
    "Dynamics",
    "Equilibrium",
    "GameRule",
    "Knows",
    "Learned",
    "RealFMPlay",
    "RuleEnd",
    "Setting",
    "Sweep",
    "Table",
    "all_rules",
    "attack",
    "compare",
    "equilibrium",
    "hedge",
    "realfm",
    "replies",
    "rule_names",
    "sweep",
]
