"""Where output goes: results to stdout, everything else to stderr."""

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from ...io.files import printable

_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}  # names stay as are
_WIDE = 120  # where there is no terminal to ask


def stdout() -> Console:
    """Make the console that results are printed on."""
    return Console(width=None if sys.stdout.isatty() else _WIDE, **_PLAIN)


def print_table(table: Table) -> None:
    """A table, as wide as it is: a narrow terminal may break its lines, never cut its amounts."""
    Console(width=10_000, **_PLAIN).print(table)


def print_json(document: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def say(text: str) -> None:
    """A line of a result that quotes what others wrote."""
    stdout().print(printable(text), soft_wrap=True)


def stderr() -> Console:
    """The console for everything else."""
    return Console(stderr=True, soft_wrap=True, **_PLAIN)


def note(text: str) -> None:
    """Print something worth knowing to stderr."""
    stderr().print("note:", _lines(text))


def error(text: str) -> None:
    """Why there is no result."""
    stderr().print("error:", _lines(text))


def _lines(text: str) -> str:
    """Words of ours may quote others' and have several lines."""
    return "\n".join(map(printable, text.split("\n")))
