"""All rules of the lab, in the order of its tables, and how those wanted are chosen from them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...errors import InputError, did_you_mean
from ...mechanism import RULES, Rule, Terms, local_optimum
from ...mechanism.rules import Rebate as RebateRule
from ...mechanism.rules import Sandwich as SandwichRule
from ..game.rule import GameRule
from .auction import Auction
from .penalised import Penalised
from .plain import Federated, Local
from .realfm import RealFM
from .rebate import Rebate
from .sandwich import PaperSandwich, Sandwich
from .settled import SettledRule
from .shaping import Shaping

NAMES = (
    "local",
    "federated",
    "penalised",
    "sandwich-paper",
    "sandwich",
    "rebate",
    "shaping",
    "realfm",
    "auction",
)

Choice = str | GameRule | Rule
"""A rule to play: by its name, as a game of one's own, or as the mechanism has it."""

_CLOSED_FORMS = {SandwichRule: Sandwich, RebateRule: Rebate}


def all_rules(terms: Terms, agents: int, median: float) -> list[GameRule]:
    """Every rule, for so many agents.

    What the server of an auction or of RealFM has to fix beforehand follows from the median of the
    distribution of costs, and from no report: a job is what an agent of that cost would use alone,
    every second agent gets one, and profit is counted from a model of one job on.
    """
    job = float(local_optimum(median, float(terms.required_error_scale)))
    return [
        Local(),
        Federated(),
        Penalised(),
        PaperSandwich(),
        *(as_game(rule) for rule in RULES.values() if _playable(rule)),
        Shaping(),
        RealFM(start=job),
        Auction(jobs=max(1, agents // 2), size=job),
    ]


def as_game(rule: Rule) -> GameRule:
    """A rule of our settlements as the lab plays it."""
    if not _playable(rule):
        raise InputError(
            f"the lab does not know how {rule.name} draws; play a fedfact.lab.GameRule instead"
        )
    closed = _CLOSED_FORMS.get(type(rule))
    return SettledRule(rule) if closed is None else closed()


def _playable(rule: Rule) -> bool:
    """Whether the lab knows how likely each report wins, where that matters."""
    return not rule.draws or type(rule) in _CLOSED_FORMS


def select_rules(rules: Sequence[GameRule], wanted: Sequence[Choice]) -> list[GameRule]:
    """Of the rules those named, in their order, and after them the rules given as objects."""
    names = [each for each in wanted if isinstance(each, str)]
    check_names(names)
    objects = [_game(each) for each in wanted if not isinstance(each, str)]
    chosen = [*(rule for rule in rules if rule.name in names), *objects]
    if not chosen:
        raise InputError("no rule is given; leave the rules out to play them all")
    name, count = Counter(rule.name for rule in chosen).most_common(1)[0]
    if count > 1:
        raise InputError(f"{count} rules are named {name}; give each a name of its own")
    return chosen


def _game(rule: GameRule | Rule) -> GameRule:
    if isinstance(rule, Rule):
        return as_game(rule)
    if not isinstance(rule, GameRule):
        raise InputError(f"{rule!r} is no rule; give a name, or a fedfact.lab.GameRule")
    for attribute in ("name", "title"):
        if not hasattr(rule, attribute):
            raise InputError(f"{type(rule).__name__} has no {attribute}; tables need one")
    return rule


def check_names(names: Iterable[str]) -> None:
    """Refuse a rule that is not there."""
    known = tuple(dict.fromkeys((*NAMES, *(r.name for r in RULES.values() if _playable(r)))))
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f"choose from {', '.join(known)}"
            raise InputError(f"rule {name!r} is not known; {near}")
