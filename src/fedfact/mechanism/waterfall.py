"""Measured amounts: what federation was worth to each agent by test losses.

f_i = v·(local loss − federated loss). Those it helped pay f⁺; those it hurt are compensated
first; only what is then left is shared out. Nothing here needs A, m* or a penalty: whatever the
loss, agent i pays back what federation gave it. What it receives is not quite out of its hands,
since every f_j is measured on a model that i helped to train.
"""

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from .exact import DOES_NOT_FIT, MOST_MONEY, as_fraction, floor_gain
from .population import Population
from .terms import Terms


def waterfall(population: Population, terms: Terms) -> tuple[Ints, Ints, Ints, int]:
    """Fee, compensation and pool of each agent, and the shortfall, in minor units.

    Fees are rounded down, compensations up, so that nobody ends above its local loss. Should the
    fees not cover the compensations, these are paid pro rata, pools are empty and the shortfall
    says how much is missing. Otherwise the pool of agent i is what the others leave,
    Σ_{j≠i} f_j, but never more than all that is left nor less than nothing.
    """
    local, federated = population.local_loss, population.federated_loss
    if local is None or federated is None:
        raise InputError("local_loss and federated_loss are missing; the waterfall needs both")
    gain = floor_gain(as_fraction(terms.loss_value) / as_fraction(terms.unit), local, federated)
    population.refuse(
        gain == DOES_NOT_FIT,
        lambda k: (
            f"what federation brought it, {local[k]} − {federated[k]}, does not fit in 64 bits; "
            f"check its losses, or take a larger unit than {terms.unit}"
        ),
    )
    if np.abs(gain.astype(float)).sum() >= MOST_MONEY:
        raise InputError(f"measured gains add up to too much; take a larger unit than {terms.unit}")
    fee, owed = np.maximum(gain, 0), np.maximum(-gain, 0)
    left = int(gain.sum())
    if left >= 0:
        return fee, owed, np.clip(left - gain, 0, left), 0
    collected, claims = int(fee.sum()), int(owed.sum())
    paid = np.zeros_like(owed)
    for k in np.flatnonzero(owed):  # in Python's integers: the products need 128 bits
        paid[k] = collected * int(owed[k]) // claims
    return fee, paid, np.zeros_like(fee), claims - int(paid.sum())
