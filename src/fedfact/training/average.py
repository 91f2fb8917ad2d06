"""The server's step in Algorithm 1: one model out of all the agents' models."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch

from ..mechanism import InputError
from ..mechanism.arrays import Floats
from .agent import Weights
from .model_bytes import from_bytes, to_bytes
from .plan import Plan

_SLACK = 1e-9  # how far from 1 the sum of the shares may be rounded


def average(models: Sequence[Weights], shares: Floats) -> Weights:
    """Σ_i s_i w_i (Algorithm 1, line 12), for parameters and buffers alike.

    Summed in double precision in the order of the agents, so that the result does not depend on
    who finished first. Whole numbers (batch norm's count of batches, the same for every agent, as
    all take the same steps) are taken from the first.
    """

    def mean(values: Iterable[torch.Tensor], first: torch.Tensor) -> torch.Tensor:
        if not first.is_floating_point():
            return first.clone()
        total = torch.zeros_like(first, dtype=torch.float64)
        for value, share in zip(values, shares.tolist(), strict=True):
            total.add_(value, alpha=share)
        return total.to(first.dtype)

    return {
        name: mean((model[name] for model in models), first) for name, first in models[0].items()
    }


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
