"""What a training comes to: losses under FACT, checks of the theory, means over seeds."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .interval import estimate
    from .measured import Measured, measure

__all__ = ["Measured", "estimate", "measure"]

__getattr__, __dir__ = _lazily(
    __name__,
    {"Measured": "measured", "estimate": "interval", "measure": "measured"},
)
