"""Images flipped, rotated and scaled in one pass.

A pixel of the result is interpolated (bilinear) between the four nearest of the image, as it lies
after scaling; beyond the middle of the outermost pixels these go on. What the rotation brings in
from outside the image is black, as with torchvision's ``RandomRotation``: that is what the networks
we compare with saw, and a mirrored corner would show a second lesion where there is none.
"""

import torch
from torch import Tensor
from torch.nn.functional import grid_sample, interpolate


def scaled(images: Tensor, side: int) -> Tensor:
    """Images (image, channel, height, width) as squares of so many pixels.

    Nothing is smoothed before, so this is for making images larger.
    """
    return interpolate(images, (side, side), mode="bilinear", align_corners=False)


def moved(images: Tensor, matrices: Tensor, height: int, width: int) -> Tensor:
    """Images of this size, each moved by its matrix (a row of four numbers; see ``settings``)."""
    x = (2 * torch.arange(width, device=images.device) + 1) / width - 1
    y = ((2 * torch.arange(height, device=images.device) + 1) / height - 1)[:, None]
    a, b, c, d = matrices[:, :, None, None].unbind(1)
    across = a * x + b * (height / width) * y  # from -1 to 1 within the image
    down = c * (width / height) * x + d * y
    grid = torch.stack([across, down], dim=-1)
    found = grid_sample(images, grid, mode="bilinear", padding_mode="border", align_corners=False)
    inside = (across.abs() <= 1) & (down.abs() <= 1)
    return found * inside[:, None]
