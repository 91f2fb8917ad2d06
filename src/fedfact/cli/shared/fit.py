"""Tables in a terminal that is narrower than they are: no amount is ever cut.

Columns that are least needed are left out first. Where that does not help, the table is turned: one
block of lines for each row.
"""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def fit(
    table: Table, room: int, least_needed: Sequence[str] = ()
) -> tuple[Table | Text, list[str]]:
    """What can be shown in so many columns of characters, and which columns of it are left out.

    ``least_needed`` names columns that may be left out, the least needed first.
    """
    shown, left_out = table, list[str]()
    for name in least_needed:
        if _width(shown) <= room:
            break
        if any(column.header == name for column in shown.columns):
            shown, left_out = _without(shown, name), [*left_out, name]
    return (shown, left_out) if _width(shown) <= room else (_turned(table), [])


def wide_console(width: int = 10_000, **settings: Any) -> Console:
    """A console as wide as said. Without a height too, a dumb terminal has 80 columns for rich."""
    return Console(width=width, height=100, **settings)


def _width(table: Table) -> int:
    return wide_console().measure(table).maximum


def _without(table: Table, name: str) -> Table:
    """The same table without a column."""
    kept = [column for column in table.columns if column.header != name]
    less = Table(box=table.box, pad_edge=table.pad_edge)
    for column in kept:
        less.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap)
    cells = zip(*(column.cells for column in kept), strict=True)
    for row, line in zip(table.rows, cells, strict=True):
        less.add_row(*line, end_section=row.end_section)
    return less


def _turned(table: Table) -> Text:
    """The first cell of a row, and below it a line for each of the others that says something."""
    first, *others = table.columns
    names = [str(column.header) for column in others]
    rows = list(zip(*([str(cell) for cell in column.cells] for column in others), strict=True))
    label = max(map(len, names), default=0)
    right = [column.justify == "right" for column in others]
    width = max(
        (len(cell) for row in rows for cell, number in zip(row, right, strict=True) if number),
        default=0,
    )
    lines = []
    for title, row in zip(first.cells, rows, strict=True):
        lines.append(str(title))
        for name, cell, number in zip(names, row, right, strict=True):
            if cell:
                lines.append(f"  {name:<{label}}  {cell:>{width if number else 0}}")
    return Text("\n".join(["", *lines, ""]))
