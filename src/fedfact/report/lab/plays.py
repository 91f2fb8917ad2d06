"""What the lab's documents say, as its charts read them: three ways to play, rule by rule."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from ..base.style import BLUE, GREEN, ORANGE
from ..base.words import listed, number, percent

ALONE = "local"
"""The rule that is no federation: what the others are measured by."""

_NAME = 17  # letters of a rule's name that fit beside a picture

_PLAYS = (
    ("true", "truthful", "tell the truth", BLUE),
    ("strategic", "strategic", "may lie", ORANGE),
    ("learned", "learning", "learn what pays", GREEN),
)


@dataclass(frozen=True, eq=False)
class RulePlay:
    """An equilibrium of every rule.

    Attributes:
        label: what agents are.
        does: what they do.
        rules: the document's entries by name, in the order of the document.
    """

    key: str
    label: str
    does: str
    colour: str
    rules: dict[str, dict[str, Any]]

    def value(self, rule: str, *keys: str) -> float:
        """A number of a rule; not a number where there is none."""
        at: Any = self.rules.get(rule)
        for key in keys:
            at = None if at is None else at.get(key)
        return math.nan if at is None else float(at)


def plays_of(document: dict[str, Any]) -> list[RulePlay]:
    """True, strategic and, where it was played, learned."""
    return [
        RulePlay(
            key, label, does, colour, {rule["rule"]: _read(rule) for rule in document[key]["rules"]}
        )
        for key, label, does, colour in _PLAYS
        if document.get(key) is not None
    ]


def _read(part: Any) -> Any:
    """The same with NaN for None: a number without end, for which a document has no word."""
    if isinstance(part, dict):
        return {key: _read(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_read(value) for value in part]
    return math.nan if part is None else part


def spoken(title: str) -> str:
    """A rule's name in a sentence, where a comma would end it."""
    return title.replace(", ", " with ")


def spoken_of(plays: Sequence[RulePlay]) -> dict[str, str]:
    """The rules and their names in sentences."""
    return {name: spoken(title) for name, title in titles_of(plays).items()}


def titles_of(plays: Sequence[RulePlay]) -> dict[str, str]:
    """The rules and what they are called, in their order."""
    return {name: str(rule["title"]) for play in plays for name, rule in play.rules.items()}


def federations(names: Iterable[str]) -> list[str]:
    """All but training alone, unless there is nothing else."""
    every = list(names)
    return [name for name in every if name != ALONE] or every


def short(title: str) -> str:
    """A rule's name on several lines."""
    return fill(title, _NAME, break_long_words=False)


def named(names: Sequence[str], otherwise: str = "no rule") -> str:
    """a, b and c, names of rules; ``otherwise`` where there are none."""
    return listed(names) if names else otherwise


def all_but(names: Sequence[str], exceptions: Sequence[str]) -> str:
    """Of so many rules those that are no exceptions: "every rule but a and b"."""
    if not exceptions:
        return "every rule" if len(names) > 1 else named(names)
    return "no rule" if len(exceptions) == len(names) else f"every rule but {named(exceptions)}"


def some(names: Sequence[str], of: Sequence[str]) -> str:
    """a, b and c, or "every rule", or "no rule"."""
    return "every rule" if len(names) == len(of) > 1 else named(names)


def alike(plays: Sequence[RulePlay], told: Sequence[str]) -> str:
    """What is told of each play, once for those of which the same is told."""
    parts = []
    for text in dict.fromkeys(told):
        same = [play.does for play, own in zip(plays, told, strict=True) if own == text]
        who = "Whether agents " + " or ".join(same) if len(same) > 1 else f"Where agents {same[0]}"
        parts.append(f"{who}, {text}.")
    return " ".join(parts)


def times(value: float) -> str:
    """How far from the truth, a part of the cost: 8 %, 420 %, 35 times, 1e8 times."""
    if value != value:
        return "–"
    if value < 10:
        return percent(value)
    if value < 1e5:
        return f"{number(value)} times"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits.removesuffix('.0')}e{int(power)} times"
