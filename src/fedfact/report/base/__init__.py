"""What every figure and page is made of."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .chart import Chart, Panel

__all__ = ["Chart", "Panel"]

__getattr__, __dir__ = _lazily(
    __name__,
    {"Chart": "chart", "Panel": "chart"},
)
