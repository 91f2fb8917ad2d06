"""What was measured of trainings at several sizes, each with several seeds.

That is the test loss, unless another measure is named: whatever is 0 or above, falls with samples,
and has a value in money, such as the share of wrong answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..arrays import Floats, Ints
from ..errors import InputError
from ..io.tables import read_columns

LOSS = "loss"
"""What is measured where nothing else is named."""
_KEYS = ("samples", "seed")
LEAST_SIZES = 4
"""A curve of three numbers fits any three sizes; a fourth can tell that it does not fit."""
LEAST_SEEDS = 3
_ALIKE = 1e-12
"""Runs that differ by no more than this part of the loss differ in rounding alone."""
_LEAST, _MOST = 1e-15, 1e50
MOST_SEED = 2**53
"""Up to here floats are exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Trainings, one an entry: how many samples, which seed, and the test loss at the end.

    Attributes:
        measure: what ``loss`` is: "loss", or the name of another measure.
    """

    samples: Ints
    seed: Ints
    loss: Floats
    measure: str = LOSS

    def __len__(self) -> int:
        return len(self.loss)

    def sizes(self) -> "Sizes":
        """Mean and variance over seeds at each size; refused where there are too few of either."""
        samples, row, count = np.unique(self.samples, return_inverse=True, return_counts=True)
        if len(samples) < LEAST_SIZES:
            raise InputError(
                f"there are {len(samples)} sizes; train at {LEAST_SIZES} or more, such as 100, "
                "200, 400 and 800 samples"
            )
        few = int(np.argmin(count))
        if count[few] < LEAST_SEEDS:
            raise InputError(
                f"{samples[few]:,} samples: there {_are(count[few])}; train with {LEAST_SEEDS} "
                "seeds or more at every size, or leave this size out"
            )
        mean = np.bincount(row, self.loss) / count
        variance = np.bincount(row, (self.loss - mean[row]) ** 2) / (count - 1)
        variance[variance <= (_ALIKE * np.abs(mean)) ** 2] = 0
        return Sizes(samples, count, mean, variance, self.measure)


def _are(seeds: int) -> str:
    return "is 1 seed" if seeds == 1 else f"are {seeds} seeds"


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """The losses by size, in ascending order: how many seeds, mean and variance over them."""

    samples: Ints
    count: Ints
    mean: Floats
    variance: Floats
    measure: str = LOSS


def read_runs(path: Path | str, measure: str = LOSS) -> Runs:
    """Trainings from a CSV or JSON file with the columns samples, seed and what was measured."""
    if measure in _KEYS:
        raise InputError(f"{measure} is not measured; name a column such as {LOSS} or error")
    path = Path(path)
    read = read_columns(path, (*_KEYS, measure), of="run")
    samples, loss, seed = read.whole("samples"), read.numbers(measure), read.numbers("seed")
    _check_seeds(path, seed, read.place)
    _check_pairs(path, samples, seed, read.place)
    _check_measured(path, measure, loss, read.place)
    return Runs(samples, seed.astype(np.int64), loss, measure)


def _check_measured(path: Path, measure: str, loss: Floats, place: Callable[[int], str]) -> None:
    """A curve below 0 has no floor that is 0 or above; far from 1, squares of squares are lost."""
    most = loss[k := int(np.argmax(loss))]
    if most > _MOST or 0 < most < _LEAST:
        raise InputError(
            f"{path}, {place(k)}: {measure} is {most:g}, and the largest must be from {_LEAST:g} "
            f"to {_MOST:g}; give it in another unit"
        )
    if loss[k := int(np.argmin(loss))] < 0:
        raise InputError(
            f"{path}, {place(k)}: {measure} is {loss[k]:g}; it must be 0 or above. Add the same "
            "number to all: that changes nothing but e∞"
        )


def _check_seeds(path: Path, seed: Floats, place: Callable[[int], str]) -> None:
    wrong = np.flatnonzero((seed < 0) | (seed > MOST_SEED) | (seed != np.floor(seed)))
    if len(wrong):
        k = int(wrong[0])
        raise InputError(
            f"{path}, {place(k)}: seed is {seed[k]:g}; it must be a whole number from 0"
        )


def _check_pairs(path: Path, samples: Ints, seed: Floats, place: Callable[[int], str]) -> None:
    """A pair that is there twice would count as two trainings, and make the noise look small."""
    seen: dict[tuple[int, float], int] = {}
    for k, pair in enumerate(zip(samples.tolist(), seed.tolist(), strict=True)):
        if pair in seen:
            raise InputError(
                f"{path}, {place(k)}: {pair[0]:,} samples with seed {pair[1]:g} are in "
                f"{place(seen[pair])} already; keep one of them"
            )
        seen[pair] = k
