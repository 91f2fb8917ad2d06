"""MNIST: 60,000 + 10,000 handwritten digits of 28 x 28 pixels, in the four original idx files.

The files are looked for as they are published (.gz) or unpacked, in ``mnist/``, in ``MNIST/raw/``
(where torchvision puts them), or in the directory itself.
"""

import gzip
import io
import zlib
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...io import limits
from ...io.regular import read_bytes
from ...progress import Progress
from ..dataset import Dataset, Pixels, Samples, checked_samples
from ..description import PAPER_PARTITIONS, Description, SplitBy
from ..sources.download import Remote, download
from ..sources.locate import data_directory

CLASSES = tuple("0123456789")
MEAN, STD = (0.13066048,), (0.30810780,)
SIDE = 28
MOST_BYTES = 64 * limits.MIB
"""The largest of the files has 47 million bytes."""
FOLDERS = ("mnist", "MNIST/raw", ".")

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
REMOTES = (
    Remote("train-images-idx3-ubyte.gz", 9_912_422, "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
    Remote("train-labels-idx1-ubyte.gz", 28_881, "d53e105ee54ea40749a09fcbcd1e9432"),
    Remote("t10k-images-idx3-ubyte.gz", 1_648_877, "9fb629c4189551a2d022fa330f9573f3"),
    Remote("t10k-labels-idx1-ubyte.gz", 4_542, "ec29112dd5afa0611ce80d1b7f02629c"),
)
UNPACKED = tuple(remote.name.removesuffix(".gz") for remote in REMOTES)


def load(directory: Path | None, by: SplitBy, progress: Progress) -> Dataset:
    """The data set from where it is found, or downloaded."""
    root = data_directory(directory)
    return read(find(root) or fetch(root, progress))


def find(directory: Path) -> list[Path] | None:
    """The four files, train images and labels, test images and labels, if they are all there."""
    for folder in FOLDERS:
        found = [_either(directory / folder / name) for name in UNPACKED]
        files = [path for path in found if path]
        if len(files) == len(UNPACKED):
            return files
    return None


def fetch(directory: Path, progress: Progress) -> list[Path]:
    """The four files in ``mnist/``, after those that are not yet there were downloaded."""
    folder = directory / "mnist"
    names = zip(REMOTES, UNPACKED, strict=True)
    missing = [remote for remote, name in names if not _either(folder / name)]
    download(missing, MIRRORS, folder, progress)
    return [_either(folder / name) or folder / name for name in UNPACKED]


def read(files: list[Path]) -> Dataset:
    """The data set from its four files."""
    train_images, train_labels, test_images, test_labels = files
    train, test = _samples(train_images, train_labels), _samples(test_images, test_labels)
    return Dataset("mnist", train, test, CLASSES, MEAN, STD)


def _either(path: Path) -> Path | None:
    packed = path.with_name(path.name + ".gz")
    return path if path.is_file() else packed if packed.is_file() else None


def _samples(image_file: Path, label_file: Path) -> Samples:
    images, labels = _idx(image_file, 3), _idx(label_file, 1)
    if images.shape[1:] != (SIDE, SIDE):
        height, width = images.shape[1:]
        raise InputError(f"{image_file}: images are {height} x {width}, not {SIDE} x {SIDE} pixels")
    where = f"{image_file} and {label_file.name}"
    return checked_samples(where, images[..., None], labels, len(CLASSES))


def _idx(path: Path, dimensions: int) -> Pixels:
    """An array of bytes in the idx format: a magic number, the sizes, the values."""
    data = _unpacked(path)
    magic = (0x0800 + dimensions).to_bytes(4, "big")  # 8 stands for unsigned bytes
    header = 4 + 4 * dimensions
    if data[:4] != magic:
        raise InputError(
            f"{path}: is not an idx file of {'images' if dimensions == 3 else 'labels'} (it starts "
            f"with {data[:4].hex() or 'nothing'}, not {magic.hex()}); get the file again"
        )
    shape = tuple(int.from_bytes(data[at : at + 4], "big") for at in range(4, header, 4))
    size = header + int(np.prod(shape, dtype=object))
    if len(data) != size:
        problem = "is cut short" if len(data) < size else "is too long"
        raise InputError(
            f"{path}: {problem}, {len(data)} bytes where its header says {size}; get the file again"
        )
    return np.frombuffer(data, np.uint8, offset=header).reshape(shape).copy()  # may be written to


def _unpacked(path: Path) -> bytes:
    data = read_bytes(path, MOST_BYTES)
    if data[:2] != b"\x1f\x8b":  # told by content: browsers unpack files and keep the name
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = file.read(MOST_BYTES + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path}: cannot be unpacked ({error}); get the file again") from None
    if len(unpacked) > MOST_BYTES:
        raise InputError(f"{path}: unpacks to more than {MOST_BYTES:,} bytes; get the file again")
    return unpacked


DESCRIPTION = Description(
    name="mnist",
    title="MNIST",
    shape=(SIDE, SIDE, 1),
    classes=CLASSES,
    mean=MEAN,
    std=STD,
    load=load,
    agents=16,
    network="mnist_cnn",
    recipe={"optimiser": "adam", "rate": 1e-3},
    preset={"partitions": PAPER_PARTITIONS, "training": {"test_every": 5}},
    order_in_paper=2,
)
"""As in the paper."""
