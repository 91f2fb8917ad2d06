"""A data set by its name, from files found on this machine, or downloaded where that may be."""

from pathlib import Path
from typing import Literal, get_args

from ..files import reason
from ..mechanism import InputError
from ..mechanism.errors import did_you_mean
from ..progress import Report, silent
from . import cifar10, digits, ham10000, mnist
from .dataset import Dataset
from .locate import data_directory

Name = Literal["digits", "mnist", "cifar10", "ham10000"]
DATASETS: tuple[Name, ...] = get_args(Name)
TITLES = {"digits": "Digits", "mnist": "MNIST", "cifar10": "CIFAR-10", "ham10000": "HAM10000"}
"""How people write them."""


def load(
    name: str,
    directory: Path | None = None,
    *,
    split: ham10000.By = "lesion",
    report: Report = silent,
) -> Dataset:
    """The data set of this name, decoded and split into training and test samples.

    It is looked for in ``directory``, else where FEDFACT_DATA says, else in the user's cache. MNIST
    and CIFAR-10 are downloaded there if they are not; digits is always at hand. ``split`` says how
    HAM10000 is split: by lesion, with no lesion on both sides, or by image, as the paper did.
    """
    if name not in DATASETS:
        hint = f"{did_you_mean(name, DATASETS)} ".lstrip()
        raise InputError(f"data set {name!r} is not known; {hint}known are {', '.join(DATASETS)}")
    if split not in get_args(ham10000.By):
        raise InputError(f"split {split!r} is not known; known are lesion and image")
    try:
        return _load(name, directory, split, report)
    except OSError as error:  # files that may not be read, or that vanish meanwhile
        raise InputError(
            f"{error.filename or name}: cannot be read ({reason(error)}); make it readable, or "
            "name another directory with --data-dir or FEDFACT_DATA"
        ) from None


def _load(name: str, directory: Path | None, split: ham10000.By, report: Report) -> Dataset:
    if name == "digits":
        return digits.read()
    root = data_directory(directory)
    if name == "ham10000":
        return ham10000.read(ham10000.find(root), split, report)
    if name == "mnist":
        return mnist.read(mnist.find(root) or mnist.fetch(root, report))
    return cifar10.read(cifar10.find(root) or cifar10.fetch(root, report), report)
