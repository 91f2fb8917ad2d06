"""A study summed up: means over seeds with their intervals, for every arm."""

from typing import Any

from ...data.registry import SETS
from ..config.study import Study
from ..files.keys import rational_of
from .interval import estimate
from .measured import Measured, WhichScore
from .truthfulness import truthfulness_document


def summary(study: Study, arms: list[list[Measured]]) -> dict[str, Any]:
    """The whole study as one document; nothing in it depends on when or how fast it was run."""
    return {
        "study": study.name,
        "title": SETS[study.dataset].title_of(study.split),
        "dataset": study.dataset,
        "agents": study.agents,
        "seeds": list(range(study.seeds)),
        "score": study.score,
        "unit": study.terms.unit / study.terms.loss_value,
        "curve": {
            "error_scale": study.terms.error_scale,
            "exponent": study.terms.exponent,
            "unit": study.terms.unit,
        },
        "classes": arms[0][0].trained.classes,
        "arms": [_arm(seeds) for seeds in arms],
    }


def _arm(seeds: list[Measured]) -> dict[str, Any]:
    """One arm: what was measured with each seed, put together."""
    arm, score = seeds[0].arm, seeds[0].study.score
    other: WhichScore = "best" if score == "final" else "final"
    return {
        "arm": arm.name,
        "partition": arm.partition,
        "deviators": [
            {"kind": each.kind, "number": number, "strength": each.strength}
            for each, number in arm.deviators
        ],
        **_over_seeds([{**one.numbers(score), **one.over_draws()} for one in seeds]),
        other: _over_seeds([one.numbers(other) for one in seeds]),
        "samples": estimate([float(one.who.samples.mean()) for one in seeds]),
        "by_curve": _over_seeds([one.by_curve.numbers() for one in seeds]),
        "truthfulness": truthfulness_document([one.truthfulness() for one in seeds]),
        "penalty": seeds[0].penalty(),  # of the first seed: costs, and so m*, differ by seed
        "checks": {
            "contribution": _passed([one.honest_contributions() for one in seeds]),
            **{
                rational_of(rule): _passed([one.rational(rule) for one in seeds])
                for rule in seeds[0].ends
            },
        },
        "settlement": {
            rule: {
                "input": seeds[0].ends[rule].settlement.input,
                "surplus": [one.ends[rule].settlement.surplus for one in seeds],
                "shortfall": [one.ends[rule].settlement.shortfall for one in seeds],
            }
            for rule in seeds[0].ends
        },
    }


def _over_seeds(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """Documents of one shape, with an estimate in place of each number.

    Nothing in place of a number that some seed does not have.
    """
    found: dict[str, Any] = {}
    for key, value in documents[0].items():
        values = [document[key] for document in documents]
        if isinstance(value, dict):
            found[key] = _over_seeds(values)
        else:
            found[key] = None if None in values else estimate(values)
    return found


def _passed(checks: list[Any]) -> dict[str, int]:
    """Of how many agents, in all seeds, how many pass."""
    return {"passed": int(sum(each.sum() for each in checks)), "of": sum(map(len, checks))}
