"""Image files to arrays of pixels, many at a time."""

import io
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...io import limits
from ...io.regular import read_bytes
from ...progress import Progress
from ..dataset import Pixels

WORKERS = min(os.cpu_count() or 1, 8)

IMAGE_FORMATS = ("JPEG", "PNG", "WEBP")
"""What data sets come in; Pillow's readers of all other formats are never reached."""

BATCH = 64
"""Images decoded by one task of the pool: enough that handing them out costs nothing."""


def decode(where: object, source: Path | bytes, size: tuple[int, int] | None = None) -> Pixels:
    """The pixels (height, width, 3) of an image file, brought to ``size`` (width, height) if given.

    ``where`` is what a refusal calls the image.
    """
    from PIL import Image

    try:
        # In memory first: of a file, Pillow would reserve whatever a damaged head claims.
        data = source if isinstance(source, bytes) else read_bytes(source, limits.SAMPLES)
        with Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
            if image.width * image.height > limits.PIXELS:
                raise InputError(f"it has {image.width} x {image.height} pixels")
            if size:
                image.draft("RGB", size)  # a JPEG can be decoded at half its size, which is quicker
            picture: Image.Image = image if image.mode == "RGB" else image.convert("RGB")
            if size and picture.size != size:
                picture = picture.resize(size, Image.Resampling.BICUBIC)
            return np.asarray(picture)
    except Exception as error:  # a damaged image makes Pillow raise many kinds
        raise InputError(
            f"{where}: cannot be decoded ({str(error) or type(error).__name__}); get it again"
        ) from None


def decode_all(
    what: str,
    decode_row: Callable[[int], Pixels],
    shape: tuple[int, int, int, int],
    progress: Progress,
) -> Pixels:
    """Images of one shape, decoded by several threads: ``shape[0]`` of them, by row."""
    rows = shape[0]
    images = np.empty(shape, dtype=np.uint8)

    def fill(batch: range) -> int:
        for row in batch:
            images[row] = decode_row(row)
        return batch.stop

    batches = [range(at, min(at + BATCH, rows)) for at in range(0, rows, BATCH)]
    with ThreadPoolExecutor(WORKERS) as pool:
        for done in pool.map(fill, batches):
            progress(what, done, rows, "images")
    return images


def decode_grid(path: Path, side: int) -> Pixels:
    """The square tiles of one picture, row by row, as (tile, side, side, 3)."""
    picture = decode(path, path)
    down, across = (length // side for length in picture.shape[:2])
    if picture.shape != (down * side, across * side, 3):
        height, width, _ = picture.shape
        raise InputError(
            f"{path}: is {width} x {height} pixels, which is no grid of {side} x {side} images; "
            "get the file again"
        )
    grid = picture.reshape(down, side, across, side, 3)
    return grid.swapaxes(1, 2).reshape(-1, side, side, 3)
