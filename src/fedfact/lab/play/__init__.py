"""Agents that play to win: best replies, no-regret learners, equilibria.

`fedfact.lab` offers `equilibrium`, `hedge` and `realfm`, which are modules here.
"""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .dynamics import Dynamics, contributions, replies
    from .equilibrium import Equilibrium, RuleEnd
    from .hedge import Learned
    from .realfm import RealFMPlay

__all__ = [
    "Dynamics",
    "Equilibrium",
    "Learned",
    "RealFMPlay",
    "RuleEnd",
    "contributions",
    "replies",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "Dynamics": "dynamics",
        "Equilibrium": "equilibrium",
        "Learned": "hedge",
        "RealFMPlay": "realfm",
        "RuleEnd": "equilibrium",
        "contributions": "dynamics",
        "replies": "dynamics",
    },
)
