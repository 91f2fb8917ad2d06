"""What the best-placed attackers gain: a mean over agents hides that some gain far more."""

import numpy as np

from ...arrays import Floats, floats
from .registry import NamedAttack
from .target import After, Target

_PLACES = 3
"""In the order of costs at which an attack is tried: the cheapest, the middle, the dearest."""


def gain_of(target: Target, after: After, attackers: int) -> Floats:
    """What attackers gain together in each population, as a part of what they would bear alone."""
    before = target.before.loss[:, :attackers].sum(axis=-1)
    return floats((before - after.borne) / target.alone(attackers))


def best_placed(target: Target, named: NamedAttack, gain: Floats | None) -> tuple[float, float]:
    """The largest gain, and the place in the order of costs of those that have it.

    Of all sets of attackers where ``gain`` has that of each. Otherwise attackers are next to each
    other in that order, at three places, and it is the median over populations: where costs are far
    apart, a mean would be that of a few populations. A place is from 0, the cheapest, to 1.
    """
    a, n = named.attackers, target.cost.shape[-1]
    if gain is not None:
        best = int(gain.argmax())
        cheaper = (target.cost[best, a:] < target.cost[best, :a].min()).sum()
        return float(gain[best]), float(cheaper / (n - a))
    found = []
    for first in np.unique(np.linspace(0, n - a, _PLACES).round().astype(int)):
        chosen = np.arange(first, first + a)
        order = np.concatenate([chosen, np.delete(np.arange(n), chosen)])
        placed = target.ranked.in_order(order)
        after = named.attack(placed)
        assert after is not None  # it makes sense under this rule
        found.append((float(np.median(gain_of(placed, after, a))), float(first / (n - a))))
    return max(found, key=lambda each: each[0])
