"""The book as CSV: RFC 4180, exact amounts, and nothing that a spreadsheet would run."""

import csv
import io

import pytest

from fedfact.federation.accounts.as_csv import as_csv
from fedfact.federation.accounts.book import book_of

HEAD = "entry,date,season,account,amount,currency,minor_units,narration,reference"


def rows(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))


def test_lines_end_as_the_standard_says(written):
    content = as_csv(book_of(written.entries))
    lines = content.split(b"\r\n")
    assert lines[0].decode() == HEAD
    assert lines[-1] == b""
    assert b"\n" not in b"".join(lines)
    assert b"\r" not in b"".join(lines)


def test_every_move_is_a_row_with_its_exact_amount(written):
    written.pay("alder", "operator", 1234567, "deposit", reference='4711, "oak"')
    book = book_of(written.entries)
    found = rows(as_csv(book))
    assert [int(row["minor_units"]) for row in found] == [
        move.amount for each in book.transactions for move in each.moves
    ]
    for row in found:
        whole, _, cents = row["amount"].lstrip("-").partition(".")
        assert int(f"{'-' * row['amount'].startswith('-')}{whole}{cents}") == int(
            row["minor_units"]
        )
        assert row["currency"] == "EUR"
    assert found[-2] == {
        "entry": str(len(written.entries) - 1),
        "date": written.entries[-1].time[:10],
        "season": "1",
        "account": "operator/bank",
        "amount": "12345.67",
        "currency": "EUR",
        "minor_units": "1234567",
        "narration": "deposit from alder",
        "reference": '4711, "oak"',
    }
    assert found[-1]["amount"] == "-12345.67"


@pytest.mark.parametrize("words", ["=1+1", "+1", "-1", "@SUM(A1)", "'=1+1"])
def test_a_reference_is_no_formula(written, words):
    written.pay("alder", "operator", 5, "deposit", reference=words)
    found = rows(as_csv(book_of(written.entries)))
    assert found[-1]["reference"] == f"'{words}"
    assert found[-1]["amount"] == "-0.05", "numbers stay numbers"
