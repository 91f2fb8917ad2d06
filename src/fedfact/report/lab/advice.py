"""Which rule when: questions that a federation asks, answered from the numbers."""

from collections.abc import Callable, Sequence
from html import escape
from math import isfinite
from typing import Any

from ..base.words import listed, percent
from .plays import federations, named
from .summary import RuleSummary, summaries

_WISHES: tuple[tuple[str, Callable[[RuleSummary], bool]], ...] = (
    ("agents bear less than alone", lambda v: v.helps),
    ("all contribute, though they may lie", lambda v: v.everybody),
    ("nobody ends worse than alone", lambda v: v.rational and not v.breaks),
    ("nobody is shut out", lambda v: v.open),
    ("the server never pays", lambda v: v.funded and not v.drains),
    ("no lie pays", lambda v: not v.tempts),
    ("no attack pays, samples being counted", lambda v: not v.pays),
)


def advice(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Questions and answers."""
    every = summaries(document)
    kept = federations(each.name for each in every)
    rules = [each for each in every if each.name in kept and not each.benchmark]
    return [
        ("Costs are known for certain, and data is what counts", _most_data(rules)),
        ("Agents may lie about their costs, and data is what counts", _liars(rules)),
        ("Agents try whatever pays", _attackers(rules)),
        ("What all bear together counts", _together(rules)),
        ("Nobody may end worse than alone", _rational(rules)),
        ("The server has no money of its own", _purse(rules)),
        ("All of it at once", _all(rules)),
    ]


def advice_html(document: dict[str, Any]) -> str:
    """The same as a list."""
    return "<dl>{}</dl>".format(
        "\n".join(
            f"<dt>{escape(asked)}</dt><dd>{escape(told)}</dd>" for asked, told in advice(document)
        )
    )


def _most_data(rules: Sequence[RuleSummary]) -> str:
    most = max(rules, key=lambda each: float(each.true["samples_share"]))
    least = min(rules, key=lambda each: float(each.true["loss"]["mean"]))
    return (
        f"Most is collected by {most.spoken}, {percent(most.true['samples_share'])} of what all "
        f"would use alone. (Agents bear least under {least.spoken}, "
        f"{percent(least.true['loss']['mean'])} of their loss alone on average.)"
    )


def _liars(rules: Sequence[RuleSummary]) -> str:
    """Of rules that collect more than one agent's data in the first place."""
    keep, fall = (
        [
            f"{each.spoken} ({percent(each.strategic['samples_share'])})"
            for each in rules
            if each.keeps is wanted and not each.one_agent
        ]
        for wanted in (True, False)
    )
    text = f"As much data as from honest agents: {named(keep)}."
    return f"{text} Less: {named(fall)}." if fall else text


def _attackers(rules: Sequence[RuleSummary]) -> str:
    """Rules under which there is something to attack; claims that nobody counts apart."""
    tested = [each for each in rules if each.hits and not each.one_agent]
    if not tested:
        return "No attack was tried."
    alone = [each.spoken for each in tested if not each.tempts]
    safe = [each.spoken for each in tested if not each.pays]
    text = f"No lie of one agent pays: {named(alone)}. No attack of the table pays where samples "
    text += f"are counted: {named(safe)}."
    hit = sorted((each for each in tested if each.pays), key=lambda each: each.pays[0].amount)
    if hit:
        worst = [
            f"{each.spoken} (“{each.pays[0].attack}”, {percent(each.pays[0].amount)})"
            for each in hit
        ]
        text += " The best of them, from the one that brings least over what honest agents bear "
        text += f"under that rule: {named(worst)}."
    open_ = [each.spoken for each in tested if any(claim.pays for claim in each.claims)]
    return f"{text} Claims that nobody counts pay under {named(open_)}." if open_ else text


def _together(rules: Sequence[RuleSummary]) -> str:
    """Agents and server, where agents may lie: the wider costs are, the more for one who has all.

    Whoever has cheap data uses it for all in plain federated learning, and others save theirs.
    """
    told = {each.spoken: float(each.strategic["cost_to_all"]) for each in rules}
    ordered = sorted((cost, title) for title, cost in told.items() if isfinite(cost))
    listed_ = [f"{title} ({percent(cost)})" for cost, title in ordered]
    return f"Of all losses alone, less what the server is left with: {named(listed_)}."


def _rational(rules: Sequence[RuleSummary]) -> str:
    safe = [each.spoken for each in rules if each.rational and not each.breaks]
    attacked = [each.spoken for each in rules if each.rational and each.breaks]
    never = [each.spoken for each in rules if not each.rational]
    text = f"Under every attack tried: {named(safe)}."
    if attacked:
        text += f" As long as nobody attacks: {named(attacked)}."
    return f"{text} Not even then: {named(never)}." if never else text


def _purse(rules: Sequence[RuleSummary]) -> str:
    free = [each.spoken for each in rules if each.funded and not each.drains]
    pays = [f"{each.spoken} ({percent(_bill(each))} an agent)" for each in rules if not each.funded]
    drained = [each.spoken for each in rules if each.funded and each.drains]
    text = f"It needs none under {named(free)}."
    if pays:
        text += f" It pays under {named(pays)}."
    return f"{text} An attack can empty it under {named(drained)}." if drained else text


def _bill(each: RuleSummary) -> float:
    """What the server pays, of the mean loss alone."""
    return -min(float(part["surplus"]) for part in (each.true, each.strategic))


def _all(rules: Sequence[RuleSummary]) -> str:
    """The rules with most wishes met, and what they lack."""
    lacks = {each.spoken: [wish for wish, holds in _WISHES if not holds(each)] for each in rules}
    fewest = min(map(len, lacks.values()))
    best = [title for title, lack in lacks.items() if len(lack) == fewest]
    wishes = f"({'; '.join(wish for wish, _ in _WISHES)})"
    if not fewest:
        return f"{named(best)} {wishes}."
    told = "; ".join(f"{title} misses “{listed(lacks[title])}”" for title in best)
    return f"No rule {wishes}. Nearest: {told}."
