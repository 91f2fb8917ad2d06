"""Training: AgentUpdate (Algorithm 3), federated averaging (Algorithm 1), and every agent alone.

What is offered here is imported when it is asked for: a federation reads a training plan without
PyTorch.
"""

from typing import TYPE_CHECKING

from ..lazy import lazily as _lazily

if TYPE_CHECKING:
    from .algorithm import Federated, train_federated, train_local
    from .augmentation.settings import Augmentation
    from .checkpoint import Checkpoint
    from .curve import TrainingCurve
    from .engines.engine import Machine
    from .evaluate import Score
    from .job import Job
    from .recipe import RECIPES, Recipe
    from .setup import prepare

__all__ = [
    "RECIPES",
    "Augmentation",
    "Checkpoint",
    "Federated",
    "Job",
    "Machine",
    "Recipe",
    "Score",
    "TrainingCurve",
    "prepare",
    "train_federated",
    "train_local",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "RECIPES": "recipe",
        "Augmentation": "augmentation.settings",
        "Checkpoint": "checkpoint",
        "TrainingCurve": "curve",
        "Federated": "algorithm",
        "Job": "job",
        "Machine": "engines.engine",
        "Recipe": "recipe",
        "Score": "evaluate",
        "prepare": "setup",
        "train_federated": "algorithm",
        "train_local": "algorithm",
    },
)
