"""Flips, rotations and scaling, against pixel after pixel by hand and against Pillow."""

import math

import numpy as np
import pytest
import torch
from PIL import Image

from fedfact.training.augmentation.move import moved, scaled

RNG = np.random.default_rng(3)
TALL = RNG.integers(0, 256, (2, 3, 7, 5)).astype(np.float32)
IDENTITY = (1.0, 0.0, 0.0, 1.0)


def move(images, *matrices, height=None, width=None):
    size = height or images.shape[2], width or images.shape[3]
    rows = torch.tensor(matrices, dtype=torch.float32)
    return moved(torch.from_numpy(images), rows, *size).numpy()


def turn(degrees, flip_x=1, flip_y=1):
    """Counter-clockwise, of an image that was flipped before."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (flip_x * cos, -flip_x * sin, flip_y * sin, flip_y * cos)


def slowly(image, matrix, height, width):
    """One pixel after the other: scale, flip, turn; bilinear; black from outside."""
    channels, rows, columns = image.shape
    result = np.zeros((channels, height, width))
    a, b, c, d = matrix
    for i in range(height):
        for j in range(width):
            x, y = j + 0.5 - width / 2, i + 0.5 - height / 2  # from the centre, in pixels
            u, v = a * x + b * y, c * x + d * y
            if abs(u) > width / 2 or abs(v) > height / 2:
                continue
            column = (u + width / 2) * columns / width - 0.5
            row = (v + height / 2) * rows / height - 0.5
            column, row = min(max(column, 0), columns - 1), min(max(row, 0), rows - 1)
            left, top = math.floor(column), math.floor(row)
            right, below = min(left + 1, columns - 1), min(top + 1, rows - 1)
            p, q = column - left, row - top
            result[:, i, j] = (1 - q) * ((1 - p) * image[:, top, left] + p * image[:, top, right])
            result[:, i, j] += q * ((1 - p) * image[:, below, left] + p * image[:, below, right])
    return result


def test_without_a_turn_every_pixel_stays():
    np.testing.assert_allclose(move(TALL, IDENTITY, IDENTITY), TALL, atol=1e-3)


@pytest.mark.parametrize(
    ("flips", "axes"), [((-1, 1), [2]), ((1, -1), [1]), ((-1, -1), [1, 2])], ids=str
)
def test_flips_exchange_the_sides(flips, axes):
    found = move(TALL, turn(0, *flips), IDENTITY)
    np.testing.assert_allclose(found[0], np.flip(TALL[0], axes), atol=1e-3)
    np.testing.assert_allclose(found[1], TALL[1], atol=1e-3)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_right_angles_are_pillows(degrees):
    square = RNG.integers(0, 256, (1, 3, 6, 6)).astype(np.float32)
    wanted = [
        np.asarray(Image.fromarray(plane.astype(np.uint8)).rotate(degrees)) for plane in square[0]
    ]
    np.testing.assert_allclose(move(square, turn(degrees))[0], wanted, atol=1e-2)


@pytest.mark.parametrize("degrees", [20, -13, 45])
def test_within_the_image_any_angle_is_pillows(degrees):
    plane = RNG.integers(0, 256, (24, 24)).astype(np.float32)
    wanted = np.asarray(Image.fromarray(plane, mode="F").rotate(degrees, Image.Resampling.BILINEAR))
    found = move(plane[None, None], turn(degrees))[0, 0]
    middle = slice(6, 18)  # Pillow has borders of its own
    np.testing.assert_allclose(found[middle, middle], wanted[middle, middle], atol=1e-2)


@pytest.mark.parametrize("degrees", [0, 20, -13, 90, 137])
@pytest.mark.parametrize("flips", [(1, 1), (-1, 1), (-1, -1)], ids=str)
@pytest.mark.parametrize("size", [(7, 5), (5, 7), (12, 12)], ids=str)
def test_turned_flipped_and_scaled_at_once_is_pixel_after_pixel(degrees, flips, size):
    matrix = turn(degrees, *flips)
    found = move(TALL, matrix, matrix, height=size[0], width=size[1])
    for image, one in zip(TALL, found, strict=True):
        wanted = slowly(image, matrix, *size)
        # where a coordinate is the very edge, rounding decides on black
        near = np.abs(one - wanted).max(axis=0) < 0.05
        assert near.mean() > (0.9 if degrees == 90 else 0.99)


def test_corners_are_black_and_the_middle_is_not():
    white = np.full((1, 3, 20, 20), 255, np.float32)
    found = move(white, turn(20))
    corners = found[0][:, [0, 0, -1, -1], [0, -1, 0, -1]]
    assert corners.tolist() == [[0] * 4] * 3
    np.testing.assert_allclose(found[0, :, 3:17, 3:17], 255, atol=1e-3)
    assert set(np.unique(found.round(2)).tolist()) == {0, 255}  # nothing between


@pytest.mark.parametrize("side", [8, 10, 14])
def test_scaled_is_moved_by_nothing(side):
    images = torch.from_numpy(TALL)
    found = scaled(images, side).numpy()
    assert found.shape == (2, 3, side, side)
    np.testing.assert_allclose(
        found, move(TALL, IDENTITY, IDENTITY, height=side, width=side), atol=1e-3
    )
    np.testing.assert_allclose(found[1], slowly(TALL[1], IDENTITY, side, side), atol=1e-3)
