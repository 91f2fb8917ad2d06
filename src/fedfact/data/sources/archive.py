"""Arrays from an .npz file, or a refusal that says what is wrong with it."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError


def read_arrays(
    path: Path, names: tuple[str, ...], remedy: str = "get the file again"
) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of these names, in their order; ``remedy`` says what to do where they are not."""
    try:
        with path.open("rb") as file:
            arrays = np.load(file, allow_pickle=False)
            there = getattr(arrays, "files", [])  # a single array has none
            absent = [name for name in names if name not in there]
            if not absent:
                return tuple(arrays[name] for name in names)
    except Exception as error:  # a damaged archive makes zipfile and numpy raise many kinds
        raise InputError(
            f"{path}: cannot be read as an .npz file ({str(error) or type(error).__name__}); "
            f"{remedy}"
        ) from None
    found = ", ".join(there) or "none"
    raise InputError(f"{path}: the array {absent[0]} is missing, found {found}; {remedy}")
