"""A consortium's accounts, worked out from its ledger: a double-entry book, and who owes what."""

from .as_beancount import as_beancount
from .as_csv import as_csv
from .book import Book, Move, Transaction, book_of
from .dues import Dues, dues_of

__all__ = [
    "Book",
    "Dues",
    "Move",
    "Transaction",
    "as_beancount",
    "as_csv",
    "book_of",
    "dues_of",
]
