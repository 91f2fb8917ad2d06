"""How long-running work reports its progress to a caller that shows it."""

from typing import Protocol


class Progress(Protocol):
    """Called now and then by long work, the last time with ``done`` equal to ``total``."""

    def __call__(self, what: str, done: int, total: int, unit: str) -> None:
        """``what`` is a short name of the work; ``unit`` is what is counted ("B", "images")."""


def silent(what: str, done: int, total: int, unit: str) -> None:
    """Report to nobody."""
