"""Engines: the plain one, CPU workers, CUDA graphs. All answer to one interface."""

from .engine import Engine, Machine

__all__ = ["Engine", "Machine"]
