"""The server's step in Algorithm 1: one model out of all the agents' models."""

from collections.abc import Iterable, Sequence

import torch

from ..arrays import Floats
from .agent import Weights


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
