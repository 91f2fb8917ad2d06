"""Data sets, and how their samples are dealt out to agents. Pure numpy: no torch here."""

from .dataset import Dataset, Samples
from .load import DATASETS, load
from .partition import partition

__all__ = ["DATASETS", "Dataset", "Samples", "load", "partition"]
