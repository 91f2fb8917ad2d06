"""Digits: 1,797 handwritten digits of 8 x 8 pixels, which scikit-learn brings along.

The optical recognition of handwritten digits data set of E. Alpaydin and C. Kaynak (UCI, 1998).
"""

from pathlib import Path

import numpy as np

from ...progress import Progress
from ..dataset import Dataset, Samples
from ..description import PAPER_PARTITIONS, Description, SplitBy
from ..split import split

CLASSES = tuple("0123456789")
MEAN, STD = (0.30530630,), (0.37556190,)  # of the training samples


def load(directory: Path | None, by: SplitBy, progress: Progress) -> Dataset:
    """The data set, which is always at hand."""
    return read()


def read() -> Dataset:
    """The data set; a fifth of it, always the same, is for testing."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = np.rint(digits.images * (255 / 16)).astype(np.uint8)  # they come as 0..16
    samples = Samples(pixels[..., None], digits.target.astype(np.int64))
    train, test = (samples.take(rows) for rows in split(len(samples)))
    return Dataset("digits", train, test, CLASSES, MEAN, STD)


DESCRIPTION = Description(
    name="digits",
    title="Digits",
    shape=(8, 8, 1),
    classes=CLASSES,
    mean=MEAN,
    std=STD,
    load=load,
    agents=16,
    network="digits_cnn",
    recipe={"optimiser": "adam", "rate": 2e-3, "batch": 32, "local_steps": 3},
    preset={
        "partitions": PAPER_PARTITIONS,
        "costs": {"kind": "gaussian"},
        "training": {"epochs": 30},
    },
)
"""Settings of our own, as the paper has no study of digits: small, and over in a minute."""
