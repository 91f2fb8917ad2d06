"""How long-running work reports its progress to a caller that shows it."""

from collections.abc import Sequence
from typing import Protocol


class Progress(Protocol):
    """Called now and then by long work, the last time with ``done`` equal to ``total``."""

    def __call__(self, what: str, done: int, total: int, unit: str) -> None:
        """``what`` is a short name of the work; ``unit`` is what is counted ("B", "images")."""


def silent(what: str, done: int, total: int, unit: str) -> None:
    """Report to nobody."""


def part_of(
    progress: Progress,
    name: str,
    before: float,
    size: float,
    whole: float,
    pieces: Sequence[str] = ("",),
) -> Progress:
    """Progress of one work as a part of all: it is ``size`` of ``whole``, after ``before``.

    Where it comes in several pieces of the same size, ``pieces`` names them in their order.
    """
    each = size / len(pieces)

    def told(what: str, done: int, total: int, unit: str) -> None:
        first = each * pieces.index(what) if len(pieces) > 1 else 0
        progress(name, int(before + first + each * done / max(total, 1)), int(whole), unit)

    return told
