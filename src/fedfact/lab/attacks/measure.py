"""One attack under one rule: what it gains, whom it costs, and what it breaks."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...arrays import Floats
from ..results import without_infinities
from .placed import best_placed, gain_of
from .registry import NamedAttack
from .target import After, Target

_SAME = 1e-9
"""What is the same to so small a part in all populations is the same."""

_NOTICED = 0.01
"""A part of what attackers gain that is worth naming who pays it."""

_SAFE = 1e-6
"""A part of the loss alone that is not worth mentioning."""


@dataclass(frozen=True)
class AttackCell:
    """One attack under one rule; amounts as parts of the loss alone, None where it makes no sense.

    Attributes:
        gain: of the attackers, on average; ``best_gain``: of those that are best placed, and
            ``best_place`` that place in the order of costs, from 0, the cheapest, to 1.
        honest: what an honest agent loses, ``worst``: of all honest agents the one that loses most.
        payer: who bears what attackers gain, or the harm that they do.
        irrational: how many honest agents may end worse than alone.
        deficit: whether the server's money may run out.
        wins: how often the attackers win the draw together.
        exact: whether nothing is left to sampling.
    """

    rule: str
    attack: str
    applies: bool
    gain: float | None = None
    gain_error: float | None = None
    gain_exact: bool | None = None
    best_gain: float | None = None
    best_place: float | None = None
    honest: float | None = None
    honest_error: float | None = None
    honest_exact: bool | None = None
    worst: float | None = None
    payer: str | None = None
    irrational: float | None = None
    deficit: bool | None = None
    surplus: float | None = None
    surplus_before: float | None = None
    wins: float | None = None
    wins_error: float | None = None
    wins_exact: bool | None = None
    wins_before: float | None = None
    wins_before_error: float | None = None
    wins_before_exact: bool | None = None
    exact: bool | None = None

    def document(self) -> dict[str, Any]:
        """As JSON holds it."""
        return dict(without_infinities(asdict(self)))


def measure(target: Target, named: NamedAttack, exact: bool) -> AttackCell:
    """Try one attack under one rule.

    ``exact`` where nothing is left to sampling, and for gain, loss and wins by themselves: that
    also holds where they are the same for every population, or have a closed form.
    """
    after = named.attack(target)
    if after is None:
        return AttackCell(target.rule.name, named.name, applies=False)
    a, alone = named.attackers, target.setting.alone(target.cost)
    before, unit = target.before, alone.mean(axis=-1)
    gain = gain_of(target, after, a)
    rest = alone[:, a:]
    harm = (after.observed.loss[:, after.others] - before.loss[:, a:]) / rest
    bad = after.observed.worst[:, after.others] > rest * (1 + _SAFE)
    n = target.cost.shape[-1]
    server = (before.surplus - after.observed.surplus + after.observed.unearned) / (n * unit)
    if named.quantile is None:
        best_gain, best_place = best_placed(target, named, gain if exact else None)
    else:  # it has its place
        best_gain, best_place = float(np.median(gain)), named.quantile
    exact = exact and not after.sampled
    gained, lost = _mean(gain, exact), _mean(harm.mean(axis=-1), exact)
    wins, won = _wins_after(target, named, after, exact), _wins_before(target, named, exact)
    return AttackCell(
        target.rule.name,
        named.name,
        applies=True,
        gain=gained.value,
        gain_error=gained.error,
        gain_exact=gained.exact,
        best_gain=best_gain,
        best_place=best_place,
        honest=lost.value,
        honest_error=lost.error,
        honest_exact=lost.exact,
        worst=float(harm.max(axis=-1).mean()),
        payer=_payer(a * gain.mean(), (n - a) * harm.mean(), n * server.mean()),
        irrational=float(bad.mean()),
        deficit=bool(not target.rule.purse and (after.observed.least < -_SAFE * n * unit).any()),
        surplus=float((after.observed.surplus / (n * unit)).mean()),
        surplus_before=float((before.surplus / (n * unit)).mean()),
        wins=wins.value,
        wins_error=wins.error,
        wins_exact=wins.exact,
        wins_before=won.value,
        wins_before_error=won.error,
        wins_before_exact=won.exact,
        exact=exact,
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


def _wins_before(target: Target, named: NamedAttack, exact: bool) -> _Mean:
    """Of honest agents."""
    lottery, n, a = target.rule.lottery, target.cost.shape[-1], named.attackers
    if lottery is None or target.before.wins is None:
        return _Mean(None, None, None)
    if named.quantile is None:  # like all others
        return _Mean(a * lottery.among(n) / n)
    wins = target.before.wins[:, :a].sum(axis=-1)
    return _at_quantile(target, named.quantile, a) or _mean(wins, exact)


def _wins_after(target: Target, named: NamedAttack, after: After, exact: bool) -> _Mean:
    """Of attackers; in closed form where they tell the truth, or the median of costs drawn."""
    if after.wins is None:
        return _Mean(None, None, None)
    a, said = named.attackers, after.said
    if said is not None and np.array_equal(said, target.cost[:, :a]):
        return _wins_before(target, named, exact)
    if said is not None and np.all(said == target.setting.median):
        return _at_quantile(target, 0.5, a) or _mean(after.wins, exact)
    return _mean(after.wins, exact)


def _at_quantile(target: Target, part: float, attackers: int) -> _Mean | None:
    """Of attackers that report this quantile of costs, if that can be told without trying."""
    lottery = target.rule.lottery
    if lottery is None or not target.setting.continuous:
        return None
    wins = lottery.wins_at_quantile(part, attackers, target.cost.shape[-1])
    return None if wins is None else _Mean(wins)


def _payer(gain: float, honest: float, server: float) -> str:
    """Who bears what attackers gain, or the harm that they do."""
    least = max(_SAFE, _NOTICED * abs(gain))
    paying = [
        name for name, loss in (("the honest", honest), ("the server", server)) if loss > least
    ]
    return "both" if len(paying) == 2 else (paying or ["nobody"])[0]
