"""CIFAR-10's published batches: Python pickles, in a folder or in the archive they come in.

A pickle can run any code when it is read. These are read so that they can build arrays, lists and
dictionaries, and nothing else.
"""

import io
import pickle
import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...io import limits
from ...io.regular import open_regular, read_bytes
from ...progress import Progress
from ..dataset import Samples, checked_samples

FOLDER = "cifar-10-batches-py"
ARCHIVE = "cifar-10-python.tar.gz"
TRAIN = tuple(f"data_batch_{k}" for k in range(1, 6))
TEST = ("test_batch",)
SIDE = 32
MOST_BATCH = 64 * limits.MIB
"""A published one has half of it."""
CLASSES = 10


def read_folder(folder: Path, names: Sequence[str], progress: Progress) -> Samples:
    """The samples of some batches of a folder, one batch after the other."""
    found = {}
    for name in names:
        found[name] = read_bytes(folder / name, MOST_BATCH)
        progress("read cifar10", len(found), len(names), "files")
    return _joined([_batch(folder / name, data) for name, data in found.items()])


def read_archive(path: Path, names: Sequence[str], progress: Progress) -> Samples:
    """The samples of some batches of the archive, without unpacking it to disk."""
    found: dict[str, bytes] = {}
    try:
        with (
            open_regular(path, limits.SAMPLES) as packed,
            tarfile.open(fileobj=packed, mode="r:gz") as archive,
        ):
            for member in archive:  # in the order of the archive: going back means unpacking again
                name = member.name.removeprefix(f"{FOLDER}/")
                file = archive.extractfile(member) if name in names else None
                if member.size > MOST_BATCH:
                    raise InputError(f"{path}: {name[:80]} is too large; get the file again")
                if file:
                    found[name] = file.read()
                    progress("unpack cifar10", len(found), len(names), "files")
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path}: cannot be unpacked ({error}); get the file again") from None
    for name in names:
        if name not in found:
            raise InputError(f"{path}: {FOLDER}/{name} is not in it; get the file again")
    return _joined([_batch(path / FOLDER / name, found[name]) for name in names])


def _joined(batches: list[Samples]) -> Samples:
    images = np.concatenate([batch.images for batch in batches])
    return Samples(images, np.concatenate([batch.labels for batch in batches]))


def _batch(where: Path, data: bytes) -> Samples:
    try:
        batch = _Restricted(io.BytesIO(data), encoding="bytes").load()
    except Exception as error:  # a damaged pickle can raise anything
        raise InputError(
            f"{where}: cannot be read as a batch of CIFAR-10 ({error}); get the file again"
        ) from None
    content = batch if isinstance(batch, dict) else {}
    rows, labels = content.get(b"data"), content.get(b"labels")
    if not isinstance(rows, np.ndarray) or not isinstance(labels, list):
        raise InputError(
            f"{where}: has no array 'data' and list 'labels', so it is no batch of CIFAR-10; get "
            "the file again"
        )
    if rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] != 3 * SIDE * SIDE:
        raise InputError(
            f"{where}: data is {rows.dtype} of shape {rows.shape}, not uint8 of shape "
            f"(images, {3 * SIDE * SIDE}); get the file again"
        )
    if not all(type(label) is int for label in labels):
        raise InputError(f"{where}: a label is not a whole number; get the file again")
    planes = rows.reshape(-1, 3, SIDE, SIDE)
    images = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))  # colours come last here
    return checked_samples(where, images, np.array(labels, dtype=np.int64), CLASSES)


def _dtype(name: str | bytes, *flags: object) -> np.dtype[Any]:
    # Python 2 wrote the flags as 0 and 1, which some versions of numpy warn about; none matters.
    return np.dtype(name.decode() if isinstance(name, bytes) else name)


_ALLOWED = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): _dtype,
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],  # before numpy 2
    ("numpy._core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
}


class _Restricted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no batch needs")
        return _ALLOWED[module, name]
