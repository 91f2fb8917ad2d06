"""The book as CSV for a spreadsheet or an accounting program, a line for each move (RFC 4180)."""

from typing import Any

from ...io.tables import to_csv
from ...money import Written
from .book import Book


def as_csv(book: Book) -> bytes:
    """The whole book. Amounts are numbers with a point, debits above 0, and no text is a formula
    to a spreadsheet."""
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            *("entry", "date", "season", "account", "amount", "currency", "minor_units"),
            *("narration", "reference"),
        )
    }
    for each in book.transactions:
        for move in each.moves:
            row = (
                *(each.entry, each.date, each.season, move.account),
                Written(move.amount, plain(book, move.amount)),
                *(book.unit.currency, move.amount, each.narration, each.reference),
            )
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
    return to_csv(columns, line_end="\r\n").encode()


def plain(book: Book, amount: int) -> str:
    """An amount as programs read it, without commas between thousands."""
    return book.unit.amount(amount).replace(",", "")
