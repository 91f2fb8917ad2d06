"""Numbers as documents can hold them."""

from math import isfinite
from typing import Any


def written(value: Any) -> Any:
    """The same with None for every number that is none, or without end: JSON knows no other."""
    if isinstance(value, dict):
        return {key: written(part) for key, part in value.items()}
    if isinstance(value, list):
        return [written(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
