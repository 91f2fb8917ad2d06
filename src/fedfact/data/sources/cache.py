"""Decoded samples kept in the user's cache, so that images are decoded once.

What is kept is found again by the paths, sizes and times of the files it was made from. What is
damaged is made again; where nothing can be kept, everything works as well, only slower.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...io.files import whole_file, write_whole
from ..dataset import Samples
from .locate import cache_directory

VERSION = 1
"""To be raised when the same files are decoded to something else than before."""


def cached(
    name: str, sources: Sequence[Path], shape: tuple[int, int, int], decode: Callable[[], Samples]
) -> Samples:
    """What ``decode`` makes of the source files, images of ``shape``: kept, or made and kept.

    The arrays are mapped from the cache, not read; writing to them does not change it.
    """
    try:
        stem = cache_directory() / "decoded" / f"{name}-{_key(sources)}"
    except (InputError, OSError):
        return decode()
    kept = _read(stem, shape)
    if kept:
        return kept
    made = decode()
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        for part, array in (("images", made.images), ("labels", made.labels)):
            with whole_file(_file(stem, part)) as file:
                np.save(file, array, allow_pickle=False)
            write_whole(_digest_file(_file(stem, part)), _digest(array).encode())
    except (InputError, OSError):
        return made
    return _read(stem, shape) or made  # mapped, so that the memory is free again


def _key(sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(f"version {VERSION}\n".encode())
    for path in sources:
        stat = path.stat()
        digest.update(os.fsencode(path.resolve()))
        digest.update(f"\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def _file(stem: Path, part: str) -> Path:
    return stem.with_name(f"{stem.name}-{part}.npy")


def _digest_file(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _digest(array: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()


def _read(stem: Path, shape: tuple[int, int, int]) -> Samples | None:
    images = _array(_file(stem, "images"), np.uint8)
    labels = _array(_file(stem, "labels"), np.int64)
    if images is None or labels is None:
        return None
    if images.shape != (len(labels), *shape) or labels.ndim != 1:
        return None
    return Samples(images, labels)


def _array(path: Path, kind: type[np.generic]) -> npt.NDArray[Any] | None:
    """The array of a file, or nothing if there is none or anything about it is wrong."""
    if not path.is_file():
        return None
    try:
        array = np.lib.format.open_memmap(path, mode="c")
        whole = array.offset + array.nbytes == path.stat().st_size
        whole &= array.dtype == kind and _digest_file(path).read_text() == _digest(array)
    except Exception:  # a damaged header makes numpy raise many kinds; the file is made again
        return None
    return np.asarray(array) if whole else None
