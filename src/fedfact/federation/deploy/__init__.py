"""Federations on real machines: a transport, and how operator and members are started."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .in_process import FinishedFederation, run_federation

__all__ = ["FinishedFederation", "run_federation"]

__getattr__, __dir__ = _lazily(
    __name__,
    {"FinishedFederation": "in_process", "run_federation": "in_process"},
)
