"""Digits: 1,797 handwritten digits of 8 x 8 pixels, which scikit-learn brings along.

The optical recognition of handwritten digits data set of E. Alpaydin and C. Kaynak (UCI, 1998).
"""

import numpy as np

from .dataset import Dataset, Samples
from .split import split

CLASSES = tuple("0123456789")
MEAN, STD = (0.30530630,), (0.37556190,)  # of the training samples


def read() -> Dataset:
    """The data set; a fifth of it, always the same, is for testing."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = np.rint(digits.images * (255 / 16)).astype(np.uint8)  # they come as 0..16
    samples = Samples(pixels[..., None], digits.target.astype(np.int64))
    train, test = (samples.take(rows) for rows in split(len(samples)))
    return Dataset("digits", train, test, CLASSES, MEAN, STD)
