"""All attacks of the table, by name."""

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import InputError, did_you_mean
from .coalitions import colluders, leavers
from .identities import merged, sized, sybil
from .single import (
    best_reply,
    free_rider,
    imitator,
    learner,
    median,
    misreport,
    saboteur,
    unverified,
)
from .target import Attack

LOW = 0.05
"""The quantile of the attacker that has more to gain from the median than others."""

BY = 0.2
"""The part of its cost that an agent adds or takes away when it lies."""


@dataclass(frozen=True)
class NamedAttack:
    """An attack, its name and what it is, how many take part, and of how many agents at least."""

    name: str
    title: str
    about: str
    attackers: int
    attack: Attack
    quantile: float | None = None
    least: int = 3

    def document(self) -> dict[str, str | int]:
        """What it is, as tables say it."""
        return {
            "attack": self.name,
            "title": self.title,
            "about": self.about,
            "attackers": self.attackers,
        }


def all_attacks(agents: int, by: float = BY) -> list[NamedAttack]:
    """Every attack, for so many agents; liars add or take away the part ``by`` of their cost."""
    half = max(2, agents // 2)
    more, less = (f"{word} its cost by {100 * by:g} %" for word in ("inflates", "deflates"))
    best = "uses what is then best"
    some = "they know the distribution of costs only"
    known = "they know what all others report"
    cheap = f"reports the median, at quantile {LOW:g}"
    told = "which it knows, of the distribution of costs; and uses what is then best"
    claims = "uses nothing, claims much, and reports what is best"
    posing = "all reports known; what is best under that name, or those names"
    true = "the same, where sizes are verified: the size of both, or half of it for each"
    apart = "train apart, on the cheapest data of theirs, and share without a rule"
    return [
        NamedAttack("inflate", more, best, 1, misreport(1 + by)),
        NamedAttack("deflate", less, best, 1, misreport(1 - by)),
        NamedAttack("median", "reports the median", told, 1, median),
        NamedAttack(
            "median-low", cheap, "one of the cheapest, who gain most by it", 1, median, LOW
        ),
        NamedAttack(
            "best-reply", "best reply", "knows all reports; does what is best", 1, best_reply
        ),
        NamedAttack("learner", "no-regret learner", "Hedge, after many rounds", 1, learner),
        NamedAttack("imitator", "imitates winners", "reports what winners reported", 1, imitator),
        NamedAttack(
            "free-rider", "free rider, verified", "uses a tenth of its data", 1, free_rider
        ),
        NamedAttack("unverified", "free rider, unverified", claims, 1, unverified),
        NamedAttack("saboteur", "saboteur", "reports a million times its cost", 1, saboteur),
        NamedAttack("collude-2", "two collude", some, 2, colluders(2, "distribution")),
        NamedAttack("collude-2-known", "two collude, costs known", known, 2, colluders(2, "all")),
        NamedAttack("collude-3", "three collude", some, 3, colluders(3, "distribution"), least=4),
        NamedAttack(
            "collude-3-known", "three collude, costs known", known, 3, colluders(3, "all"), least=4
        ),
        NamedAttack("merged", "two pose as one", posing, 2, merged, least=4),
        NamedAttack("sybil", "one poses as two", posing, 1, sybil),
        NamedAttack("merged-sized", "two as one, size true", true, 2, sized(merged), least=4),
        NamedAttack("sybil-sized", "one as two, sizes true", true, 1, sized(sybil)),
        NamedAttack("leave-3", "three leave", apart, 3, leavers(3), least=6),
        NamedAttack("leave-half", "half of all leave", apart, half, leavers(half), least=5),
    ]


def check_attacks(names: Iterable[str], agents: int | None = None) -> None:
    """Refuse an attack that is not there, or that needs more agents than there are."""
    known = [each.name for each in all_attacks(6)]
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f"choose from {', '.join(known)}"
            raise InputError(f"attack {name!r} is not known; {near}")
    for each in all_attacks(6 if agents is None else agents):
        if agents is not None and each.name in names and agents < each.least:
            raise InputError(
                f"attack {each.name} needs {each.least} agents, and there are {agents}; take more "
                "agents, or leave it out"
            )


def check_by(by: float) -> None:
    """Refuse a lie that is none, or that leaves no cost."""
    if not 0 < by < 1:
        raise InputError(f"a lie by {100 * by:g} % is none, or leaves no cost; take 1 to 99 %")
