"""Brightness, contrast and hue, against Pillow and Python's colorsys, pixel by pixel."""

import colorsys

import numpy as np
import pytest
import torch
from PIL import Image, ImageEnhance

from fedfact.training.augmentation.colour import brightened, contrasted, hue_shifted

IMAGES = np.random.default_rng(5).integers(0, 256, (3, 3, 6, 4)).astype(np.float32)
IMAGES[0, :, 0] = 77  # grey: without a hue
IMAGES[0, :, 1] = 0
IMAGES[0, :, 2] = 255


def change(how, images, *amounts):
    return how(torch.from_numpy(images), torch.tensor(amounts)).numpy()


def by_pillow(enhance, factor, image):
    picture = Image.fromarray(image.transpose(1, 2, 0).astype(np.uint8))
    return np.asarray(enhance(picture).enhance(factor)).transpose(2, 0, 1)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(brightened, ImageEnhance.Brightness), (contrasted, ImageEnhance.Contrast)],
    ids=["brightness", "contrast"],
)
def test_as_pillow_does_but_for_its_rounding(ours, theirs):
    factors = (0.6, 1.0, 1.7)
    found = change(ours, IMAGES, *factors)
    for one, factor, image in zip(found, factors, IMAGES, strict=True):
        np.testing.assert_allclose(one, by_pillow(theirs, factor, image), atol=1.5)
        assert one.min() >= 0
        assert one.max() <= 255


def test_brightness_and_contrast_by_hand():
    grey = np.array([[[[10, 20], [30, 240]]]], np.float32)  # the mean is 75
    assert change(brightened, grey, 1.5).tolist() == [[[[15, 30], [45, 255]]]]
    assert change(contrasted, grey, 0.5).tolist() == [[[[42.5, 47.5], [52.5, 157.5]]]]
    assert change(contrasted, grey, 2.0).tolist() == [[[[0, 0], [0, 255]]]]
    colour = np.array([100, 200, 50], np.float32).reshape(1, 3, 1, 1)
    mean = 0.2989 * 100 + 0.587 * 200 + 0.114 * 50
    wanted = [0.8 * value + 0.2 * mean for value in (100, 200, 50)]
    np.testing.assert_allclose(change(contrasted, colour, 0.8).ravel(), wanted, rtol=1e-6)


@pytest.mark.parametrize("turn", [0.0, 0.1, -0.1, 0.5, -0.37, 1 / 3])
def test_hue_is_colorsys(turn):
    found = change(hue_shifted, IMAGES, turn, turn, turn).transpose(0, 2, 3, 1).reshape(-1, 3)
    for pixel, one in zip(IMAGES.transpose(0, 2, 3, 1).reshape(-1, 3), found, strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*map(float, pixel / 255))
        wanted = np.array(colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)) * 255
        np.testing.assert_allclose(one, wanted, atol=2e-3)


def test_each_image_has_its_own_amount():
    for how in (brightened, contrasted, hue_shifted):
        together = change(how, IMAGES, 0.9, 0.3, 0.1)
        for one, image, amount in zip(together, IMAGES, (0.9, 0.3, 0.1), strict=True):
            assert np.array_equal(one, change(how, image[None], amount)[0])
