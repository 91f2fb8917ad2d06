"""What a package offers, imported when it is asked for (PEP 562).

So that a command which needs no PyTorch loads none, although the package it is in offers things
that do.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from .extras import naming_the_extra


def lazily(
    package: str, where: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__``; ``where`` names the module of each name.

    Where a module needs what is not installed, the error says which extra brings it.
    """

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with naming_the_extra():
            return getattr(import_module(f".{where[name]}", package), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return get, names
