"""What is known of each image of HAM10000: its id, its lesion and its diagnosis."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...arrays import Ints
from ...errors import InputError
from ...io.files import read_text
from ..dataset import check_classes, checked_labels
from .archive import read_arrays

CLASSES = ("akiec", "bcc", "bkl", "df", "mel", "nv", "vasc")
_COLUMNS = ("image_id", "lesion_id", "dx")

NameColumn = npt.NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Metadata:
    """Ids of images, ids of the lesions they show, and labels: one of each for an image."""

    images: NameColumn
    lesions: NameColumn
    labels: Ints


def from_archive(path: Path) -> Metadata:
    """The metadata in the compact file of all images."""
    images, lesions, labels, classes = read_arrays(
        path, ("image_id", "lesion_id", "label", "classes")
    )
    check_classes(path, classes, CLASSES)
    if not images.shape == lesions.shape == labels.shape == (images.size,):
        raise InputError(
            f"{path}: there are {images.size} images, {lesions.size} lesions and {labels.size} "
            "labels, not one of each for an image; get the file again"
        )
    labels = checked_labels(path, labels, len(CLASSES))
    return _checked(path, Metadata(images.astype(np.str_), lesions.astype(np.str_), labels))


def from_table(path: Path) -> Metadata:
    """The metadata in the published table, in the order of the images' ids."""
    text = read_text(path, "the table HAM10000_metadata.csv")
    tabs = "\t" in text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if tabs else ",")
    rows: list[list[str]] = []
    try:
        header = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = header
        for column in _COLUMNS:
            if column not in header:
                raise InputError(
                    f"{path}: column {column} is missing, found {', '.join(header)[:80]}; the "
                    f"table needs {', '.join(_COLUMNS)}, separated by commas or tabs"
                )
        for row in reader:
            values = [(row[column] or "").strip() for column in _COLUMNS]
            for column, value in zip(_COLUMNS, values, strict=True):
                if not value:
                    raise InputError(f"{path}, line {reader.line_num}: {column} is empty; fill it")
            if values[2] not in CLASSES:
                raise InputError(
                    f"{path}, line {reader.line_num}: dx is {values[2][:20]!r}; known are "
                    f"{', '.join(CLASSES)}"
                )
            rows.append(values)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: is not valid CSV ({error})") from None
    rows.sort()
    images, lesions = (np.array([row[k] for row in rows], dtype=np.str_) for k in (0, 1))
    labels = np.array([CLASSES.index(row[2]) for row in rows], dtype=np.int64)
    return _checked(path, Metadata(images, lesions, labels))


def _checked(path: Path, metadata: Metadata) -> Metadata:
    if not len(metadata.images):
        raise InputError(f"{path}: there are no images; get the file again")
    ids, times = np.unique(metadata.images, return_counts=True)
    if times.max() > 1:
        raise InputError(f"{path}: image {ids[times.argmax()]} is there twice; keep one")
    return metadata
