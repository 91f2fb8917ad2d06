"""How agents train, alone or together: optimiser, rate, batch size, epochs, local steps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..data.registry import SETS
from ..errors import InputError
from .augmentation.settings import Augmentation

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Recipe:
    """The hyper-parameters of a training.

    ``epochs`` is E and ``local_steps`` is h in Algorithm 1 and 3. The rate falls to a tenth of
    itself when each of ``drops`` (fractions of the whole training) has been done.

    Attributes:
        image_size: images are scaled to squares of so many pixels; without, they stay as they are.
        augment: how training images are changed at random.
        weighted: whether a sample counts 1 − the share of its class among all training samples of
            the data set, dealt out or not; in the loss that is trained on, and in the test loss.
    """

    optimiser: Literal["sgd", "adam"]
    rate: float
    momentum: float = 0.0
    weight_decay: float = 0.0
    drops: tuple[float, ...] = ()
    batch: int = 128
    epochs: int = 100
    local_steps: int = 6
    image_size: int | None = None
    augment: Augmentation | None = None
    weighted: bool = False

    def __post_init__(self) -> None:
        if self.optimiser not in ("sgd", "adam"):
            raise InputError(f"optimiser {self.optimiser!r} is not known; take sgd or adam")
        for name in ("batch", "epochs", "local_steps"):
            value = getattr(self, name)
            if value < 1:
                raise InputError(f"{name.replace('_', ' ')} is {value}; it must be 1 or more")
        if not 0 <= self.momentum < 1 or not 0 <= self.weight_decay < math.inf:
            raise InputError("momentum must lie in [0, 1), and weight decay must not be negative")
        if not all(0 < drop <= 1 for drop in self.drops):
            raise InputError("the rate drops at fractions of the training, in (0, 1]")
        if not 0 < self.rate < math.inf:
            raise InputError(f"the learning rate is {self.rate}; it must be a positive number")
        if self.image_size is not None and self.image_size < 1:
            raise InputError(f"image size is {self.image_size}; it must be 1 or more")

    def describe(self) -> dict[str, Any]:
        """Every setting by its name in words; of the last three, those that are made use of."""
        optional = ("image_size", "augment", "weighted")
        return {
            name.replace("_", " "): value
            for name, value in asdict(self).items()
            if value or name not in optional
        }

    def rate_at(self, step: int, steps: int) -> float:
        """The learning rate of a step, counted from 0, of a training of so many steps."""
        return float(self.rate * 0.1 ** sum(step >= drop * steps for drop in self.drops))

    def make_optimiser(
        self, parameters: Iterable[torch.nn.Parameter], rate: float | torch.Tensor | None = None
    ) -> torch.optim.Optimizer:
        """PyTorch's optimiser, fused: one pass over the weights where the plain one takes many.

        ``rate`` may be a tensor, for a CUDA graph to read the rate from.
        """
        import torch  # here: a plan is read without it

        options: dict[str, Any] = {"fused": True, "weight_decay": self.weight_decay}
        options["lr"] = self.rate if rate is None else rate
        if self.optimiser == "sgd":
            return torch.optim.SGD(parameters, momentum=self.momentum, **options)
        return torch.optim.Adam(parameters, capturable=torch.is_tensor(rate), **options)


RECIPES = {name: Recipe(**each.recipe) for name, each in SETS.items()}
"""The recipe of each data set, as its file gives it."""
