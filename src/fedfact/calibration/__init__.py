"""Where the curve of the terms comes from: trainings at several sizes, a fit, a lower bound.

Maths on numpy and scipy; only `trained`, which trains, needs PyTorch. What is offered here is
imported when it is asked for, since scipy loads slowly.
"""

from typing import TYPE_CHECKING

from ..lazy import lazily as _lazily

if TYPE_CHECKING:
    from .bound import Saving
    from .calibration import Calibration, calibrate
    from .fit import Fitted, PowerLaw
    from .output import document, terms_lines
    from .runs import Runs, Sizes, read_runs

__all__ = [
    "Calibration",
    "Fitted",
    "PowerLaw",
    "Runs",
    "Saving",
    "Sizes",
    "calibrate",
    "document",
    "read_runs",
    "terms_lines",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "Calibration": "calibration",
        "Fitted": "fit",
        "PowerLaw": "fit",
        "Runs": "runs",
        "Saving": "bound",
        "Sizes": "runs",
        "calibrate": "calibration",
        "document": "output",
        "read_runs": "runs",
        "terms_lines": "output",
    },
)
