"""A training that is done once and kept: resumed where it was killed, never taken for another's."""

from .planned import Planned, train_all
from .run import check, run
from .summary import summary
from .training import PAUSE, Half, Kind, Resumable, clear, damaged, keep, read_kept

__all__ = [
    "PAUSE",
    "Half",
    "Kind",
    "Planned",
    "Resumable",
    "check",
    "clear",
    "damaged",
    "keep",
    "read_kept",
    "run",
    "summary",
    "train_all",
]
