"""Runs by training: the same network at several sizes, each with several seeds.

Every seed is one local training (``train_local``) of as many agents as there are sizes: agent k
has samples of its own, drawn at random from all there are, so many as the k-th size. Seeds have
first weights and batches of their own too, so that their spread has all that chance decides. What
is measured, after the recipe's epochs, is the test loss and the share of wrong answers.

Whoever trains otherwise writes a file of runs and has it read by `read_runs`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..arrays import Ints
from ..data import Dataset
from ..data.member_data import load_site
from ..data.split import split
from ..errors import InputError
from ..io.files import alone, clear_torn, write_whole
from ..io.folders import OTHER, check_folder, make_folder
from ..io.regular import is_directory
from ..io.tables import to_csv
from ..progress import Progress, silent
from ..training import RECIPES, Job, Machine
from ..training.kept import Planned, train_all
from ..training.networks import NETWORKS
from ..training.seeds import generator
from ..training.setup import assemble, load_to_train
from .runs import LEAST_SEEDS, LEAST_SIZES, LOSS, Runs, read_runs

RUNS = "runs.csv"
TRAINED = "trained"
MEASURES = (LOSS, "error")
"""What every training is measured by: test loss, and the share of wrong answers."""
COMMAND = "fedfact calibrate"
_DIGITS = 9  # of a share of wrong answers
HALVINGS = 6
"""Sizes below the whole, each half of the next, where none are named."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """What to train: on which data, at which sizes, with how many seeds, for how many epochs.

    Attributes:
        data: the name of a data set, or images as a member names its own (`load_site`).
        sizes: those below the whole; None for six, each half of the next.
        whole: the samples of all members together; None for all training samples.
        epochs: None for the recipe's.
    """

    data: str
    sizes: Sequence[int] | None = None
    whole: int | None = None
    seeds: int
    epochs: int | None = None

    def resolved(self, images: int) -> list[int]:
        """All sizes, the whole last, where there are so many images to train on."""
        whole = images if self.whole is None else self.whole
        below = [whole >> k for k in range(1, HALVINGS + 1)] if self.sizes is None else self.sizes
        sizes = sorted({*below, whole} - {0})
        for size in (sizes[0], sizes[-1]):
            if not 1 <= size <= images:
                raise InputError(
                    f"a size is {size:,}, and there are {images:,} samples to train on; take sizes "
                    f"from 1 to {images:,}"
                )
        if sizes[-1] != whole:
            raise InputError(
                f"a size is {sizes[-1]:,}, and the whole has {whole:,} samples; name a larger whole"
            )
        if len(sizes) < LEAST_SIZES:
            raise InputError(
                f"there are {len(sizes)} sizes, the whole among them; name {LEAST_SIZES - 1} or "
                "more below it"
            )
        return sizes


def check_place(output: Path, *, resume: bool) -> None:
    """Refuse a directory that cannot be written to, or that holds runs, if not to go on there."""
    check_folder(output, (RUNS,), (TRAINED,))
    if not resume and any((output / name).exists() for name in (RUNS, TRAINED)):
        raise InputError(
            f"{output}: holds runs already; go on with them by --resume (what is finished is not "
            f"done again), or {OTHER}"
        )


def train_runs(
    grid: Grid,
    machine: Machine,
    output: Path,
    *,
    measure: str = LOSS,
    resume: bool = False,
    data_dir: Path | None = None,
    progress: Progress = silent,
    note: Callable[[str], None] = lambda text: None,
) -> Runs:
    """Train at every size with every seed, write the runs into the directory and return them.

    The file has both measures; what is returned has the one asked for. Everything is checked before
    the first training. What was trained there before is read; a training that was killed goes on
    from its checkpoint. The file of runs is there whole or not at all.
    """
    if measure not in MEASURES:
        raise InputError(
            f"the measure is {measure}; trainings have {' and '.join(MEASURES)} (a file of runs "
            "may have others)"
        )
    check_place(output, resume=resume)
    if not LEAST_SEEDS <= grid.seeds <= 1000:
        raise InputError(f"seeds are {grid.seeds}; take {LEAST_SEEDS} to 1000")
    dataset = _dataset(grid.data, data_dir, progress)
    sizes = grid.resolved(len(dataset.train))
    jobs = [_job(dataset, sizes, grid, seed, data_dir) for seed in range(grid.seeds)]
    note(
        f"the loss is measured on {len(dataset.test):,} test images after "
        f"{jobs[0].recipe.epochs} epochs at every size"
    )
    trainings = [Planned.plan("local", job, machine, output / TRAINED, COMMAND) for job in jobs]
    before = {one.path: one.kept() for one in trainings}
    make_folder(output)
    with alone(output, wait=False):
        check_place(output, resume=resume)  # nobody came first while data was loaded
        (output / TRAINED).mkdir(exist_ok=True)
        clear_torn(output / RUNS)
        (output / RUNS).unlink(missing_ok=True)  # not finished until it is there again
        by_path = {one.path: one for one in trainings}
        scores = train_all(by_path, before, machine, progress, note)
        rows = [
            (size, seed, score.loss, round(1 - score.accuracy, _DIGITS))
            for k, size in enumerate(sizes)
            for seed, score in enumerate(scores[one.path][k] for one in trainings)
        ]
        columns = zip(("samples", "seed", *MEASURES), zip(*rows, strict=True), strict=True)
        write_whole(output / RUNS, to_csv(dict(columns)).encode())
        return read_runs(output / RUNS, measure)


def _dataset(data: str, data_dir: Path | None, progress: Progress) -> Dataset:
    """A data set with its own test samples, or one's own images with a fifth held out to test."""
    if data.isidentifier() and not is_directory(Path(data)):
        return load_to_train(data, data_dir, "lesion", progress)
    samples = load_site(data, Path(), data_dir)
    shape = samples.images.shape[1:]
    fitting = [network for network in NETWORKS.values() if network.shape == shape]
    if not fitting:
        known = "; ".join(f"{each.name}: {each.shape}" for each in NETWORKS.values())
        raise InputError(
            f"{data}: images are {shape} (height, width, channels), and no network takes them; "
            f"bring them to the size of one ({known})"
        )
    network = fitting[0]
    network.check(samples)
    train, test = split(len(samples))
    return replace(network.dataset(samples.take(train)), test=samples.take(test))


def _job(
    dataset: Dataset, sizes: Sequence[int], grid: Grid, seed: int, data_dir: Path | None
) -> Job:
    """The training of one seed at all sizes."""
    recipe = RECIPES[dataset.name]
    if grid.epochs is not None:
        recipe = replace(recipe, epochs=grid.epochs)
    shards = [_drawn(len(dataset.train), size, seed) for size in sizes]
    return assemble(dataset, shards, recipe, seed, "iid, each size drawn anew", data_dir)


def _drawn(images: int, size: int, seed: int) -> Ints:
    """The samples of a size, in ascending order, none twice."""
    drawn = generator(seed, "calibration", size).choice(images, size, replace=False)
    return np.sort(drawn).astype(np.int64)
