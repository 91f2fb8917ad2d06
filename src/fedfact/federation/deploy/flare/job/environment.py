"""What the process of a job is told by whoever started it, never by the job.

FLARE starts a new process for each job and hands on its own environment. So where a member's files
lie, and which code answers for it, is settled on its own machine by the command that started FLARE
there; a job that the operator submits has no say in either.
"""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .....errors import InputError

DIRECTORY = "FEDFACT_DIRECTORY"
"""The operator's directory, or the member's."""

OPERATE = "FEDFACT_OPERATE"
"""What runs the protocol at the server instead of ours; for tests."""

OPEN_MEMBER = "FEDFACT_OPEN_MEMBER"
"""What opens a member at its site instead of ours; for tests."""

_ENTRY_POINTS = {
    OPERATE: "fedfact.federation.operator.run:operate",
    OPEN_MEMBER: "fedfact.federation.member.member:open_member",
}


def directory() -> Path:
    """The directory of the operator or member whose process this is."""
    path = os.environ.get(DIRECTORY)
    if not path:
        raise InputError(
            f"{DIRECTORY} is not set; start FLARE with fedfact federation start or join, "
            "not with its own scripts"
        )
    return Path(path)


def entry_point(variable: str) -> Callable[..., Any]:
    """The function that does the work here."""
    name = os.environ.get(variable) or _ENTRY_POINTS[variable]
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found
