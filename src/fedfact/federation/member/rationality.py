"""The agent's own check before it signs: is nobody worse off than alone, by its own numbers?

The operator's error scale may be wrong and the report need not be the true cost. So the agent takes
its own A and its true cost, supposes the worst that the rule allows, and compares with the best it
could do alone.
"""

import math

import numpy as np

from ...mechanism import Terms, local_loss, rule_of, whole_local_optimum
from ..agreement.contract import Contract, least_billed
from ..wire.canonical import number_of

_ROUNDING = 1e-9  # of float arithmetic, relative to the loss


def worst_loss(contract: Contract, terms: Terms, true_cost: float, error_scale: float) -> float:
    """The largest loss of an agent that keeps its word in a federation that is settled.

    A'/M + c·m + A/m − A/M + Q − H: errors by its own A', money by the terms' A. Of the others two
    or more deliver, each from the least that is billed up to what it agreed to, and what is billed
    is taken for used. Of a draw nothing comes back for sure (`Rule.sure_part`). Else H is at
    least what it would be if the n−1 that deliver had equal parts of S, (1−ρ)A(n−2)/S: 1/m is
    convex, so any other parts bring more. Rounding takes less than two minor units of it.
    """
    A, m, S = float(terms.required_error_scale), contract.samples, contract.others_samples
    unit, least, n = float(terms.unit), least_billed(terms), contract.agents
    rule = rule_of(terms)
    charge = 0 if contract.capped else rule.charge_for(number_of(contract.reported_cost), m, terms)
    delivering = np.arange(3, n + 1)
    fewest, most = (delivering - 1) * least, S - (n - delivering) * least
    rebate = rule.sure_part(terms) * A * (delivering - 2)
    # A larger S brings a smaller rebate, but also a better model, which is worth more to the agent
    # than it pays for it where A' > A. So the worst S lies where one outweighs the other, or where
    # the rebate is rounded to nothing.
    better, back = math.sqrt(max(error_scale - A, 0.0)), np.sqrt(rebate)
    with np.errstate(divide="ignore", invalid="ignore"):
        peak = np.where(better > back, m * back / (better - back), np.inf)
    others = np.clip([peak, rebate / (2 * unit)], fewest, most)
    varying = (error_scale - A) / (m + others) - np.maximum(rebate / others - 2 * unit, 0)
    return A / m + true_cost * m + charge * unit + float(varying.max())


def loss_alone(true_cost: float, error_scale: float, capacity: int) -> float:
    """The least loss without joining: at m*, or with all the samples there are."""
    samples = min(int(whole_local_optimum(true_cost, error_scale)), capacity)
    return float(local_loss(samples, true_cost, error_scale))


def objection(
    contract: Contract,
    terms: Terms,
    *,
    true_cost: float,
    error_scale: float,
    capacity: int,
    most_fee: int | None,
) -> str | None:
    """Why not to sign, or None. What follows the colon is for the agent's own eyes."""
    if contract.others_samples < (contract.agents - 1) * least_billed(terms):
        return "the contract names fewer samples of the others than the terms want at least"
    if contract.samples > capacity:
        return f"too many samples are asked for: {contract.samples}, and there are {capacity}"
    most, money = contract.largest_fee + contract.largest_charge, terms.money_unit
    if most_fee is not None and most > most_fee:
        return (
            f"the contract could ask for more than the limit set here: {money.money(most)}, and "
            f"{money.money(most_fee)} is allowed"
        )
    worst = worst_loss(contract, terms, true_cost, error_scale)
    alone = loss_alone(true_cost, error_scale, capacity)
    rounding = float(local_loss(contract.samples, true_cost, error_scale)) * _ROUNDING
    if worst > alone + rounding:
        return (
            f"not individually rational: at worst {money.worth(worst)}, alone {money.worth(alone)}"
        )
    return None
