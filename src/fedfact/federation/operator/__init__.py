"""The operator's side of the protocol, step by step."""

from .directory import OperatorDirectory, create
from .overview import Watch, overview
from .run import operate, reverse
from .session import Paused, Session

__all__ = [
    "OperatorDirectory",
    "Paused",
    "Session",
    "Watch",
    "create",
    "operate",
    "overview",
    "reverse",
]
