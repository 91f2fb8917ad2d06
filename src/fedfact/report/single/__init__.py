"""Figures of one thing: a calibration, a settlement, one agent's losses, a collapse."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .calibration import picture_of_calibration
    from .collapse import collapse_chart, write_collapse
    from .loss_curves import picture_of_losses
    from .settlement import picture_of_settlement

__all__ = [
    "collapse_chart",
    "picture_of_calibration",
    "picture_of_losses",
    "picture_of_settlement",
    "write_collapse",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "collapse_chart": "collapse",
        "picture_of_calibration": "calibration",
        "picture_of_losses": "loss_curves",
        "picture_of_settlement": "settlement",
        "write_collapse": "collapse",
    },
)
