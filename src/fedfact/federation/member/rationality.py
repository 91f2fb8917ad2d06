"""The member's own check before it signs: is nobody worse off than alone, by its own numbers?

The operator's curve may be wrong and the report need not be the true cost. So the member takes its
own curve and its true cost, supposes the worst that the rule allows, and compares with the best it
could do alone.
"""

import math
from collections.abc import Callable

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...mechanism import (
    Curve,
    Standing,
    Terms,
    billing_floor,
    least_admitted,
    local_loss,
    rule_of,
    whole_local_optimum,
)
from ..agreement.contract import Contract, with_the_least
from ..wire.canonical import number_of

ROUNDING = 2
"""Minor units that a settlement may round to a member's disadvantage (docs/theory.md, Money)."""

_EXACT = 1e-9  # of float arithmetic, relative to the loss
_CLOSE = 1e-7  # how close the search comes to the worst, relative to the loss
_SPLITS = 60  # cells are halved so often at most; what is left then counts as the worst


def worst_loss(contract: Contract, terms: Terms, true_cost: float, own: Curve) -> float:
    """The largest loss of a member that keeps its word in a federation that is settled.

    u·e'(M) + c·m + fee + Q − H: errors by its own curve e', money by that of the terms, where
    u·e(M) and the fee are together what the member's own samples cost it, whatever the others do
    (`Rule.own_curve`). Of the others two or more deliver, each from the billing floor up to what it
    agreed to, and what is billed is taken for used. H is at least what the rule gives back for sure
    with so many samples of others (`Rule.least_back`), and that is less the fewer they are: two,
    unless those who are gone had to leave less than S.
    """
    u, U, n, m = contract.size, contract.total_size, contract.members, contract.samples
    rule, unit, curve = rule_of(terms), float(terms.unit), terms.curve
    few = with_the_least(contract.standing, rule).all_sizes
    alone = max(float(rule.own_curve(curve, u, size).error(m)) for size in (few, U))
    cost = number_of(contract.reported_cost)
    charge = rule.charge_for(cost, m, contract.standing, terms) * unit
    fixed = alone + true_cost * m + charge + unit  # a fee is rounded up

    def worst_among(members: int, fewest: int, most: int) -> float:
        """With so many that deliver, or more: the largest of what depends on the others."""
        among = Standing(members, u, members if n == U else U)

        def back(samples: ArrayLike) -> Floats:
            sure = rule.least_back(samples, among, terms) - ROUNDING * unit
            return floats(np.maximum(sure, 0))

        return _largest(_Misjudged(curve, own, u, m), back, fewest, most, _CLOSE * fixed)

    floor, S = billing_floor(terms), contract.others_samples
    of_two = max(S - (n - 3) * least_admitted(terms), 2 * floor)
    found = worst_among(3, 2 * floor, of_two)
    if of_two < S:
        found = max(found, worst_among(4, of_two, S))
    return fixed + found


class _Misjudged:
    """u·[e'(m + S) − e(m + S)], by what the terms' curve misjudges the model, in whole cells of S.

    It rises or falls, or does one up to a turning point and the other beyond.
    """

    def __init__(self, curve: Curve, own: Curve, size: int, samples: int) -> None:
        self._curve, self._own, self._m = curve.times(size), own.times(size), samples
        ratio = floats(own.error_scale) * own.exponent / floats(curve.error_scale) / curve.exponent
        bend, self._turns = own.exponent - curve.exponent, np.inf
        if bend and abs(log := math.log(ratio) / bend) < 700:
            self._turns = math.exp(log) - samples

    def at(self, others: ArrayLike) -> Floats:
        total = self._m + floats(others)
        return self._own.error(total) - self._curve.error(total)

    def most(self, low: Floats, high: Floats) -> Floats:
        """The largest of each cell."""
        inner = self.at(np.clip(self._turns, low, high))
        return np.maximum(np.maximum(self.at(low), self.at(high)), inner)


def _largest(
    loss: _Misjudged, back: Callable[[ArrayLike], Floats], low: int, high: int, close: float
) -> float:
    """The largest loss less what comes back, over ``low`` to ``high``, or a little more.

    What comes back falls with the others' samples. So a cell has at most its largest loss, less
    what comes back at its end; cells in which more might be than was found are halved.
    """
    edges = np.unique(np.geomspace(low, max(high, low), 65))
    a, b = (edges[:-1], edges[1:]) if len(edges) > 1 else (edges, edges)
    found, bound = float(np.max(loss.at(edges) - back(edges))), loss.most(a, b) - back(b)
    most = found
    for _ in range(_SPLITS):
        more = bound > found + close
        most = float(bound[~more].max(initial=most))
        if not more.any():
            break
        a, b = a[more], b[more]
        middle = (a + b) / 2
        found = max(found, float(np.max(loss.at(middle) - back(middle))))
        a, b = np.concatenate((a, middle)), np.concatenate((middle, b))
        bound = loss.most(a, b) - back(b)
    return float(bound.max(initial=most))


def loss_alone(true_cost: float, own: Curve, size: int, capacity: int) -> float:
    """The least loss without joining: at m*, or with all the samples there are."""
    errors = own.times(size)
    samples = min(int(whole_local_optimum(true_cost, errors)), capacity)
    return float(local_loss(samples, true_cost, errors))


def objection(
    contract: Contract,
    terms: Terms,
    *,
    true_cost: float,
    own: Curve,
    capacity: int,
    most_fee: int | None,
    size: int | None,
) -> str | None:
    """Why not to sign, or None. What follows the colon is for the member's own eyes.

    ``size``: what the member expects to be written, if it does.
    """
    if size is not None and contract.size != size:
        return f"the contract has another size than mine: {contract.size:,}, and mine is {size:,}"
    others = contract.members - 1
    if contract.others_samples < others * least_admitted(terms):
        return "the contract names fewer samples of the others than the terms want at least"
    if contract.total_size < contract.size + others:
        return "the contract names less size of the others than they have at least"
    if contract.samples > capacity:
        return f"too many samples are asked for: {contract.samples}, and there are {capacity}"
    most, money = contract.largest_fee + contract.largest_charge, terms.money_unit
    if most_fee is not None and most > most_fee:
        return (
            f"the contract could ask for more than the limit set here: {money.money(most)}, and "
            f"{money.money(most_fee)} is allowed"
        )
    worst = worst_loss(contract, terms, true_cost, own)
    alone = loss_alone(true_cost, own, contract.size, capacity)
    spent = float(local_loss(contract.samples, true_cost, own.times(contract.size)))
    if worst > alone + ROUNDING * float(terms.unit) + _EXACT * spent:
        return (
            f"not individually rational: at worst {money.worth(worst)}, alone {money.worth(alone)}"
        )
    return None
