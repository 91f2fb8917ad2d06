"""The networks that need no file of weights, by name: how each is made, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..data import Dataset, Samples
from ..data.registry import FROM_SCRATCH, SETS
from ..errors import InputError

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Network:
    """A network of the name of the data set it was made for.

    It takes images of this shape (height, width, channels), of these classes. ``mean`` and ``std``
    of each channel, for pixels scaled to 0..1, are those of that data set: every member of a
    federation scales its own images by the same numbers. ``model`` is its name in
    ``fedfact.models``.
    """

    name: str
    model: str
    shape: tuple[int, int, int]
    classes: tuple[str, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def new(self) -> nn.Module:
        """The network for its classes; its weights come from torch's global generator."""
        return make_network(self.model, len(self.classes))

    def blank(self) -> nn.Module:
        """The network with whatever numbers are in memory, for weights to be loaded into.

        It draws no random numbers, so many threads may make one at a time.
        """
        return self.outline().to_empty(device="cpu")

    def outline(self) -> nn.Module:
        """The network without numbers: names, types and shapes alone."""
        import torch

        with torch.device("meta"):
            return self.new()

    def dataset(self, samples: Samples) -> Dataset:
        """The samples, which were checked, as a data set without test samples."""
        nothing = samples.take(np.arange(0))
        return Dataset(self.name, samples, nothing, self.classes, self.mean, self.std)

    def check(self, samples: Samples) -> None:
        """Refuse samples that the network cannot learn from."""
        found = samples.images.shape[1:]
        if found != self.shape:
            raise InputError(
                f"the images are {_size(found)}, and the network {self.name} takes "
                f"{_size(self.shape)} (height, width, channels); bring them to that size"
            )
        most = len(self.classes) - 1
        wrong = np.flatnonzero((samples.labels < 0) | (samples.labels > most))
        if len(wrong):
            raise InputError(
                f"label {samples.labels[wrong[0]]} of sample {wrong[0]} (counted from 0) is out of "
                f"range; labels of the network {self.name} go from 0 to {most}"
            )
        if not len(samples):
            raise InputError("there are no samples; give at least one")


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def make_network(model: str, classes: int) -> nn.Module:
    """The network of this name in ``fedfact.models``, for so many classes."""
    from .. import models  # here: a plan is read without PyTorch

    made: nn.Module = getattr(models, model)(classes)
    return made


NETWORKS = {
    each.name: Network(each.name, each.network, each.shape, each.classes, each.mean, each.std)
    for each in map(SETS.__getitem__, FROM_SCRATCH)
}
