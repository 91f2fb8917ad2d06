"""The operator's side of the protocol, step by step."""

from .directory import OperatorDirectory
from .founding import create, open_season
from .overview import Watch, overview
from .run import operate, reverse
from .session import Paused, Session

__all__ = [
    "OperatorDirectory",
    "Paused",
    "Session",
    "Watch",
    "create",
    "open_season",
    "operate",
    "overview",
    "reverse",
]
