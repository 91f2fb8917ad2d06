"""A data set by its name, from files found on this machine, or downloaded where that may be."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from ..errors import InputError, did_you_mean
from ..io.files import reason
from ..progress import Progress, silent
from .dataset import Dataset
from .description import Description, SplitBy

DATASETS = (
    "digits",
    "mnist",
    "cifar10",
    "ham10000",
)
"""All data sets. To add one, write its file in ``sets`` and its name here, in a line of its own."""

SETS: dict[str, Description] = {
    name: import_module(f".sets.{name}", __package__).DESCRIPTION for name in DATASETS
}
"""What each data set says of itself."""

FROM_SCRATCH = tuple(name for name, each in SETS.items() if not each.pretrained)
"""Those whose network needs no file of weights: federations and the lab train on them."""

SPLIT = tuple(name for name, each in SETS.items() if each.splits)
"""Those whose test set can be set apart in several ways."""

if TYPE_CHECKING:
    Name = str
else:
    Name = Literal[DATASETS]  # for the keys of a study, which are checked as they are read


def load(
    name: str,
    directory: Path | None = None,
    *,
    split: SplitBy = "lesion",
    progress: Progress = silent,
) -> Dataset:
    """The data set of this name, decoded and split into training and test samples.

    It is looked for in ``directory``, else where FEDFACT_DATA says, else in the user's cache, and
    downloaded to there where that may be. ``split`` says how the test set of a data set that leaves
    a choice is set apart: by lesion, with no lesion on both sides, or by image as in the paper,
    with a fifth of every class (stratified) or not.
    """
    if name not in SETS:
        hint = f"{did_you_mean(name, DATASETS)} ".lstrip()
        raise InputError(f"data set {name!r} is not known; {hint}known are {', '.join(DATASETS)}")
    if split not in get_args(SplitBy):
        raise InputError(f"split {split!r} is not known; known are {', '.join(get_args(SplitBy))}")
    try:
        return SETS[name].load(directory, split, progress)
    except OSError as error:  # files that may not be read, or that vanish meanwhile
        raise InputError(
            f"{error.filename or name}: cannot be read ({reason(error)}); make it readable, or "
            "name another directory with --data-dir or FEDFACT_DATA"
        ) from None
