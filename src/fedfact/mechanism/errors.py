"""The one exception by which an input is refused, and the remedy for a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """An input that is refused. The message says what is wrong and what to do instead.

    ``index`` is the position of the agent at fault, where one agent is.
    """

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


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
