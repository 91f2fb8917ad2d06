"""Training on one member's machine: models come and go as bytes."""

from .average import check_update, mean_of
from .site import Site, score

__all__ = ["Site", "check_update", "mean_of", "score"]
