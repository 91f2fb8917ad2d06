"""Advice in words: what to do, and what that assumes."""

from dataclasses import asdict
from typing import Any

import numpy as np

from ..mechanism import rule_of
from ..settlement.plausible import remark_on_samples
from .advise import Advice
from .applicant import Applicant


def verdict(advice: Advice) -> str:
    """``join``, ``join with care`` or ``do not join``."""
    if _obstacle(advice) or advice.outcome.realised > advice.alone * (1 - 1e-9):
        return "do not join"
    return "join with care" if advice.outcome.worst > advice.alone * (1 + 1e-9) else "join"


def recommendation(advice: Advice) -> str:
    """One short paragraph."""
    if obstacle := _obstacle(advice):
        return f"Do not sign these terms: {obstacle}"
    outcome, alone, money = advice.outcome, advice.alone, advice.terms.money_unit
    what = f"Report your true cost, {advice.true_cost:g}, and use {advice.samples:,} samples."
    average = f"on average you end {1 - outcome.realised / alone:.1%} below training alone"
    match verdict(advice):
        case "do not join":
            worse = outcome.realised > alone * (1 + 1e-9)
            return (
                f"{'Do not join' if worse else 'Joining brings you nothing'}: on average you would "
                f"end at {money.worth(outcome.realised)}, and at {money.worth(alone)} alone."
            )
        case "join with care":
            return (
                f"Join only if you can bear the worst outcome, {outcome.worst / alone - 1:.1%} "
                f"above training alone; {average}. {what}"
            )
    if not rule_of(advice.terms).draws:
        return f"Join. {what} In every outcome {average.removeprefix('on average ')}."
    return (
        f"Join. {what} {average.capitalize()}, and at {money.worth(outcome.best)} instead of "
        f"{money.worth(alone)} if you win."
    )


def _obstacle(advice: Advice) -> str | None:
    terms = advice.terms
    if terms.escrow is not None and advice.fee > terms.escrow:
        fee, escrow = terms.money_unit.money(advice.fee), terms.money_unit.money(terms.escrow)
        return f"your fee of {fee} exceeds the escrow of {escrow}."
    if advice.samples < advice.least:
        return (
            f"{advice.samples:,} samples are best for you, and the operator admits nobody with "
            f"fewer than {advice.least:,}."
        )
    return None


def guarantees(advice: Advice) -> list[str]:
    """What the rule promises to members who keep their word; nothing to whom we say not to join."""
    return list(rule_of(advice.terms).guarantees) if verdict(advice) == "join" else []


def assumptions(advice: Advice) -> list[str]:
    """What the figures assume."""
    others = "as their file says" if advice.knows_reports else "taken to be alike"
    lines = [
        f"The {advice.agents - 1} others deliver {advice.others_samples:,.0f} samples, {others}.",
        "The data of all agents are alike (iid), so that one curve describes all errors.",
        "Under other rules, the others use what is best for them there.",
        "The curve is right; what a wrong one does to you is shown above.",
        "Samples are counted where they are used; no rule can see data that is only claimed.",
        "Nobody joins under two names or as one for two, and no coalition trains apart.",
    ]
    lines += rule_of(advice.terms).assumptions(advice.knows_reports)
    if advice.agents < 6:
        lines.append("There are fewer than six agents; six or more are recommended.")
    return lines


def remarks(applicant: Applicant) -> list[str]:
    """What the applicant should look into before it believes the figures."""
    others, total = applicant.others, applicant.standing.all_sizes
    size = 1 if others.size is None else others.size
    cost, at = others.reported_cost, "its reported cost"
    if not applicant.knows_reports:  # then they are taken to be like the applicant
        cost, at = np.full(len(others.samples), applicant.true_cost), "your cost"
    fit = remark_on_samples(others.samples, cost, size, total, applicant.terms, at=at)
    return [f"of the others, {fit}"] if fit else []


def document(advice: Advice) -> dict[str, Any]:
    """The advice, figures and words, as a JSON document: losses in minor units, as fees are."""
    figures = asdict(advice) | {
        "alone": advice.alone / float(advice.terms.unit),
        "outcomes": advice.rows(),
    }
    for deviation in figures["deviations"]:
        deviation.update(deviation.pop("added"))
    return {
        "verdict": verdict(advice),
        "recommendation": recommendation(advice),
        **figures,
        "guarantees": guarantees(advice),
        "assumptions": assumptions(advice),
    }
