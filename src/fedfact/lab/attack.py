"""The table of attacks: what each gains under each rule, whom it costs, and what it breaks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..mechanism import InputError
from ..mechanism.arrays import Floats, floats
from ..mechanism.errors import did_you_mean
from ..progress import Report, silent
from .attacks import (
    best_reply,
    free_rider,
    imitator,
    learner,
    median,
    misreport,
    saboteur,
    unverified,
)
from .coalitions import colluders, leavers
from .names import merged, sybil
from .setting import MOST, Setting
from .winners import wins_at_quantile, wins_of_honest, wins_of_median
from .world import After, Attack, World
from .written import written

POPULATIONS = 5000
LOW = 0.05
"""The quantile of the attacker that has more to gain from the median than others."""

BY = 0.2
"""The part of its cost that an agent adds or takes away when it lies."""

_SAME = 1e-9
"""What is the same to so small a part in all populations is the same."""

_NOTICED = 0.01
"""A part of what attackers gain that is worth naming who pays it."""

_SAFE = 1e-6
"""A part of the loss alone that is not worth mentioning."""


@dataclass(frozen=True)
class Named:
    """An attack, its name and what it is, how many take part, and of how many agents at least."""

    name: str
    title: str
    about: str
    attackers: int
    attack: Attack
    quantile: float | None = None
    least: int = 3


def all_attacks(agents: int, by: float = BY) -> list[Named]:
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
    apart = "train apart, on the cheapest data of theirs, and share without a rule"
    return [
        Named("inflate", more, best, 1, misreport(1 + by)),
        Named("deflate", less, best, 1, misreport(1 - by)),
        Named("median", "reports the median", told, 1, median),
        Named("median-low", cheap, "one of the cheapest, who gain most by it", 1, median, LOW),
        Named("best-reply", "best reply", "knows all reports; does what is best", 1, best_reply),
        Named("learner", "no-regret learner", "Hedge, after many rounds", 1, learner),
        Named("imitator", "imitates winners", "reports what winners reported", 1, imitator),
        Named("free-rider", "free rider, verified", "uses a tenth of its data", 1, free_rider),
        Named("unverified", "free rider, unverified", claims, 1, unverified),
        Named("saboteur", "saboteur", "reports a million times its cost", 1, saboteur),
        Named("collude-2", "two collude", some, 2, colluders(2, "distribution")),
        Named("collude-2-known", "two collude, costs known", known, 2, colluders(2, "all")),
        Named("collude-3", "three collude", some, 3, colluders(3, "distribution"), least=4),
        Named(
            "collude-3-known", "three collude, costs known", known, 3, colluders(3, "all"), least=4
        ),
        Named("merged", "two pose as one", posing, 2, merged, least=4),
        Named("sybil", "one poses as two", posing, 1, sybil),
        Named("leave-3", "three leave", apart, 3, leavers(3), least=6),
        Named("leave-half", "half of all leave", apart, half, leavers(half), least=5),
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


def check_size(setting: Setting, populations: int) -> None:
    """Refuse more costs than fit into the memory of most machines."""
    if populations * setting.agents > MOST:
        raise InputError(
            f"{populations:,} populations of {setting.agents:,} agents are more than {MOST:,} "
            f"costs; take {max(2, MOST // setting.agents):,} populations at most"
            + (", and fewer agents" if 2 * setting.agents > MOST else "")
        )


def attack(
    setting: Setting,
    *,
    populations: int = POPULATIONS,
    seed: int = 0,
    rules: Sequence[str] | None = None,
    attacks: Sequence[str] | None = None,
    by: float = BY,
    report: Report = silent,
) -> dict[str, Any]:
    """Every attack under every rule.

    Expectations over draws are exact. Over populations they are means with a standard error, unless
    there is a closed form or, where the costs are given, over all sets of attackers there are.
    """
    check_attacks(attacks or (), setting.agents)
    check_by(by)
    check_size(setting, populations)
    played = [rule for rule in setting.rules() if rules is None or rule.name in rules]
    tried = [
        each
        for each in all_attacks(setting.agents, by)
        if (attacks is None or each.name in attacks) and each.attackers <= setting.agents - 1
    ]
    cells = []
    worlds: dict[tuple[str, int, float | None], World] = {}
    for k, (named, rule) in enumerate((a, r) for a in tried for r in played):
        report("attacks", k, len(tried) * len(played), "cells")
        exact = _is_exact(setting, named)
        key = rule.name, named.attackers if exact else 0, named.quantile
        if key not in worlds:
            cost = _populations(setting, named, populations, seed)
            worlds[key] = World(rule, setting, cost, seed)
        cells.append(cell(worlds[key], named, exact))
    report("attacks", len(cells), len(cells), "cells")
    return {
        **setting.describe(),
        "seed": seed,
        "populations": populations,
        "by": by,
        "attacks": [
            {
                "attack": each.name,
                "title": each.title,
                "about": each.about,
                "attackers": each.attackers,
            }
            for each in tried
        ],
        "rules": [{"rule": rule.name, "title": rule.title, "purse": rule.purse} for rule in played],
        "cells": cells,
    }


def cell(world: World, named: Named, exact: bool) -> dict[str, Any]:
    """One attack under one rule; amounts as parts of the loss alone.

    ``exact`` where nothing is left to sampling, and for gain, loss and wins by themselves: that
    also holds where they are the same for every population, or have a closed form.
    """
    known = {"rule": world.rule.name, "attack": named.name}
    after = named.attack(world)
    if after is None:
        return {**known, "applies": False, **dict.fromkeys(_NUMBERS)}
    a, alone = named.attackers, world.setting.alone(world.cost)
    before, unit = world.before, alone.mean(axis=-1)
    gain = (before.loss[:, :a].sum(axis=-1) - after.borne) / alone[:, :a].sum(axis=-1)
    rest = alone[:, a:]
    harm = (after.seen.loss[:, after.others] - before.loss[:, a:]) / rest
    bad = after.seen.worst[:, after.others] > rest * (1 + _SAFE)
    n = world.cost.shape[-1]
    server = (before.surplus - after.seen.surplus) / (n * unit)
    exact = exact and not after.sampled
    numbers = {
        "gain": _mean(gain, exact),
        "honest": _mean(harm.mean(axis=-1), exact),
        "wins": _wins_after(world, named, after, exact),
        "wins_before": _wins_before(world, named, exact),
    }
    found: dict[str, Any] = {
        **known,
        "applies": True,
        "worst": float(harm.max(axis=-1).mean()),
        "payer": _payer(a * gain.mean(), (n - a) * harm.mean(), n * server.mean()),
        "irrational": float(bad.mean()),
        "deficit": bool(not world.rule.purse and (after.seen.least < -_SAFE * n * unit).any()),
        "surplus": float((after.seen.surplus / (n * unit)).mean()),
        "surplus_before": float((before.surplus / (n * unit)).mean()),
        "exact": exact,
    }
    for key, mean in numbers.items():
        found |= {key: mean.value, f"{key}_error": mean.error, f"{key}_exact": mean.exact}
    return {key: written(found[key]) for key in (*known, "applies", *_NUMBERS)}


_NUMBERS = (
    "gain",
    "gain_error",
    "gain_exact",
    "honest",
    "honest_error",
    "honest_exact",
    "worst",
    "payer",
    "irrational",
    "deficit",
    "surplus",
    "surplus_before",
    "wins",
    "wins_error",
    "wins_exact",
    "wins_before",
    "wins_before_error",
    "wins_before_exact",
    "exact",
)


@dataclass(frozen=True)
class _Mean:
    """A mean over populations, and its standard error."""

    value: float | None
    error: float | None = 0.0
    exact: bool | None = True


def _mean(values: Floats, exact: bool) -> _Mean:
    """Exact too where it is the same for every population."""
    value = float(values.mean())
    exact = exact or bool(np.ptp(values) <= _SAME * max(1.0, abs(value)))
    error = 0.0 if exact or len(values) < 2 else float(values.std(ddof=1) / np.sqrt(len(values)))
    return _Mean(value, error, exact)


def _wins_before(world: World, named: Named, exact: bool) -> _Mean:
    """Of honest agents."""
    if world.before.wins is None:
        return _Mean(None, None, None)
    n, a = world.cost.shape[-1], named.attackers
    if named.quantile is None:
        return _Mean(wins_of_honest(n, a))
    if world.setting.continuous:
        return _Mean(wins_at_quantile(n, named.quantile))
    return _mean(world.before.wins[:, :a].sum(axis=-1), exact)


def _wins_after(world: World, named: Named, after: After, exact: bool) -> _Mean:
    """Of attackers; in closed form where they tell the truth, or the median of costs drawn."""
    if after.wins is None:
        return _Mean(None, None, None)
    a, said = named.attackers, after.said
    if said is not None and np.array_equal(said, world.cost[:, :a]):
        return _wins_before(world, named, exact)
    if said is not None and np.all(said == world.setting.median) and world.setting.continuous:
        return _Mean(wins_of_median(world.cost.shape[-1], a))
    return _mean(after.wins, exact)


def _payer(gain: float, honest: float, server: float) -> str:
    """Who bears what attackers gain, or the harm that they do."""
    least = max(_SAFE, _NOTICED * abs(gain))
    paying = [
        name for name, loss in (("the honest", honest), ("the server", server)) if loss > least
    ]
    return "both" if len(paying) == 2 else (paying or ["nobody"])[0]


def _is_exact(setting: Setting, named: Named) -> bool:
    """Whether all sets of attackers can be tried."""
    sets = comb(setting.agents, named.attackers)
    return setting.given is not None and sets * setting.agents <= MOST


def _populations(setting: Setting, named: Named, populations: int, seed: int) -> Floats:
    """Populations with the attackers first; one that is at a quantile takes another's place."""
    if setting.given is not None and _is_exact(setting, named):
        cost = floats(list(_sets(floats(setting.given), named.attackers)))
    else:
        cost = setting.populations(populations, seed)
    if named.quantile is not None:
        cost[:, 0] = setting.quantile(named.quantile)
    return cost


def _sets(cost: Floats, attackers: int) -> Iterator[Floats]:
    """The costs with each set of attackers first."""
    for chosen in combinations(range(len(cost)), attackers):
        yield np.concatenate([cost[list(chosen)], np.delete(cost, chosen)])
