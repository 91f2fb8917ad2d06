"""The page about the lab: all rules on one population, compared."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .page import compare_charts, write_compare

__all__ = ["compare_charts", "write_compare"]

__getattr__, __dir__ = _lazily(
    __name__,
    {"compare_charts": "page", "write_compare": "page"},
)
