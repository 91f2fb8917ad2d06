"""CIFAR-10: 50,000 + 10,000 photographs of 32 x 32 pixels in ten classes (A. Krizhevsky, 2009).

Looked for in ``cifar10/`` and in the directory itself: six lossless pictures, each a grid of the
images of one batch, with ``labels.npz``; or the published ``cifar-10-batches-py/``; or the archive
that it comes in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...progress import Progress
from ..dataset import Dataset, Samples, check_classes, checked_samples
from ..description import PAPER_PARTITIONS, Description, SplitBy
from ..sources import cifar10_batches as batches
from ..sources.archive import read_arrays
from ..sources.cache import cached
from ..sources.download import Remote, download
from ..sources.images import decode_grid
from ..sources.locate import data_directory

CLASSES = (
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
)
MEAN = (0.49139968, 0.48215841, 0.44653091)
STD = (0.24703223, 0.24348513, 0.26158784)
SIDE = batches.SIDE

MIRRORS = ("https://www.cs.toronto.edu/~kriz/",)
REMOTES = (Remote(batches.ARCHIVE, 170_498_071, "c58f30108f718f92721af3b95e74349a"),)

GRIDS = {"train": tuple(f"train_{k}.webp" for k in range(1, 6)), "test": ("test.webp",)}
LABELS = "labels.npz"


@dataclass(frozen=True)
class Side:
    """The training or the test samples: the files they come from, and how these are read."""

    sources: Sequence[Path]
    decode: Callable[[Progress], Samples]


def load(directory: Path | None, by: SplitBy, progress: Progress) -> Dataset:
    """The data set from where it is found, or downloaded."""
    root = data_directory(directory)
    return read(find(root) or fetch(root, progress), progress)


def find(directory: Path) -> dict[str, Side] | None:
    """The training and the test side, in the first layout that is there."""
    incomplete: InputError | None = None
    for folder in (directory / "cifar10", directory):
        for layout in (_grids, _pickles, _archive):
            sides = layout(folder)
            files = {path: path.is_file() for side in sides.values() for path in side.sources}
            if all(files.values()):
                return sides
            if any(files.values()) and not incomplete:
                absent = ", ".join(path.name for path, there in files.items() if not there)
                there = next(path for path, there in files.items() if there)
                incomplete = InputError(
                    f"{there.parent}: {there.name} is there, but {absent} not; get what is "
                    f"missing, or take {there.name} away to have cifar10 downloaded"
                )
    if incomplete:
        raise incomplete
    return None


def fetch(directory: Path, progress: Progress) -> dict[str, Side]:
    """Both sides from the archive in ``cifar10/``, after it was downloaded."""
    folder = directory / "cifar10"
    download(REMOTES, MIRRORS, folder, progress)
    return _archive(folder)


def read(sides: dict[str, Side], progress: Progress) -> Dataset:
    """The data set from what was found."""
    samples = {
        name: cached(
            f"cifar10-{name}", side.sources, (SIDE, SIDE, 3), partial(side.decode, progress)
        )
        for name, side in sides.items()
    }
    return Dataset("cifar10", samples["train"], samples["test"], CLASSES, MEAN, STD)


def _grids(folder: Path) -> dict[str, Side]:
    return {
        name: Side(
            [*(folder / grid for grid in grids), folder / LABELS],
            partial(_read_grids, folder, name),
        )
        for name, grids in GRIDS.items()
    }


def _read_grids(folder: Path, name: str, progress: Progress) -> Samples:
    labels, classes = read_arrays(folder / LABELS, (name, "classes"))
    check_classes(folder / LABELS, classes, CLASSES)
    images = []
    for k, grid in enumerate(GRIDS[name], start=1):
        images.append(decode_grid(folder / grid, SIDE))
        progress(f"decode cifar10 {name}", k, len(GRIDS[name]), "files")
    return checked_samples(f"{folder}, {name}", np.concatenate(images), labels, len(CLASSES))


def _pickles(folder: Path) -> dict[str, Side]:
    below = folder / batches.FOLDER
    names = {"train": batches.TRAIN, "test": batches.TEST}
    return {
        side: Side([below / batch for batch in some], partial(batches.read_folder, below, some))
        for side, some in names.items()
    }


def _archive(folder: Path) -> dict[str, Side]:
    path = folder / batches.ARCHIVE
    names = {"train": batches.TRAIN, "test": batches.TEST}
    return {
        side: Side([path], partial(batches.read_archive, path, some))
        for side, some in names.items()
    }


DESCRIPTION = Description(
    name="cifar10",
    title="CIFAR-10",
    shape=(SIDE, SIDE, 3),
    classes=CLASSES,
    mean=MEAN,
    std=STD,
    load=load,
    agents=16,
    network="resnet18_small",
    recipe={
        "optimiser": "sgd",
        "rate": 0.05,
        "momentum": 0.9,
        "weight_decay": 5e-4,
        "drops": (0.5, 0.75),
    },
    preset={"partitions": PAPER_PARTITIONS, "training": {"test_every": 10}},
    order_in_paper=1,
)
"""As in the paper, and as we chose where it says nothing: momentum, weight decay and drops."""
