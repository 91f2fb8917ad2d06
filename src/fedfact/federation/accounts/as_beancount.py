"""The book as a file for beancount, which checks it anew (``bean-check``) and reports on it.

Every transaction names the entry of the ledger that it comes from, and the file ends with what each
account should hold. Beancount has names and currencies of its own kind, so a member's account is
called after it with a capital letter, and the member's id stands beside it.
"""

import re
from datetime import date, timedelta

from .as_csv import plain
from .book import OF_MEMBER, OF_OPERATOR, Book, Transaction

_ACCOUNTS = {
    "bank": "Assets:Bank",
    "remainder": "Expenses:Remainder",
    "surplus": "Equity:Surplus",
    "reserve": "Equity:Reserve",
    "receivable": "Assets:Receivable",
    "deposits": "Liabilities:Deposits",
    "forfeits": "Liabilities:Forfeits",
    "fees": "Income:Fees",
    "charges": "Income:Charges",
    "rebates": "Expenses:Rebates",
    "rewards": "Expenses:Rewards",
}
_ALL = "All"  # what is of no single member
_NO_CURRENCY = "UNIT"


def as_beancount(book: Book) -> bytes:
    """The whole book."""
    names, commodity = account_names(book.members), _commodity(book.unit.currency)
    days = [each.date for each in book.transactions]
    lines = [f'option "title" {_text(book.consortium)}']
    lines.append(f'option "operating_currency" "{commodity}"')
    balances = book.balances()
    if days:
        lines += ["", *_opened(balances, min(days), commodity, names)]
    for each in sorted(book.transactions, key=lambda one: (one.date, one.entry)):
        lines += ["", *_transaction(book, each, commodity, names)]
    if days:
        after = (date.fromisoformat(max(days)) + timedelta(1)).isoformat()
        lines.append("")
        lines += [
            f"{after} balance {_account(account, names)}  {plain(book, held)} {commodity}"
            for account, held in sorted(balances.items())
        ]
    return ("\n".join(lines) + "\n").encode()


def account_names(members: tuple[str, ...]) -> dict[str, str]:
    """What beancount calls each member: with a capital letter, and without underscores.

    Of two that would be called alike, the one registered later gets a number, so that a name never
    changes when others join.

    >>> account_names(("oak", "north_elm", "Oak"))
    {'oak': 'Oak', 'north_elm': 'North-elm', 'Oak': 'Oak-2'}
    """
    names: dict[str, str] = {}
    taken = {_ALL}
    for member in members:
        first = name = member[0].upper() + member[1:].replace("_", "-")
        number = 1
        while name in taken:
            number += 1
            name = f"{first}-{number}"
        names[member] = name
        taken.add(name)
    return names


def _account(account: str, names: dict[str, str]) -> str:
    whose, *rest = account.split("/")
    kind = rest[-1]
    assert kind in (OF_OPERATOR if whose == "operator" else OF_MEMBER)
    if whose == "operator":
        return f"{_ACCOUNTS[kind]}:{_ALL}" if kind == "surplus" else _ACCOUNTS[kind]
    return f"{_ACCOUNTS[kind]}:{names[rest[0]]}"


def _opened(balances: dict[str, int], day: str, commodity: str, names: dict[str, str]) -> list[str]:
    lines = []
    for account in sorted(balances):
        lines.append(f"{day} open {_account(account, names)} {commodity}")
        if account.startswith("member/"):
            lines.append(f'  member: "{account.split("/")[1]}"')
    return lines


def _transaction(book: Book, each: Transaction, commodity: str, names: dict[str, str]) -> list[str]:
    lines = [f"{each.date} * {_text(each.narration)}", f'  entry: "{each.entry}"']
    lines.append(f'  season: "{each.season}"')
    if each.reference:
        lines.append(f"  reference: {_text(each.reference)}")
    return lines + [
        f"  {_account(move.account, names)}  {plain(book, move.amount)} {commodity}"
        for move in each.moves
    ]


def _text(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _commodity(currency: str) -> str:
    """Beancount's currencies are capital letters of the alphabet, two or more."""
    name = currency.upper()
    return name if re.fullmatch("[A-Z]{2,12}", name) else _NO_CURRENCY
