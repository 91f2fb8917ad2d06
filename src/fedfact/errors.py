"""What can go wrong and is not a fault of ours, and the remedy for a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


class FedfactError(Exception):
    """Something that the user can see to. The message says what is wrong and what to do instead."""


class InputError(FedfactError, ValueError):
    """An input that is refused.

    ``index`` is the position of the agent at fault, where one agent is.
    """

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class LedgerError(FedfactError):
    """A ledger that cannot be read, written or reached, or that is damaged."""


class TrainingError(FedfactError):
    """Training that cannot start or go on, such as one that went astray or has no device."""


class DeploymentError(FedfactError):
    """A federation's processes that do not start, do not stop or do not get on."""


def check_keys(keys: Iterable[str], known: Iterable[str], where: str = "") -> None:
    """Refuse a key that is not known, with the nearest one that is."""
    known = tuple(known)
    for key in keys:
        if key not in known:
            remedy = did_you_mean(key, known) or f"the keys are {', '.join(known)}"
            raise InputError(f"unknown key {key!r}{where}; {remedy}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest of the known names, as a question; nothing where none is near."""
    near = get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""
