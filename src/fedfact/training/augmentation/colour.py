"""Brightness, contrast and hue of images, changed as torchvision's ``ColorJitter`` does.

There the three come in an order that is drawn for each image, and are rounded to whole bytes in
between; here always in this one, and nothing is rounded. Pixels go from 0 to 255.
"""

import torch
from torch import Tensor

WHITE = 255.0


def brightened(images: Tensor, factors: Tensor) -> Tensor:
    """Every pixel times its image's factor, as far as there is light."""
    return (images * factors[:, None, None, None]).clamp(0, WHITE)


def contrasted(images: Tensor, factors: Tensor) -> Tensor:
    """Every pixel so many times as far from the mean grey of its image."""
    grey = images
    if images.shape[1] == 3:
        red, green, blue = images.unbind(1)
        grey = 0.2989 * red + 0.587 * green + 0.114 * blue
    mean = grey.flatten(1).mean(1)[:, None, None, None]
    factor = factors[:, None, None, None]
    return (factor * images + (1 - factor) * mean).clamp(0, WHITE)


def hue_shifted(images: Tensor, turns: Tensor) -> Tensor:
    """RGB images with all hues moved on by a part of the colour circle.

    With value V and chroma C, which stay, and a hue of h sixths, a channel is
    V − C·max(0, min(k, 4 − k, 1)) for k = (n + h) mod 6, where n is 5, 3, 1 for red, green, blue.
    """
    red, green, blue = images.unbind(1)
    value = images.amax(1)
    chroma = value - images.amin(1)
    some = chroma.clamp(min=1e-6)  # of grey, all differences below are 0 as well
    hue = torch.where(
        value == red,
        (green - blue) / some,
        torch.where(value == green, 2 + (blue - red) / some, 4 + (red - green) / some),
    )
    hue = hue + 6 * turns[:, None, None]
    channel = 5 - 2 * torch.arange(3, device=images.device)
    k = torch.remainder(channel[:, None, None] + hue[:, None], 6)
    return value[:, None] - chroma[:, None] * torch.minimum(k, 4 - k).clamp(0, 1)
