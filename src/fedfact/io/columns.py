"""Columns of text or of JSON values, turned into numbers; what is wrong is said with its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import IN_RANGE, LARGEST, MOST_SAMPLES, SMALLEST, Bools, Floats, Ints
from ..errors import InputError

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False}


class Columns:
    """Columns of text or of JSON values, turned into arrays; the first bad value is named."""

    def __init__(
        self, path: Path, columns: dict[str, list[Any]], place: Callable[[int], str]
    ) -> None:
        self.path, self.columns, self.place = path, columns, place

    def names(self, name: str) -> list[str]:
        """Names of agents, without the space around them."""
        for k, value in enumerate(self.columns[name]):
            if not isinstance(value, str) or not value.strip():
                raise self._error(k, name, "a name, in text")
            if not value.strip().isprintable():
                raise self._error(k, name, "a name without control characters")
        return [value.strip() for value in self.columns[name]]

    def numbers(self, name: str) -> Floats:
        """Read finite numbers."""
        numbers: list[float] = []
        try:
            numbers.extend(map(_number, self.columns[name]))
        except (ValueError, OverflowError):
            raise self._error(len(numbers), name, "a number, such as 1.024e-07") from None
        return self._require(np.array(numbers), np.isfinite, name, "a finite number")

    def costs(self, name: str) -> Floats:
        """Read costs per sample."""
        return self._require(
            self.numbers(name), lambda x: (x >= SMALLEST) & (x <= LARGEST), name, IN_RANGE
        )

    def whole(self, name: str, most: int = MOST_SAMPLES, of: str = " of samples") -> Ints:
        """Read whole numbers, of samples if nothing else is said."""
        numbers = self._require(self.numbers(name), lambda x: x > 0, name, "above 0")
        self._require(numbers, lambda x: x == np.floor(x), name, f"a whole number{of}")
        self._require(numbers, lambda x: x <= most, name, f"at most {most:,}")
        return numbers.astype(np.int64)

    def truth(self, name: str) -> Bools:
        """Read truth values."""
        values = [str(value).strip().lower() for value in self.columns[name]]
        for k, value in enumerate(values):
            if value not in _TRUTH:
                raise self._error(k, name, "true or false")
        return np.array([_TRUTH[value] for value in values])

    def _require(
        self, values: Floats, good: Callable[[Floats], Bools], name: str, wanted: str
    ) -> Floats:
        if not (fine := good(values)).all():
            raise self._error(int(np.argmin(fine)), name, wanted)
        return values

    def _error(self, k: int, name: str, wanted: str) -> InputError:
        value = self.columns[name][k]
        found = "empty" if value in ("", None) else shorten(str(value), 40)
        where = f"{self.path}, {self.place(k)}"
        return InputError(f"{where}: {name} is {found}; it must be {wanted}")


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    if isinstance(value, str) and "_" in value:  # Python reads 1_000; no other program does
        raise ValueError
    return float(value)


def shorten(text: str, most: int) -> str:
    """The text, cut where it would be longer than ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
