"""Augmentation: training images changed at random, anew each time one is used."""

from .settings import Augmentation

__all__ = ["Augmentation"]
