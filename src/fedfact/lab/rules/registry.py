"""All rules of the lab, in the order of its tables, and how those wanted are chosen from them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...errors import InputError, did_you_mean
from ...mechanism import RULES, Rule, Terms
from ..game.rule import GameRule
from .auction import Auction
from .benchmarks import FirstBest, Groves
from .paper_sandwich import PaperSandwich
from .penalised import Penalised
from .plain import Local, PlainFederated
from .realfm import RealFM
from .settled import SettledRule
from .shaping import Shaping

Choice = str | GameRule | Rule
"""A rule to play: by its name, as a game of one's own, or as the mechanism has it."""

Choices = Choice | Sequence[Choice]
"""One rule to play, or several."""


def all_rules(terms: Terms, agents: int, median: float) -> list[GameRule]:
    """Every rule, for so many agents; after them the benchmarks.

    What the server of an auction or of RealFM has to fix beforehand follows from the median of the
    distribution of costs, and from no report: a job is what an agent of that cost would use alone,
    every second agent gets one, and profit is counted from a model of one job on.
    """
    job = float(terms.curve.optimum(median))
    return [
        Local(),
        PlainFederated(),
        Penalised(),
        PaperSandwich(),
        *(SettledRule(rule) for rule in RULES.values()),
        Shaping(),
        RealFM(start=job),
        Auction(jobs=max(1, agents // 2), size=job),
        Groves(),
        FirstBest(),
    ]


def rule_names() -> tuple[str, ...]:
    """Of all of them, in the order of tables; for how many agents makes no difference."""
    return tuple(rule.name for rule in all_rules(Terms(error_scale=1.0), 3, 1.0))


def select_rules(rules: Sequence[GameRule], wanted: Choices) -> list[GameRule]:
    """Of the rules those named, in their order, and after them the rules given as objects."""
    given = [wanted] if isinstance(wanted, Choice) else list(wanted)
    names = [each for each in given if isinstance(each, str)]
    check_names(names)
    named = {rule.name: rule for rule in rules}
    objects = [_game(each) for each in given if not isinstance(each, str)]
    chosen = [*(named[name] for name in sorted(names, key=list(named).index)), *objects]
    if not chosen:
        raise InputError("no rule is given; leave the rules out to play them all")
    name, count = Counter(rule.name for rule in chosen).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"{count} rules are named {name}; keep one, or give each a name of its own"
        )
    return chosen


def _game(rule: GameRule | Rule) -> GameRule:
    if isinstance(rule, Rule):
        return SettledRule(rule)
    if not isinstance(rule, GameRule):
        raise InputError(f"{rule!r} is no rule; give a name, or a fedfact.lab.GameRule")
    for attribute in ("name", "title"):
        if not hasattr(rule, attribute):
            raise InputError(f"{type(rule).__name__} has no {attribute}; tables need one")
    return rule


def check_names(names: Iterable[str]) -> None:
    """Refuse a rule that is not there."""
    known = rule_names()
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f"choose from {', '.join(known)}"
            raise InputError(f"rule {name!r} is not known; {near}")
