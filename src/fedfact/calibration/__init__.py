"""Where the curve of the terms comes from: trainings at several sizes, a fit, a lower bound.

Maths on numpy and scipy; only `trained`, which trains, needs PyTorch.
"""

from .bound import Saving
from .calibrate import Calibration, calibrate
from .document import document, terms_lines
from .fit import Fitted, PowerLaw
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
