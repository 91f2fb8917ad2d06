"""Images as bytes on the training device, turned into numbers batch by batch."""

import torch
from torch import Tensor

from ..data import Dataset, Samples
from .augmentation.colour import brightened, contrasted, hue_shifted
from .augmentation.move import moved, scaled
from .augmentation.settings import Augmentation
from .recipe import Recipe


class DeviceImages:
    """A data set's images (bytes, a quarter of the memory of floats) and labels on a device.

    ``recipe`` says to what size they are brought, and how those to train on are changed at random.
    """

    def __init__(
        self,
        dataset: Dataset,
        samples: Samples,
        device: torch.device,
        recipe: Recipe | None = None,
    ) -> None:
        self.images = torch.tensor(samples.images, device=device)
        self.labels = torch.tensor(samples.labels, device=device)
        mean, std = (
            torch.tensor(v, device=device)[:, None, None] for v in (dataset.mean, dataset.std)
        )
        self._scale, self._shift = 1 / (255 * std), -mean / std
        self._side = recipe.image_size if recipe else None
        self._augment = recipe.augment if recipe else None
        self.class_weights: Tensor | None = None
        """What the loss on a sample of each class counts, where that differs."""
        if recipe and recipe.weighted:
            weights = torch.tensor(1 - dataset.class_shares(), dtype=torch.float32)
            self.class_weights = weights.to(device)

    def __len__(self) -> int:
        return len(self.labels)

    def batch(self, indices: Tensor, draws: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Images with mean 0 and variance 1 a channel, in channels-last order, and labels.

        With ``draws``, a row for each image, they are changed by these before.
        """
        images = self.images.index_select(0, indices).permute(0, 3, 1, 2)
        if draws is not None and self._augment is not None:
            images = self._augmented(images, self._augment, draws)
        elif self._side is not None:
            images = scaled(images.float(), self._side)
        numbers = self._shift + self._scale * images
        return (
            numbers.contiguous(memory_format=torch.channels_last),
            self.labels.index_select(0, indices),
        )

    def _augmented(self, images: Tensor, augment: Augmentation, draws: Tensor) -> Tensor:
        """Moved, scaled and coloured; a setting of 0 takes no step, and so leaves every bit."""
        height, width = (self._side, self._side) if self._side else images.shape[2:]
        images = images.float()
        if augment.moves:
            images = moved(images, draws[:, :4], height, width)
        elif self._side is not None:
            images = scaled(images, self._side)
        if augment.brightness:
            images = brightened(images, draws[:, 4])
        if augment.contrast:
            images = contrasted(images, draws[:, 5])
        if augment.hue:
            images = hue_shifted(images, draws[:, 6])
        return images
