"""The table of attacks: every attack under every rule, over populations of agents."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..mechanism import InputError
from ..mechanism.arrays import Floats, floats
from ..progress import Report, silent
from .attack_cell import cell
from .attack_names import BY, Named, all_attacks, check_attacks, check_by
from .setting import MOST, Setting
from .world import World

POPULATIONS = 5000


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
