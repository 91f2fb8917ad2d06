"""What the functions of the lab return: tables for people, and documents for files and pages."""

from abc import abstractmethod
from math import isfinite
from typing import Any

from ..results import Tabular


class LabResult(Tabular):
    """A result that is a table, and a document that ``--json`` prints and charts are drawn from."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Everything there is, in words and numbers that JSON can hold."""


def without_infinities(value: Any) -> Any:
    """The same with None for every number that is none, or without end: JSON knows no other."""
    if isinstance(value, dict):
        return {key: without_infinities(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_infinities(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
