"""A member's own samples, from one line of its config.

- ``NAME:K/N``: part K, counted from 0, of N equal parts of a data set, at random and without
  overlap, such as ``digits:0/3``;
- ``PATH.npz``: the arrays ``images`` and ``labels``;
- ``DIRECTORY/``: pictures, in one folder for each class (see ``image_folders``);
- ``package.module:function``: a function of the member's own that takes no arguments and returns
  images and labels. It is imported from what is installed, or from the config's own directory.

Images are uint8 of (sample, height, width, channel), or without the last where they are grey;
labels are whole numbers from 0. Nothing is ever unpickled.
"""

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..io import limits
from ..io.columns import shorten
from ..io.regular import is_directory, is_file
from .dataset import Samples
from .partition import partition
from .registry import FROM_SCRATCH, load
from .sources.archive import read_arrays
from .sources.image_folders import read_folders

SEED = 2024
"""Of the parts of a data set: part K of N has the same samples on every machine."""

MOST_LABEL = 99_999

MOST_LINE = 4096
"""The longest line, as the longest path of a system."""

FORMS = f"{FROM_SCRATCH[0]}:K/N, a PATH.npz, a DIRECTORY/ or package.module:function"
_SAVE = "write it with numpy.savez(path, images=..., labels=...)"


def load_site(text: str, base: Path, data_dir: Path | None = None) -> Samples:
    """The samples that a line names.

    Paths are relative to ``base``, the directory of the config; ``data_dir`` is where data
    sets are looked for. That labels are classes of the network is checked where there is one.
    """
    name, colon, rest = text.partition(":")
    if len(text) > MOST_LINE or not text.isprintable():
        raise InputError(
            f"data {shorten(text, 80)!r} is no name that a file can have; write {FORMS}"
        )
    if name in FROM_SCRATCH:
        return _part(text, name, rest, data_dir)
    if text.endswith(".npz"):
        return _archive(base / text)
    if text.endswith("/") or (text and not colon and is_directory(base / text)):
        return _checked(base / text, *read_folders(base / text))
    if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*", text):
        return _own_function(text, name, rest, base)
    raise InputError(f"data {text[:80]!r} is not known; write {FORMS}")


def _part(text: str, name: str, rest: str, data_dir: Path | None) -> Samples:
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", rest)
    k, n = map(int, match.groups()) if match else (0, 0)
    if not k < n:
        raise InputError(
            f"data {text[:80]!r} is no part of {name}; write {name}:K/N for part K of N, K from 0 "
            f"to N - 1, such as {name}:0/3"
        )
    train = load(name, data_dir).train
    if n > len(train):
        raise InputError(
            f"data {text!r}: {n} parts are more than the {len(train)} training samples of {name}; "
            "take fewer"
        )
    sizes = np.full(n, len(train) // n)
    return train.take(partition(train.labels, sizes, "iid", np.random.default_rng(SEED))[k])


def _archive(path: Path) -> Samples:
    if not is_file(path):
        raise InputError(f"{path}: there is no such file; name one, or {_SAVE}")
    return _checked(path, *read_arrays(path, ("images", "labels"), _SAVE))


def _own_function(text: str, module: str, name: str, base: Path) -> Samples:
    remedy = f"install it, or put it into {base}"
    with _beside(base):
        try:
            function = getattr(importlib.import_module(module), name)
        except (Exception, SystemExit) as error:  # whatever the member's module raises
            raise InputError(f"{text}: cannot be imported ({_words(error)}); {remedy}") from error
        try:
            images, labels = function()
            arrays = np.asarray(images), np.asarray(labels)
        except (Exception, SystemExit) as error:
            raise InputError(
                f"{text}: does not return images and labels ({_words(error)}); have it take no "
                "arguments and return the two arrays"
            ) from error
    return _checked(text, *arrays)


@contextmanager
def _beside(base: Path) -> Iterator[None]:
    """Where modules in this directory are found, after all that is installed."""
    place = str(base.resolve())
    sys.path.append(place)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(place)


def _checked(where: object, images: npt.NDArray[Any], labels: npt.NDArray[Any]) -> Samples:
    """Images and labels that belong together, or a refusal that names ``where``."""
    if images.dtype != np.uint8 or images.ndim not in (3, 4) or not images[:1].size:
        raise InputError(
            f"{where}: images are {images.dtype} of shape {images.shape}; give at least one, as "
            "uint8 of (sample, height, width, channel), or without the channel where they are grey"
        )
    if images.nbytes > limits.SAMPLES:
        raise InputError(f"{where}: {limits.TOO_LARGE}")
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise InputError(
            f"{where}: labels are {labels.dtype} of shape {labels.shape}; give a list of whole "
            "numbers, one for each image"
        )
    if len(images) != len(labels):
        raise InputError(
            f"{where}: there are {len(images)} images and {len(labels)} labels; give one label for "
            "each image"
        )
    wrong = np.flatnonzero((labels < 0) | (labels > MOST_LABEL))
    if len(wrong):
        raise InputError(
            f"{where}: label {labels[wrong[0]]} of sample {wrong[0]} (counted from 0) is no class; "
            "number the classes 0, 1, 2 and so on"
        )
    with_channel = images if images.ndim == 4 else images[..., None]
    return Samples(np.ascontiguousarray(with_channel), labels.astype(np.int64))


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:200]
