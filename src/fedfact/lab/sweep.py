"""What honest agents bear and use under each rule, by how many they are and by the exponent."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError
from ..progress import Progress, silent
from .attacks.curves import CurveCase, CurveCell, measure_curve
from .attacks.table import check_size
from .game.rule import GameRule
from .results import LabResult
from .rules.registry import Choices
from .setting import Setting

AGENTS = (3, 4, 6, 8, 16, 32, 64, 128)
EXPONENTS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
RULES = ("sandwich", "rebate", "shared", "shaping", "first-best")
POPULATIONS = 200


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(LabResult):
    """Cells by what was changed: ``agents`` or ``exponent``, and to what."""

    setting: Setting
    seed: int
    populations: int
    rules: tuple[GameRule, ...]
    cells: tuple[tuple[str, float, CurveCell], ...]

    def cell(self, over: str, value: float, rule: str) -> CurveCell:
        """One rule at one value."""
        return next(cell for o, v, cell in self.cells if (o, v, cell.rule) == (over, value, rule))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each value and rule."""
        return [
            {
                "over": over,
                "value": value,
                "rule": cell.rule,
                "samples_share": cell.samples_share,
                "loss": cell.loss,
            }
            for over, value, cell in self.cells
        ]

    def document(self) -> dict[str, Any]:
        """The setting, the rules and all rows."""
        return {
            **self.setting.describe(),
            "seed": self.seed,
            "populations": self.populations,
            "rules": [
                {"rule": rule.name, "title": rule.title, "benchmark": rule.benchmark}
                for rule in self.rules
            ],
            "rows": self.rows(),
        }


def sweep(
    setting: Setting,
    *,
    populations: int = POPULATIONS,
    seed: int = 0,
    rules: Choices = RULES,
    progress: Progress = silent,
) -> Sweep:
    """Honest agents under each rule: from 3 to 128 of them, and with flat curves and steep ones."""
    if setting.given is not None:
        raise InputError(f"{setting.costs}: has a number of agents; give a distribution of costs")
    every = list(_settings(setting))
    check_size(every[len(AGENTS) - 1][2], populations)
    cells = []
    for k, (over, value, changed) in enumerate(every):
        progress("values", k, len(every), "values")
        case = CurveCase(over, over, changed, wrong=False)
        for rule in changed.rules(rules):
            cells.append((over, value, measure_curve(rule, case, populations, seed)))
    progress("values", len(every), len(every), "values")
    return Sweep(setting, seed, populations, tuple(setting.rules(rules)), tuple(cells))


def _settings(setting: Setting) -> Iterator[tuple[str, float, Setting]]:
    for n in AGENTS:
        yield "agents", n, replace(setting, agents=n)
    for b in EXPONENTS:
        yield "exponent", b, replace(setting, terms=replace(setting.terms, exponent=b))
