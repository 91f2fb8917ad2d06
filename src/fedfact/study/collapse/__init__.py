"""The free-rider dilemma trained for real: the model that each rule ends with."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .result import Collapse, TrainedCase
    from .run import recipe_of, run_collapse

__all__ = ["Collapse", "TrainedCase", "recipe_of", "run_collapse"]

__getattr__, __dir__ = _lazily(
    __name__,
    {"TrainedCase": "result", "Collapse": "result", "recipe_of": "run", "run_collapse": "run"},
)
