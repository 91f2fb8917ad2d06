"""One attack under one rule: what it gains, whom it costs, and what it breaks."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..mechanism.arrays import Floats
from .attack_names import Named
from .winners import wins_at_quantile, wins_of_honest, wins_of_median
from .world import After, World
from .written import written

_SAME = 1e-9
"""What is the same to so small a part in all populations is the same."""

_NOTICED = 0.01
"""A part of what attackers gain that is worth naming who pays it."""

_SAFE = 1e-6
"""A part of the loss alone that is not worth mentioning."""


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
    server = (before.surplus - after.seen.surplus + after.seen.unearned) / (n * unit)
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
