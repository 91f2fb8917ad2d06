"""Where output goes: results to stdout, everything else to stderr."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from ...io.files import printable
from .fit import fit, wide_console

_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}  # names stay as are
_WIDE = 120  # where there is no terminal to ask


def room() -> int | None:
    """How many columns of characters there are; None where nothing says so."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isdecimal() and int(said) else None


def stdout() -> Console:
    """Make the console that results are printed on."""
    return wide_console(room() or _WIDE, **_PLAIN)


def print_table(table: Table, least_needed: Sequence[str] = ()) -> None:
    """A table, as wide as it is; where there is no room for that, as `fit` makes it.

    ``least_needed`` names columns that may be left out, the least needed first.
    """
    there_is = room()
    shown, left_out = (table, []) if there_is is None else fit(table, there_is, least_needed)
    wide_console(**_PLAIN).print(shown)
    if left_out:
        note(f"no room here for {', '.join(left_out)}; a wider terminal shows all columns")


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
