"""Pictures in one folder for each class.

The folders are the classes, numbered from 0 in the order of their names (as text: ``10`` comes
before ``2``). A file ``classes.txt`` beside them, with one name a line, numbers them in its own
order, and a class it names need not have a folder: every member of a federation should have the
same one, or else those who lack a class number the others differently.

Pictures are PNG or JPEG, grey or RGB with 8 bits, all of one size. Anything else is refused by its
name and not left out, for the member would be settled on samples it does not know of. Names that
begin with a dot are passed over.
"""

import io
from pathlib import Path

import numpy as np

from ...arrays import Ints
from ...errors import InputError
from ...io import limits
from ...io.files import read_text, reason
from ...io.regular import is_file, read_bytes
from ...progress import silent
from ..dataset import Pixels
from .images import decode_all

CLASSES = "classes.txt"
ENDINGS = (".png", ".jpg", ".jpeg")
CHANNELS = {"L": 1, "RGB": 3}
"""How many there are in each of Pillow's modes that are taken."""


def read_folders(directory: Path) -> tuple[Pixels, Ints]:
    """Images and labels, class by class and by name; too many bytes are refused."""
    try:
        files = [
            (path, label)
            for name, label in _classes(directory).items()
            for path in _files(directory / name)
        ]
    except OSError as error:
        raise InputError(
            f"{error.filename or directory}: cannot be read ({reason(error)}); make it readable"
        ) from None
    if not files:
        raise InputError(f"{directory}: there are no pictures in its folders; put PNG or JPEG in")
    paths, labels = zip(*files, strict=True)
    first = _picture(paths[0], None)
    if len(paths) * first.size > limits.SAMPLES:
        raise InputError(
            f"{directory}: {len(paths)} pictures of the size of {paths[0].name} take more than "
            f"{limits.SAMPLES >> 30} GiB of memory; give fewer or smaller ones"
        )

    def picture(row: int) -> Pixels:
        return _picture(paths[row], first.shape)

    images = decode_all("decode", picture, (len(paths), *first.shape), silent)
    return images, np.array(labels, np.int64)


def _classes(directory: Path) -> dict[str, int]:
    """The folders that are there, each with its label."""
    if not directory.is_dir():
        raise InputError(f"{directory}: there is no such directory; name one that is there")
    folders = sorted(path.name for path in _seen(directory) if path.is_dir())
    listed = directory / CLASSES
    if not listed.exists():
        if not folders:
            raise InputError(f"{directory}: has no folders; make one for each class")
        return {name: label for label, name in enumerate(folders)}
    lines = map(str.strip, read_text(listed, "one class a line").splitlines())
    classes = [line for line in lines if line]
    labels = {name: label for label, name in enumerate(classes)}
    for label, name in enumerate(classes):
        if labels[name] != label:
            raise InputError(f"{listed}: {name} is there twice; keep one")
    for name in folders:
        if name not in labels:
            raise InputError(
                f"{directory / name}: is no class of {CLASSES}; add it there as all members do, or "
                "take the folder away"
            )
    return {name: labels[name] for name in sorted(folders, key=labels.__getitem__)}


def _files(folder: Path) -> list[Path]:
    for path in (paths := sorted(_seen(folder))):
        if path.suffix.lower() not in ENDINGS or not is_file(path):
            raise InputError(f"{path}: is no PNG or JPEG file; take it away")
    return paths


def _seen(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _picture(path: Path, shape: tuple[int, ...] | None) -> Pixels:
    """The pixels (height, width, channel) of a file, which must have the shape, if one is given."""
    from PIL import Image

    try:
        # In memory first: of a file, Pillow would reserve whatever a damaged head claims.
        data = io.BytesIO(read_bytes(path, limits.SAMPLES))
        with Image.open(data, formats=("PNG", "JPEG")) as image:
            width, height = image.size
            found = (height, width, CHANNELS.get(image.mode, 0))
            if found[2] and found == (shape or found) and height * width <= limits.PIXELS:
                return np.asarray(image).reshape(found)
            mode = image.mode
    except Exception as error:  # a damaged image makes Pillow raise many kinds
        raise InputError(
            f"{path}: cannot be decoded ({str(error) or type(error).__name__}); replace it, or "
            "take it away"
        ) from None
    if not found[2]:
        raise InputError(f"{path}: is in mode {mode}; save it as grey (L) or RGB with 8 bits")
    size = " x ".join(map(str, found))
    if shape is None:
        raise InputError(f"{path}: is {size}, which is too large; make it smaller")
    raise InputError(
        f"{path}: is {size} (height, width, channels) where the first picture is "
        f"{' x '.join(map(str, shape))}; bring all to one size and kind"
    )
