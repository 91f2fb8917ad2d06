"""How a result shows itself: as rows, as text, as an HTML table, as a pandas frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    import pandas

SHOWN = 20
"""Rows that a repr shows; an HTML table and a frame have them all."""

Row = Mapping[str, Any]


class Tabular:
    """Mixed into a result that is a table: a notebook shows it, pandas takes it over.

    A dataclass that wants the text of :func:`text_table` is declared with ``repr=False``.
    """

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The result as rows of plain values, one dict a row, all with the same keys."""

    def shown_rows(self) -> list[dict[str, Any]]:
        """The rows as people read them, where amounts are not plain numbers."""
        return self.rows()

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a pandas frame; refused where pandas is not installed."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise InputError("to_frame() needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"{type(self).__name__}\n{text_table(self.shown_rows())}"

    def _repr_html_(self) -> str:
        return html_table(self.shown_rows())


def text_table(rows: Sequence[Row], shown: int = SHOWN) -> str:
    """Aligned columns, numbers to the right; the rows beyond those shown are counted."""
    if not rows:
        return "(no rows)"
    columns = _columns(rows)
    body = [[_text(row.get(column)) for column in columns] for row in rows[:shown]]
    widths = [max(map(len, cells)) for cells in zip(columns, *body, strict=True)]
    right = [all(_is_number(row.get(column)) for row in rows) for column in columns]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(cells, widths, right, strict=True)
        )
        return "  ".join(aligned).rstrip()

    rest = [f"... {len(rows) - shown} more rows"] if len(rows) > shown else []
    return "\n".join([line(columns), *map(line, body), *rest])


def html_table(rows: Sequence[Row], caption: str = "") -> str:
    """The rows as a plain HTML table; every cell is escaped."""
    if not rows:
        return "<p>(no rows)</p>"
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    columns = _columns(rows)
    head = _cells("th", columns)
    body = (_cells("td", (_text(row.get(column)) for column in columns)) for row in rows)
    return f"<table>{above}<thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _cells(tag: str, texts: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) + "</tr>"


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row))


def _is_number(value: Any) -> bool:
    return value is None or hasattr(value, "__float__")


def _text(value: Any) -> str:
    """A cell: six digits of a float are enough to read, and nothing stands for None."""
    if value is None:
        return ""
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
