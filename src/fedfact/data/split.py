"""A fixed split into training and test samples, for data sets that come without one.

The seed is part of the data set: every study has the same test samples, whatever its own seed.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Ints
from ..errors import InputError

SEED = 2024
PARTS = 5
"""One part in so many is for testing."""


def split(samples: int) -> tuple[Ints, Ints]:
    """Rows to train on and rows to test on, at random, each in ascending order."""
    order = np.random.default_rng(SEED).permutation(samples)
    return _sides(order >= samples // PARTS)


def split_by_class(labels: Ints) -> tuple[Ints, Ints]:
    """Rows to train on and rows to test on, at random, a fifth of every class to test on.

    Together they are a fifth of the rows; where that leaves fractions of a row, classes with the
    largest ones give one more (of equal ones, the first).
    """
    rng, test = np.random.default_rng(SEED), np.zeros(len(labels), dtype=np.bool_)
    _, label, counts = np.unique(labels, return_inverse=True, return_counts=True)
    wanted = counts // PARTS
    more = np.argsort(-(counts % PARTS), kind="stable")[: len(labels) // PARTS - wanted.sum()]
    wanted[more] += 1
    for k, number in enumerate(wanted):
        test[rng.permutation(np.flatnonzero(label == k))[:number]] = True
    return _sides(~test)


def split_whole(groups: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Rows to train on and rows to test on, with no group on both sides.

    The groups are shuffled, and the first ones are for testing, as many as are whole within a fifth
    of the rows; so at least four fifths are for training.
    """
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.random.default_rng(SEED).permutation(len(sizes))
    test = np.zeros(len(sizes), dtype=np.bool_)
    test[order] = PARTS * np.cumsum(sizes[order]) <= len(groups)
    return _sides(~test[group])


def _sides(train: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    if train.all():
        raise InputError(
            f"{len(train)} images are too few to set a fifth of them aside for testing; get all "
            "of the data set"
        )
    return np.flatnonzero(train), np.flatnonzero(~train)
