"""Where output goes: results to stdout, everything else to stderr."""

import json
import sys
from typing import Any

from rich.console import Console

_WIDE = 120  # where there is no terminal to ask


def stdout() -> Console:
    """The console for results."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE)


def print_json(document: Any) -> None:
    """One JSON document."""
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def note(text: str) -> None:
    """Something worth knowing."""
    Console(stderr=True, highlight=False, soft_wrap=True).print("note:", text, markup=False)


def error(text: str) -> None:
    """Why there is no result."""
    Console(stderr=True, highlight=False, soft_wrap=True).print("error:", text, markup=False)
