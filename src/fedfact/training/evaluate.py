"""Loss and accuracy of a model on the test set."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from .device_images import DeviceImages


class Score(NamedTuple):
    """Mean cross-entropy and share of right answers."""

    loss: float
    accuracy: float


def parts(data: DeviceImages, size: int) -> list[range]:
    """The data in pieces of at most ``size`` samples."""
    return [range(start, min(start + size, len(data))) for start in range(0, len(data), size)]


@torch.no_grad()
def count(model: nn.Module, data: DeviceImages, part: range) -> Tensor:
    """Sum of the losses and number of right answers on a part of the data, in double precision."""
    images, labels = data.batch(torch.arange(part.start, part.stop, device=data.labels.device))
    logits = model(images).float()
    loss = cross_entropy(logits, labels, reduction="none").double().sum()
    return torch.stack([loss, (logits.argmax(1) == labels).sum().double()])


def score(counts: Iterable[Tensor], data: DeviceImages) -> Score:
    """The means, from what was counted on all parts, added up in their order."""
    total = torch.stack(list(counts)).cumsum(0)[-1] / len(data)
    return Score(*total.tolist())
