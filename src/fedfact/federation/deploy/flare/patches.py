"""Functions of FLARE's replaced by ours, where FLARE is the one that ours were written for.

FLARE has no settings for what is mended so. Any other version, and any function that is not
found as it was, ends the process: better none than one that only seems to be guarded.
"""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ....errors import DeploymentError


def patch(place: str, parameters: tuple[str, ...], ours: Callable[[Any], Any]) -> None:
    """Put ``ours(theirs)`` in the place of a function: ``module:name`` or ``module:Class.name``."""
    module, _, path = place.partition(":")
    *within, name = path.split(".")
    try:
        holder = importlib.import_module(module)
        for part in within:
            holder = getattr(holder, part)
        theirs = getattr(holder, name)
        found = tuple(inspect.signature(theirs).parameters)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise _other(f"{place}: {error}") from None
    if found != parameters:
        raise _other(f"{place} takes {', '.join(found)}")
    setattr(holder, name, ours(theirs))


def _other(words: str) -> DeploymentError:
    return DeploymentError(
        f"this NVIDIA FLARE is not the one that fedfact guards ({words}); nothing is started. "
        "Install the right one: pip install 'fedfact[flare]'"
    )
