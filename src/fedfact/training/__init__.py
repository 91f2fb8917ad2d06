"""Training: AgentUpdate (Algorithm 3), federated averaging (Algorithm 1), and every agent alone."""

from .algorithm import Federated, train_federated, train_local
from .checkpoint import Checkpoint
from .curve import Curve
from .engine import Machine
from .evaluate import Score
from .job import Job
from .recipe import RECIPES, Recipe
from .setup import prepare

__all__ = [
    "RECIPES",
    "Checkpoint",
    "Curve",
    "Federated",
    "Job",
    "Machine",
    "Recipe",
    "Score",
    "prepare",
    "train_federated",
    "train_local",
]
