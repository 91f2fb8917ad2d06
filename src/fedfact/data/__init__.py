"""Data sets, and how their samples are dealt out to agents. Pure numpy: no torch here."""

from .dataset import Dataset, Samples
from .partition import partition
from .registry import DATASETS, load

__all__ = ["DATASETS", "Dataset", "Samples", "load", "partition"]
