"""How training images are changed at random, and the draws: on the CPU, a row for each image."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import InputError

Draws = npt.NDArray[np.float32]
"""A row for each image: the four numbers of a 2 x 2 matrix, brightness, contrast, hue."""

DRAWN = 7
_MOST = {"rotation": 180.0, "brightness": 1.0, "contrast": 1.0, "hue": 0.5}


@dataclass(frozen=True)
class Augmentation:
    """What is done to every training image, with other draws each time it is used.

    In this order: flips, each one time in two; a rotation about the centre; brightness; contrast;
    hue. All draws are uniform.

    Attributes:
        horizontal_flip, vertical_flip: whether left and right, top and bottom, may be exchanged.
        rotation: up to so many degrees either way.
        brightness, contrast: by a factor from 1 − x to 1 + x.
        hue: by up to this part of the colour circle either way.
    """

    horizontal_flip: bool = False
    vertical_flip: bool = False
    rotation: float = 0.0
    brightness: float = 0.0
    contrast: float = 0.0
    hue: float = 0.0

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise InputError(f"augmentation: {name} is {value}; give 0 to {most:g}")

    @property
    def moves(self) -> bool:
        """Whether any pixel may change its place."""
        return self.horizontal_flip or self.vertical_flip or self.rotation > 0

    def draw(self, rng: np.random.Generator, images: int) -> Draws:
        """The draws for so many images; the same numbers are used up whatever the settings.

        A row's matrix leads from a pixel of the result, seen from the centre in pixels, to where
        in the image it is taken from: turned back, then flipped.
        """
        across, down, angle, *colour = rng.random((6, images))
        flips = (
            np.where(self.horizontal_flip & (across < 0.5), -1.0, 1.0),
            np.where(self.vertical_flip & (down < 0.5), -1.0, 1.0),
        )
        turn = math.radians(self.rotation) * (2 * angle - 1)
        cos, sin = np.cos(turn), np.sin(turn)
        brightness, contrast, hue = (
            reach * (2 * each - 1)
            for reach, each in zip((self.brightness, self.contrast, self.hue), colour, strict=True)
        )
        matrix = flips[0] * cos, -flips[0] * sin, flips[1] * sin, flips[1] * cos
        return np.stack([*matrix, 1 + brightness, 1 + contrast, hue], axis=1).astype(np.float32)
