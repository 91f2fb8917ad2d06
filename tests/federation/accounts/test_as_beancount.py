"""The book for beancount: the real ``bean-check`` finds nothing, and finds what is wrong."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.federation.accounts.as_beancount import account_names, as_beancount
from fedfact.federation.accounts.book import Book, Move, Transaction, book_of
from fedfact.money import MoneyUnit


def bean_check(path):
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which("bean-check", path=beside)
    if program is None:
        pytest.skip("bean-check is not installed; fedfact[dev] brings it")
    done = subprocess.run([program, path], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def check(tmp_path):
    def of(content):
        path = tmp_path / "book.beancount"
        path.write_bytes(content)
        return bean_check(path)

    return of


@pytest.fixture
def paid(written):
    """With payments of all kinds, a correction, a reversal, and words that are hard to quote."""
    owed = -written.record.lines["alder"].net
    first = written.pay("alder", "operator", owed, reference='a "quoted" \\ word; 2026-01-01 open')
    written.pay("operator", "alder", owed, "correction", corrects=first)
    written.pay("alder", "operator", owed + 1234567, "deposit")
    written.pay("operator", "alder", 1234567, "refund", reference="=1+1")
    written.pay("alder", "operator", owed)
    written.reverse()
    written.settle_again()
    return written


def test_bean_check_finds_nothing(paid, check):
    assert check(as_beancount(book_of(paid.entries))) == (0, "")


@pytest.mark.parametrize("kind", ["kept", "carried", "returned"])
def test_bean_check_finds_nothing_wherever_the_surplus_goes(houses, check, kind):
    content = as_beancount(book_of(getattr(houses, kind).entries()))
    assert check(content) == (0, "")
    assert (b"Equity:Reserve" in content) == (kind == "carried")


def test_an_empty_book_is_a_file_too(finished, check):
    assert check(as_beancount(book_of(finished.rebate.entries()[:6]))) == (0, "")


def test_bean_check_finds_a_changed_amount(paid, check):
    content = as_beancount(book_of(paid.entries)).decode()
    amount = re.search(r"  Assets:Bank  ([0-9.]+) EUR", content)
    code, words = check(content.replace(amount[1], "77.77", 1).encode())
    assert code == 1
    assert "Transaction does not balance" in words
    balance = re.search(r"balance Assets:Bank  ([0-9.]+) EUR", content)
    changed = content.replace(balance[0], "balance Assets:Bank  77.77 EUR")
    assert "Balance failed for 'Assets:Bank'" in check(changed.encode())[1]


def test_what_a_transaction_looks_like(written):
    number = written.pay("alder", "operator", 1234567, "deposit", reference="4711")
    day = written.entries[-1].time[:10]
    content = as_beancount(book_of(written.entries)).decode()
    assert content.startswith('option "title" "test"\noption "operating_currency" "EUR"\n')
    assert (
        f'{day} * "deposit from alder"\n'
        f'  entry: "{number}"\n'
        '  season: "1"\n'
        '  reference: "4711"\n'
        "  Assets:Bank  12345.67 EUR\n"
        "  Liabilities:Deposits:Alder  -12345.67 EUR\n" in content
    )
    assert f'{day} open Liabilities:Deposits:Alder EUR\n  member: "alder"\n' in content


@pytest.mark.parametrize(
    ("unit", "currency", "amount", "commodity"),
    [
        ("1", "JPY", "1234567", "JPY"),
        ("0.001", "KWD", "1234.567", "KWD"),
        ("1e-09", "", "0.001234567", "UNIT"),
        ("100.0", "points", "123456700", "POINTS"),
        ("0.01", "Евро", "12345.67", "UNIT"),
        ("0.01", "E", "12345.67", "UNIT"),
    ],
)
def test_any_currency_and_any_names(check, unit, currency, amount, commodity):
    members = ("oak", "Oak", "a_b", "a-b", "1st", "all", "ALL", "x_", "_".join("abc"))
    made = tuple(
        Transaction(
            "2026-07-01",
            number,
            1,
            "deposit",
            "",
            (Move("operator/bank", 1234567), Move(f"member/{name}/deposits", -1234567)),
        )
        for number, name in enumerate(members)
    )
    content = as_beancount(Book("test", MoneyUnit(unit, currency), members, made))
    assert check(content) == (0, "")
    assert f"  Assets:Bank  {amount} {commodity}\n" in content.decode()


names = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,4}\Z")


@given(st.lists(names, unique=True, max_size=12))
def test_no_two_members_share_an_account(members):
    found = account_names(tuple(members))
    assert len({*found.values()}) == len(members)
    for name in found.values():
        assert re.fullmatch(r"[A-Z0-9][A-Za-z0-9-]*", name)
    for k in range(len(members)):  # who joins later changes no name
        assert account_names(tuple(members[:k])) == dict(list(found.items())[:k])
