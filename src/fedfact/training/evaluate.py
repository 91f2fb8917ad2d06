"""Loss and accuracy of a model on the test set."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from .device_images import DeviceImages


class Score(NamedTuple):
    """Mean cross-entropy, by the weights of the classes where they have some, and share right."""

    loss: float
    accuracy: float


def parts(data: DeviceImages, size: int) -> list[range]:
    """The data in pieces of at most ``size`` samples."""
    return [range(start, min(start + size, len(data))) for start in range(0, len(data), size)]


@torch.no_grad()
def count(model: nn.Module, data: DeviceImages, part: range) -> Tensor:
    """On a part of the data: sum of the losses, number of right answers, sum of the weights.

    In double precision. Without weights of classes every sample weighs 1.
    """
    images, labels = data.batch(torch.arange(part.start, part.stop, device=data.labels.device))
    logits = model(images).float()
    weights = data.class_weights
    loss = cross_entropy(logits, labels, weights, reduction="none").double().sum()
    each = torch.ones_like(labels) if weights is None else weights.index_select(0, labels)
    return torch.stack([loss, (logits.argmax(1) == labels).sum().double(), each.double().sum()])


def score(counts: Iterable[Tensor], data: DeviceImages) -> Score:
    """The means, from what was counted on all parts, added up in their order."""
    loss, right, weight = torch.stack(list(counts)).cumsum(0)[-1]
    return Score((loss / weight).item(), (right / len(data)).item())
