"""Arrays from an .npz file, or a refusal that says what is wrong with it."""

import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...io import limits
from ...io.regular import open_regular


def read_arrays(
    path: Path, names: tuple[str, ...], remedy: str = "get the file again"
) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of these names, in their order; ``remedy`` says what to do where they are not."""
    try:
        with open_regular(path, limits.SAMPLES) as file, zipfile.ZipFile(file) as archive:
            there = [name[:-4] for name in archive.namelist() if name.endswith(".npy")]
            absent = [name for name in names if name not in there]
            if not absent:
                members = [archive.getinfo(f"{name}.npy") for name in names]
                _check_sizes(path, members)
                return tuple(_array(archive, member) for member in members)
    except InputError:
        raise
    except Exception as error:  # a damaged archive makes zipfile and numpy raise many kinds
        raise InputError(
            f"{path}: cannot be read as an .npz file ({str(error) or type(error).__name__}); "
            f"{remedy}"
        ) from None
    found = ", ".join(there) or "none"
    raise InputError(f"{path}: the array {absent[0]} is missing, found {found}; {remedy}")


def _check_sizes(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Refuse what says that it unpacks to more than is read, or than can be packed so small."""
    whole = sum(member.file_size for member in members)
    if whole > limits.SAMPLES:
        raise InputError(f"{path}: {limits.TOO_LARGE}")
    for member in members:
        if member.file_size > limits.INFLATED * (member.compress_size + 1):
            raise ValueError(f"{member.filename} is longer than it can be")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """One array, once its header says what its length says too."""
    with archive.open(member) as file:
        shape, kind = _header(file)
        start = member.file_size - math.prod(shape) * kind.itemsize
        if kind.hasobject or any(length < 0 for length in shape) or file.tell() != start:
            raise ValueError(f"the header of {member.filename} does not fit its length")
    with archive.open(member) as file:
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and kind of an array, from the start of its file."""
    major, _ = np.lib.format.read_magic(file)
    read = (
        np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    )
    shape, _, kind = read(file)
    return shape, kind
