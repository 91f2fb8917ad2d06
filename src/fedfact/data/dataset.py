"""What a data set is: labelled images for training and for testing, and how to scale the pixels."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints, floats
from ..errors import InputError

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Samples:
    """Images, uint8 of (sample, height, width, channel), and their labels."""

    images: Pixels
    labels: Ints

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Ints) -> "Samples":
        """The samples of these rows, in this order."""
        return Samples(self.images[rows], self.labels[rows])


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set. ``mean`` and ``std`` are of each channel, for pixels scaled to 0..1."""

    name: str
    train: Samples
    test: Samples
    classes: tuple[str, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def class_shares(self) -> Floats:
        """The share of each class among the training samples, whoever gets them."""
        counts = np.bincount(self.train.labels, minlength=len(self.classes))
        return floats(counts / len(self.train))

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of all images and labels."""
        sha256 = hashlib.sha256()
        for samples in (self.train, self.test):
            sha256.update(np.ascontiguousarray(samples.images).data)
            sha256.update(np.ascontiguousarray(samples.labels).data)
        return sha256.hexdigest()


def checked_labels(where: object, labels: npt.NDArray[Any], classes: int) -> Ints:
    """The labels as whole numbers from 0 to ``classes`` - 1, or a refusal naming ``where``."""
    if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
        raise InputError(
            f"{where}: labels are an array of {labels.dtype} of shape {labels.shape} where a list "
            "of whole numbers should be; get the file again"
        )
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        raise InputError(
            f"{where}: label {labels[wrong[0]]} of sample {wrong[0]} is out of range, labels go "
            f"from 0 to {classes - 1}; get the file again"
        )
    return labels.astype(np.int64)


def checked_samples(
    where: object, images: Pixels, labels: npt.NDArray[Any], classes: int
) -> Samples:
    """Images and labels that belong together, or a refusal naming ``where``."""
    if len(images) != len(labels):
        raise InputError(
            f"{where}: there are {len(images)} images and {len(labels)} labels; get the files "
            "again, images and labels from the same place"
        )
    if not len(images):
        raise InputError(f"{where}: there are no images; get the file again")
    return Samples(images, checked_labels(where, labels, classes))


def check_classes(path: Path, found: npt.NDArray[Any], classes: tuple[str, ...]) -> None:
    """Refuse a file that means other classes, or the same in another order."""
    names = tuple(map(str, np.ravel(found)))
    if names != classes:
        raise InputError(
            f"{path}: the classes are {', '.join(names)[:80]}, not {', '.join(classes)}; get the "
            "file again"
        )
