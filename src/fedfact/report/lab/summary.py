"""What a rule did in the lab, in a line: its samples, its losses, and what attacks did to it."""

import math
from dataclasses import dataclass
from typing import Any

from .plays import RulePlay, plays_of, spoken, titles_of

KEEPS = 0.99
"""Of the samples that agents use who tell the truth: as good as all."""

UNSEEN = ("unverified", "sybil", "sybil-sized")
"""Attacks of one agent that need more than a report: samples that nobody checks, a second name."""

CLAIMED = ("unverified",)
"""Attacks with samples that nobody counts, which every rule here supposes are counted."""

SMALL = 1e-4
"""Of the loss alone: less than anybody would lie for, or lose sleep over."""


@dataclass(frozen=True)
class Hit:
    """An attack on a rule: its name, and what an attacker gains, on average and if well placed."""

    attack: str
    amount: float
    placed: float
    pays: bool
    single: bool
    """One agent, under its own name, whose samples are checked: it can only lie and hold back."""


@dataclass(frozen=True, eq=False)
class RuleSummary:
    """A rule with true reports, with strategic ones, and under attack.

    Attributes:
        hits: the attacks that can be tried on it where samples are counted, the one that brings
            most first; ``claims``: those where they are not.
        breaks: attacks after which an honest agent may end worse than alone.
        drains: attacks after which the server's money may run out.
    """

    name: str
    title: str
    true: dict[str, Any]
    strategic: dict[str, Any]
    hits: list[Hit]
    claims: list[Hit]
    breaks: list[str]
    drains: list[str]

    @property
    def spoken(self) -> str:
        """Its name in a sentence."""
        return spoken(self.title)

    @property
    def benchmark(self) -> bool:
        """Whether it is there to compare with, and not to sign."""
        return bool(self.true.get("benchmark"))

    @property
    def best(self) -> Hit | None:
        """The attack that brings most; None where none was tried."""
        return self.hits[0] if self.hits else None

    @property
    def best_alone(self) -> Hit | None:
        """The same of one agent that can only lie and hold back."""
        return next((hit for hit in self.hits if hit.single), None)

    @property
    def best_placed(self) -> float | None:
        """What the best-placed attackers gain by any of them; 0 where that is nothing."""
        most = max((hit.placed for hit in self.hits), default=None)
        return most if most is None or most > SMALL else 0.0

    @property
    def tempts(self) -> bool:
        """Whether such an agent gains."""
        return any(hit.pays and hit.single for hit in self.hits)

    @property
    def pays(self) -> list[Hit]:
        """The attacks that bring something."""
        return [hit for hit in self.hits if hit.pays]

    @property
    def one_agent(self) -> bool:
        """Whether one agent's data is all it collects, even from agents that tell the truth."""
        return float(self.true["contributors"]) <= 1

    @property
    def keeps(self) -> bool:
        """Whether lies leave the samples that truth would bring."""
        kept, wanted = (float(part["samples_share"]) for part in (self.strategic, self.true))
        return kept >= KEEPS * wanted

    @property
    def everybody(self) -> bool:
        """Whether all contribute where they may lie."""
        return int(self.strategic["contributors"]) == len(self.strategic["agents"]["cost"])

    @property
    def rational(self) -> bool:
        """Whether nobody ends worse than alone, with true reports and with strategic ones."""
        return all(_worst(part) <= 1 + SMALL for part in (self.true, self.strategic))

    @property
    def open(self) -> bool:
        """Whether nobody is shut out."""
        return not (self.true["shut_out"] or self.strategic["shut_out"])

    @property
    def funded(self) -> bool:
        """Whether the server never pays from its own pocket."""
        return min(float(part["surplus"]) for part in (self.true, self.strategic)) >= -SMALL

    @property
    def helps(self) -> bool:
        """Whether agents bear less than alone, on average, whatever they report."""
        return all(float(part["loss"]["mean"]) < 1 - SMALL for part in (self.true, self.strategic))


def summaries(document: dict[str, Any]) -> list[RuleSummary]:
    """Of all rules, in their order."""
    plays = {play.key: play for play in plays_of(document)}
    attacks = document["attacks"]
    called = {attack["attack"]: attack for attack in attacks["attacks"]}
    return [
        _summary(name, title, plays, called, attacks["cells"])
        for name, title in titles_of([plays["true"], plays["strategic"]]).items()
        if name in plays["true"].rules and name in plays["strategic"].rules
    ]


def pays(cell: dict[str, Any]) -> bool:
    """Whether the attacker gains, by more than chance could have it look."""
    return cell["gain"] is not None and cell["gain"] > max(SMALL, 2 * (cell["gain_error"] or 0))


def _summary(
    name: str, title: str, plays: dict[str, RulePlay], called: dict[str, Any], cells: list[Any]
) -> RuleSummary:
    own = [cell for cell in cells if cell["rule"] == name and cell["gain"] is not None]
    own.sort(key=lambda cell: -cell["gain"])
    hits = [_hit(cell, called[cell["attack"]]) for cell in own]
    return RuleSummary(
        name,
        title,
        plays["true"].rules[name],
        plays["strategic"].rules[name],
        [hit for hit, cell in zip(hits, own, strict=True) if cell["attack"] not in CLAIMED],
        [hit for hit, cell in zip(hits, own, strict=True) if cell["attack"] in CLAIMED],
        [hit.attack for hit, cell in zip(hits, own, strict=True) if cell["irrational"]],
        [hit.attack for hit, cell in zip(hits, own, strict=True) if cell["deficit"]],
    )


def _hit(cell: dict[str, Any], attack: dict[str, Any]) -> Hit:
    single = attack["attackers"] == 1 and attack["attack"] not in UNSEEN
    gain, placed = cell["gain"], cell["best_gain"]  # not finite where it is None
    best = math.inf if placed is None else float(placed)
    return Hit(str(attack["title"]), float(gain), best, pays(cell), single)


def _worst(part: dict[str, Any]) -> float:
    worst = float(part["loss"]["worst"])
    return math.inf if math.isnan(worst) else worst
