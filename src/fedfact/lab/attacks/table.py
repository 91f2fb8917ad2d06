"""The table of attacks: every attack under every rule, over populations of agents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ...arrays import Floats, floats
from ...errors import InputError
from ...progress import Progress, silent
from ...results import html_table, text_table
from ..game.rule import GameRule
from ..results import LabResult
from ..rules.registry import Choices
from ..setting import MOST, Setting
from .curves import CurveCase, CurveCell, cases, measure_curve
from .measure import AttackCell, measure
from .registry import BY, NamedAttack, all_attacks, check_attacks, check_by
from .target import Target

POPULATIONS = 5000


def check_size(setting: Setting, populations: int) -> None:
    """Refuse more costs than fit into the memory of most machines."""
    if populations * setting.agents > MOST:
        raise InputError(
            f"{populations:,} populations of {setting.agents:,} agents are more than {MOST:,} "
            f"costs; take {max(2, MOST // setting.agents):,} populations at most"
            + (", and fewer agents" if 2 * setting.agents > MOST else "")
        )


@dataclass(frozen=True, eq=False, repr=False)
class CurveTable(LabResult):
    """Honest agents with other curves, and every attack with the power law of `curves.POWER`."""

    cases: tuple[CurveCase, ...]
    cells: tuple[CurveCell, ...]
    power: tuple[AttackCell, ...]

    def cell(self, rule: str, case: str) -> CurveCell:
        """One curve under one rule, by their names."""
        return next(each for each in self.cells if (each.rule, each.case) == (rule, case))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each curve and rule: what honest agents bear."""
        return [cell.document() for cell in self.cells]

    def document(self) -> dict[str, Any]:
        """The cases, honest agents in each, and the attacks with a power law."""
        return {
            "cases": [case.document() for case in self.cases],
            "cells": [cell.document() for cell in self.cells],
            "power": [cell.document() for cell in self.power],
        }


@dataclass(frozen=True, eq=False, repr=False)
class AttackTable(LabResult):
    """What each attack does under each rule."""

    setting: Setting
    seed: int
    populations: int
    by: float
    attacks: tuple[NamedAttack, ...]
    rules: tuple[GameRule, ...]
    cells: tuple[AttackCell, ...]
    curves: CurveTable | None = None

    def cell(self, rule: str, attack: str) -> AttackCell:
        """One attack under one rule, by their names."""
        return next(cell for cell in self.cells_of(rule) if cell.attack == attack)

    def cells_of(self, rule: str) -> list[AttackCell]:
        """All attacks under the rule with this name."""
        return [cell for cell in self.cells if cell.rule == rule]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each attack under each rule, with all its numbers."""
        return [cell.document() for cell in self.cells]

    def gains(self) -> list[dict[str, Any]]:
        """A row for each attack: what an attacker gains, in a column for each rule."""
        gain = {(cell.attack, cell.rule): cell.gain for cell in self.cells}
        return [
            {"attack": each.name, **{rule.name: gain[each.name, rule.name] for rule in self.rules}}
            for each in self.attacks
        ]

    def __repr__(self) -> str:
        return f"{type(self).__name__}: gain of an attacker\n{text_table(self.gains())}"

    def _repr_html_(self) -> str:
        return html_table(self.gains())

    def document(self) -> dict[str, Any]:
        """The setting, the attacks and the rules that were tried, and every cell."""
        return {
            **self.setting.describe(),
            "seed": self.seed,
            "populations": self.populations,
            "by": self.by,
            "attacks": [each.document() for each in self.attacks],
            "rules": [
                {
                    "rule": rule.name,
                    "title": rule.title,
                    "purse": rule.purse,
                    "benchmark": rule.benchmark,
                    "federates": rule.federates,
                }
                for rule in self.rules
            ],
            "cells": [cell.document() for cell in self.cells],
            "curves": None if self.curves is None else self.curves.document(),
        }


def attack(
    setting: Setting,
    *,
    populations: int = POPULATIONS,
    seed: int = 0,
    rules: Choices | None = None,
    attacks: Sequence[str] | None = None,
    by: float = BY,
    curves: bool = False,
    progress: Progress = silent,
) -> AttackTable:
    """Every attack under every rule, or those given: rules by name or as objects.

    With ``curves`` there is a block for other learning curves, in a tenth of the populations.
    Expectations over draws are exact. Over populations they are means with a standard error, unless
    there is a closed form or, where the costs are given, over all sets of attackers there are.
    """
    check_attacks(attacks or (), setting.agents)
    check_by(by)
    check_size(setting, populations)
    played = setting.rules(rules)
    tried = [
        each
        for each in all_attacks(setting.agents, by)
        if (attacks is None or each.name in attacks) and each.attackers <= setting.agents - 1
    ]
    cells = _cells(setting, tried, played, populations, seed, progress)
    block = None
    if curves:
        few = max(2, populations // 10)
        every = tuple(cases(setting))
        power = next(case.setting for case in every if case.name == "power")
        block = CurveTable(
            every,
            tuple(
                measure_curve(rule, case, few, seed)
                for case in every
                for rule in case.setting.rules(rules)
            ),
            _cells(power, tried, power.rules(rules), few, seed, progress),
        )
    return AttackTable(setting, seed, populations, by, tuple(tried), tuple(played), cells, block)


def _cells(
    setting: Setting,
    tried: list[NamedAttack],
    played: list[GameRule],
    populations: int,
    seed: int,
    progress: Progress,
) -> tuple[AttackCell, ...]:
    """Every attack under every rule."""
    cells = []
    targets: dict[tuple[str, int, float | None], Target] = {}
    for k, (named, rule) in enumerate((a, r) for a in tried for r in played):
        progress("attacks", k, len(tried) * len(played), "cells")
        exact = _is_exact(setting, named)
        key = rule.name, named.attackers if exact else 0, named.quantile
        if key not in targets:
            cost = _populations(setting, named, populations, seed)
            targets[key] = Target(rule, setting, cost, seed)
        cells.append(measure(targets[key], named, exact))
    progress("attacks", len(cells), len(cells), "cells")
    return tuple(cells)


def _is_exact(setting: Setting, named: NamedAttack) -> bool:
    """Whether all sets of attackers can be tried."""
    sets = comb(setting.agents, named.attackers)
    return setting.given is not None and sets * setting.agents <= MOST


def _populations(setting: Setting, named: NamedAttack, populations: int, seed: int) -> Floats:
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
