"""HAM10000: 10,015 photographs of 7,470 skin lesions, seven diagnoses (Tschandl et al., 2018).

Looked for in ``ham10000/``, ``HAM10000/`` and the directory itself: all images at 200 x 150 pixels
in one file, ``ham10000_200x150.npz``; or the published table, ``HAM10000_metadata.csv`` (or with
the ending ``.tab``, or with none), and the images in any folders below it. It has no official
split, and many lesions were photographed more than once: a test image of a lesion that was trained
on is no test, so lesions are kept whole by default.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...progress import Progress
from ..dataset import Dataset, Pixels, Samples
from ..description import Description, SplitBy
from ..sources.archive import read_arrays
from ..sources.cache import cached
from ..sources.ham10000_metadata import CLASSES, Metadata, from_archive, from_table
from ..sources.images import decode, decode_all
from ..sources.locate import data_directory
from ..split import split, split_by_class, split_whole

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet: the network is pretrained
WIDTH, HEIGHT = 200, 150
FOLDERS = ("ham10000", "HAM10000", ".")
ARCHIVE = "ham10000_200x150.npz"
TABLES = ("HAM10000_metadata.csv", "HAM10000_metadata", "HAM10000_metadata.tab")  # as published


@dataclass(frozen=True)
class Source:
    """What is known of the images, the files they come from, and how row after row is decoded."""

    metadata: Metadata
    files: list[Path]
    decoder: Callable[[], Callable[[int], Pixels]]


def load(directory: Path | None, by: SplitBy, progress: Progress) -> Dataset:
    """The data set from where it is found."""
    return read(find(data_directory(directory)), by, progress)


def find(directory: Path) -> Source:
    """The data set in a directory; it is never downloaded, so a refusal says where to get it."""
    folders = [directory / name for name in FOLDERS]
    for folder in folders:
        if (folder / ARCHIVE).is_file():
            return _archive(folder / ARCHIVE)
        for table in TABLES:
            if (folder / table).is_file():
                return _published(folder / table)
    raise InputError(
        f"{directory}: ham10000 is not there; get {TABLES[0]} and the two archives of images from "
        "the Harvard Dataverse (doi:10.7910/DVN/DBW86T), unpack them and put everything into "
        f"{folders[0]}, or name the directory where it is with --data-dir or FEDFACT_DATA"
    )


def read(source: Source, by: SplitBy, progress: Progress) -> Dataset:
    """The data set from what was found, split in one of three ways (see ``SplitBy``)."""
    metadata = source.metadata
    shape = (HEIGHT, WIDTH, 3)

    def decoded() -> Samples:
        rows = len(metadata.labels)
        images = decode_all("decode ham10000", source.decoder(), (rows, *shape), progress)
        return Samples(images, metadata.labels)

    samples = cached("ham10000", source.files, shape, decoded)
    if by == "lesion":
        train, test = split_whole(metadata.lesions)
    elif by == "stratified":
        train, test = split_by_class(samples.labels)
    else:
        train, test = split(len(samples))
    return Dataset("ham10000", samples.take(train), samples.take(test), CLASSES, MEAN, STD)


def _archive(path: Path) -> Source:
    metadata = from_archive(path)
    return Source(metadata, [path], partial(_stored, path, metadata))


def _stored(path: Path, metadata: Metadata) -> Callable[[int], Pixels]:
    jpeg, offset = read_arrays(path, ("jpeg", "offset"))
    if (
        jpeg.dtype != np.uint8
        or offset.shape != (len(metadata.images) + 1,)
        or not np.issubdtype(offset.dtype, np.integer)
        or offset[0] != 0
        or offset[-1] != jpeg.size
        or (np.diff(offset) < 0).any()
    ):
        raise InputError(
            f"{path}: the arrays jpeg and offset do not cut into {len(metadata.images)} images; "
            "get the file again"
        )

    def row(k: int) -> Pixels:
        where = f"{path}, image {metadata.images[k]}"
        pixels = decode(where, jpeg[offset[k] : offset[k + 1]].tobytes())
        if pixels.shape != (HEIGHT, WIDTH, 3):
            height, width, _ = pixels.shape
            raise InputError(f"{where}: is {width} x {height}, not {WIDTH} x {HEIGHT} pixels")
        return pixels

    return row


def _published(table: Path) -> Source:
    metadata = from_table(table)
    folder = table.parent
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):  # some copies have every image twice: take one
        if path.suffix.lower() == ".jpg":
            found.setdefault(path.stem, path)
    absent = [name for name in map(str, metadata.images) if name not in found]
    if absent:
        raise InputError(
            f"{table}: {len(absent)} of its {len(metadata.images)} images are in no folder below "
            f"{folder}, the first is {absent[0]}.jpg; unpack all archives of images there"
        )
    files = [found[str(name)] for name in metadata.images]

    def row(k: int) -> Pixels:
        return decode(files[k], files[k], (WIDTH, HEIGHT))

    return Source(metadata, [table, *files], lambda: row)


DESCRIPTION = Description(
    name="ham10000",
    title="HAM10000",
    shape=(HEIGHT, WIDTH, 3),
    classes=CLASSES,
    mean=MEAN,
    std=STD,
    load=load,
    agents=10,
    network="pretrained_resnet50",
    recipe={"optimiser": "adam", "rate": 1e-3},
    preset={"training": {"epochs": 30, "test_every": 3}},
    pretrained=True,
    splits=("lesion", "image", "stratified"),
    order_in_paper=3,
)
"""As in the paper; the epochs of the preset are ours, as the paper gives none."""
