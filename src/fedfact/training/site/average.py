"""The operator's part of a round: models that came as bytes are checked, and averaged."""

import math
from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ..average import average
from ..model_bytes import from_bytes, to_bytes
from ..plan import Plan

_SLACK = 1e-9  # how far from 1 the sum of the shares may be rounded

LARGEST_STEP = 100.0
"""How many times larger than before, or than 1, a model's numbers may be after one round."""


def check_update(update: bytes, start: bytes, plan: Plan) -> None:
    """Refuse a model that no honest round brings about, and that would make all others diverge."""
    new, old = (from_bytes(model, plan.layout()) for model in (update, start))
    for name, value in new.items():
        if not value.is_floating_point() or not value.numel():
            continue
        if float(value.abs().max()) > LARGEST_STEP * max(1.0, float(old[name].abs().max())):
            raise InputError(f"{name} of a model is out of all proportion; it is not used")


def mean_of(models: Sequence[bytes], shares: Sequence[float], plan: Plan) -> bytes:
    """The average of models that came as bytes, summed in the order given.

    The order decides the last bits, so whoever averages takes the agents in an order that all know.
    A refusal has the position of the model at fault in ``index``.
    """
    if not models or len(models) != len(shares):
        raise InputError(
            f"{len(models)} models are to be averaged with {len(shares)} shares; give at least one "
            "model, and one share for each"
        )
    if not all(0 <= share <= 1 for share in shares) or abs(math.fsum(shares) - 1) > _SLACK:
        raise InputError("shares are not parts of a whole; give numbers from 0 to 1 that add to 1")
    weights = []
    for index, model in enumerate(models):
        try:
            weights.append(from_bytes(model, plan.layout()))
        except InputError as error:
            raise InputError(f"model {index} (counted from 0): {error}", index) from None
    return to_bytes(average(weights, np.array(shares, np.float64)))
