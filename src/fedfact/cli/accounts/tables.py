"""Accounts as text for people: amounts in the currency, debits and what is owed in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shared.output import print_table, say, stdout
from ..shared.tables import new_table

if TYPE_CHECKING:
    from ...federation.accounts import Book, Dues

_SHOWN = ("deposits", "forfeits", "receivable", "fees", "charges", "rebates", "rewards")
_LEAST_NEEDED = ("rewards", "forfeits", "charges")


def print_balance(book: Book, dues: list[Dues], day: str) -> None:
    """What each member's accounts hold, what is at the bank, and what is still to be paid."""
    held, unit = book.balances(), book.unit
    stdout().print(
        f"{book.consortium} on {day}, in {unit.name}; debits are above 0, credits below."
    )
    table = new_table("member", *_SHOWN)
    for member in book.members:
        amounts = [held.get(f"member/{member}/{name}", 0) for name in _SHOWN]
        if any(amounts):
            table.add_row(member, *map(unit.amount, amounts))
    print_table(table, _LEAST_NEEDED)
    deposits = -sum(
        amount for account, amount in held.items() if account.endswith(("/deposits", "/forfeits"))
    )
    surplus = -sum(amount for account, amount in held.items() if account.endswith("/surplus"))
    reserve = -held.get("operator/reserve", 0)
    parts = [f"at the bank {unit.money(held.get('operator/bank', 0))}"]
    parts.append(f"deposits held {unit.money(deposits)}")
    parts.append(f"surplus {unit.money(surplus)}")
    parts.append(f"reserve {unit.money(reserve)}")
    stdout().print("; ".join(parts) + ".")
    open_ones = [each for each in dues if each.state != "paid" or each.deposit]
    if open_ones:
        _print_dues(book, open_ones)


def _print_dues(book: Book, dues: list[Dues]) -> None:
    stdout().print("\nStill open:")
    table = new_table("member", "season", "owes", "gets", "of it now", "deposit", "due")
    table.add_column("state", no_wrap=True)
    for each in dues:
        amounts = (each.owes, each.gets, each.payable, each.deposit)
        due = each.due_date or ""
        row = map(book.unit.amount, amounts)
        table.add_row(each.member, str(each.season), *row, due, _state(book, each))
    print_table(table, ("due", "of it now"))


def _state(book: Book, each: Dues) -> str:
    if each.lacks:
        return f"deposit lacks {book.unit.amount(each.lacks)}"
    if each.forfeit:
        return f"short; take {book.unit.amount(each.forfeit)} of its deposit"
    if each.refundable:
        return f"{each.state}; refund {book.unit.amount(each.refundable)}"
    return each.state


def print_journal(book: Book) -> None:
    """All transactions, a row for each move."""
    if not book.transactions:
        stdout().print("There are no transactions.")
        return
    table = new_table("date", "entry", "season")
    for column in ("what", "account"):
        table.add_column(column, no_wrap=True)
    table.add_column(f"amount, {book.unit.currency}".strip(", "), justify="right", no_wrap=True)
    for each in book.transactions:
        first = (each.date, str(each.entry), str(each.season), each.narration)
        for move in each.moves:
            table.add_row(*first, move.account, book.unit.amount(move.amount))
            first = ("", "", "", "")
    print_table(table, ("season", "entry"))


def print_statement_of_account(book: Book, dues: list[Dues], member: str, day: str) -> None:
    """What a member paid and received, seen from its side, and how it stands in each season."""
    say(f"Statement of account for {member}, on {day}")
    own, unit = f"member/{member}/", book.unit
    table = new_table("date", "entry")
    table.add_column("what", no_wrap=True)
    for column in ("settled", "paid", "received"):
        table.add_column(column, justify="right", no_wrap=True)
    rows = 0
    for each in book.transactions:
        if not any(move.account.startswith(own) for move in each.moves):
            continue
        moved = {move.account: move.amount for move in each.moves}
        bank, rows = moved.get("operator/bank", 0), rows + 1
        settled = 0 if bank else -moved.get(f"{own}receivable", 0)
        words = f"{each.narration}: {each.reference}" if each.reference else each.narration
        cells = (settled, max(0, bank), max(0, -bank))
        written = (unit.amount(cell) if cell else "" for cell in cells)
        table.add_row(each.date, str(each.entry), words, *written)
    if rows:
        print_table(table)
    for due in dues:
        say(_in_words(book, due))


def _in_words(book: Book, each: Dues) -> str:
    money, says = book.unit.money, f"Season {each.season}: {each.state}"
    if each.owes:
        says += f"; you owe {money(each.owes)}, due on {each.due_date}"
    if each.gets:
        says += f"; you get {money(each.gets)} by {each.due_date}"
        if each.payable < each.gets:
            says += f", of which {money(each.payable)} can be paid now of what was collected"
    if each.lacks:
        says += f"; your deposit lacks {money(each.lacks)}"
    if each.deposit:
        says += f"; {money(each.deposit)} of your deposit is held"
        if each.refundable:
            says += f", of which {money(each.refundable)} can be refunded"
    if each.returnable:
        says += f"; {money(each.returnable)} of the surplus can be returned to you"
    return says + "."
