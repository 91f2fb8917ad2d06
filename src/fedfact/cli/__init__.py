"""The command line: thin commands, no logic."""

from .app import main

__all__ = ["main"]
