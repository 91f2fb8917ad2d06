"""Images as bytes on the training device, turned into numbers batch by batch."""

import torch
from torch import Tensor

from ..data import Dataset, Samples


class DeviceImages:
    """A data set's images (bytes, a quarter of the memory of floats) and labels on a device."""

    def __init__(self, dataset: Dataset, samples: Samples, device: torch.device) -> None:
        self.images = torch.tensor(samples.images, device=device)
        self.labels = torch.tensor(samples.labels, device=device)
        mean, std = (
            torch.tensor(v, device=device)[:, None, None] for v in (dataset.mean, dataset.std)
        )
        self._scale, self._shift = 1 / (255 * std), -mean / std

    def __len__(self) -> int:
        return len(self.labels)

    def batch(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        """Images with mean 0 and variance 1 a channel, in channels-last order, and labels."""
        images = self.images.index_select(0, indices).permute(0, 3, 1, 2)
        return self._shift + self._scale * images, self.labels.index_select(0, indices)
