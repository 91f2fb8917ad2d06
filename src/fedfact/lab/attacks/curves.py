"""Other curves than that of the terms: another exponent, and terms that are wrong about the curve.

Nobody cheats here. Agents act by what the terms say, and errors follow the true curve: a rule whose
money goes by the curve of the terms then takes too much or too little.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...mechanism import Curve
from ..game.rule import GameRule
from ..results import without_infinities
from ..setting import Setting
from .target import Target

POWER = 0.3
"""The exponent of many real learning curves; the paper has 1."""

_TIMES = (0.5, 0.9, 1.1, 2.0)
_SAFE = 1e-6


@dataclass(frozen=True)
class CurveCase:
    """A setting with other terms, or another truth."""

    name: str
    title: str
    setting: Setting
    wrong: bool

    def document(self) -> dict[str, Any]:
        """What it is, as tables say it."""
        return {"case": self.name, "title": self.title, "wrong": self.wrong}


@dataclass(frozen=True)
class CurveCell:
    """Honest agents under one rule; amounts as parts of the loss alone by the true curve.

    Attributes:
        samples_share: of what all would use alone if they knew the true curve.
        loss: the mean; ``worst``: of the agent that is worst off, whatever is drawn.
        irrational: how many may end worse than alone.
        surplus: what the server is left with.
    """

    rule: str
    case: str
    applies: bool
    samples_share: float | None = None
    loss: float | None = None
    worst: float | None = None
    irrational: float | None = None
    surplus: float | None = None

    def document(self) -> dict[str, Any]:
        """As JSON holds it."""
        return dict(without_infinities(asdict(self)))


def cases(setting: Setting) -> Iterator[CurveCase]:
    """The terms as they are, another exponent, and terms that are wrong in one number."""
    terms, true = setting.terms, setting.curve
    yield CurveCase("right", "the curve of the terms", setting, False)
    power = replace(setting, terms=replace(terms, exponent=POWER))
    yield CurveCase("power", f"b = {POWER:g}", power, False)
    for times in _TIMES:
        wrong = replace(setting.times(times), truth=true)
        yield CurveCase(f"scale-{times:g}", f"A is {times:g} times the true one", wrong, True)
    yield CurveCase("fitted", f"b taken for 1 where it is {POWER:g}", fitted(setting), True)


def fitted(setting: Setting) -> Setting:
    """Terms with A/m where the exponent is `POWER`.

    Both curves meet at the samples that an agent of median cost then uses.
    """
    terms = replace(setting.terms, exponent=1)
    used = terms.curve.optimum(setting.median)
    scale = terms.curve.error(used) * used**POWER
    return replace(setting, terms=terms, truth=Curve(float(scale), POWER))


def measure_curve(rule: GameRule, case: CurveCase, populations: int, seed: int) -> CurveCell:
    """What honest agents bear under one rule with one curve."""
    if case.wrong and not rule.priced:
        return CurveCell(rule.name, case.name, applies=False)
    setting = case.setting
    target = Target(rule, setting, setting.populations(populations, seed), seed)
    seen, alone = target.before, setting.alone(target.cost)
    used = seen.deal.used.sum(axis=-1) / setting.samples_alone(target.cost).sum(axis=-1)
    return CurveCell(
        rule.name,
        case.name,
        applies=True,
        samples_share=float(used.mean()),
        loss=float((seen.loss / alone).mean()),
        worst=float((seen.worst / alone).max(axis=-1).mean()),
        irrational=float((seen.worst > alone * (1 + _SAFE)).mean()),
        surplus=float((seen.surplus / alone.sum(axis=-1)).mean()),
    )
