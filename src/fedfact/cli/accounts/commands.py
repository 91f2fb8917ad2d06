"""``fedfact accounts``: what of a consortium's money has come and gone, and what is still to."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ...errors import InputError
from ...io.files import check_output, write_whole
from ..shared.options import AsJson
from ..shared.output import note, print_json
from ..verify import Where
from .tables import print_balance, print_journal, print_statement_of_account

accounts = typer.Typer(
    name="accounts",
    help="Keep a consortium's accounts: payments in and out, what is owed, exports.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

On = Annotated[
    str | None, typer.Option(metavar="DATE", help="As of this day, such as 2026-07-01 (today).")
]
Season = Annotated[int | None, typer.Option(min=1, help="Of this season (default: all).")]


@accounts.command(epilog="Example:  fedfact accounts balance consortium")
def balance(where: Where, on: On = None, as_json: AsJson = False) -> None:
    """Show what every account holds, and which amounts are due, short or to be paid out.

    The ledger's order is checked, its signatures and amounts are not: that is for fedfact verify.
    """
    book, dues, day = _read(where, on)
    if as_json:
        owing = [asdict(each) for each in dues]
        print_json({**_heading(book), "on": day, "accounts": book.balances(), "dues": owing})
        return
    print_balance(book, dues, day)


@accounts.command(epilog="Example:  fedfact accounts journal consortium --season 2")
def journal(where: Where, season: Season = None, as_json: AsJson = False) -> None:
    """List all transactions: what each entry of the ledger moves from one account to another."""
    book = _read(where, None)[0].of(season=season)
    if as_json:
        made = [asdict(each) for each in book.transactions]
        print_json({**_heading(book), "transactions": made})
        return
    print_journal(book)


@accounts.command(epilog="Example:  fedfact accounts statement consortium oak")
def statement(
    where: Where,
    member: Annotated[str, typer.Argument(help="Whose.")],
    on: On = None,
    as_json: AsJson = False,
) -> None:
    """Print one member's statement of account: what it paid and received, owes and gets."""
    book, dues, day = _read(where, on)
    if member not in book.members:
        raise InputError(f"{where}: there is no member {member!r} in this consortium")
    own = [each for each in dues if each.member == member]
    if as_json:
        made = [
            asdict(each)
            for each in book.transactions
            if any(move.account.startswith(f"member/{member}/") for move in each.moves)
        ]
        said = {"member": member, "on": day, "dues": [asdict(each) for each in own]}
        print_json({**_heading(book), **said, "transactions": made})
        return
    print_statement_of_account(book, own, member, day)


@accounts.command(
    epilog="Example:  fedfact accounts pay consortium --from member/oak --amount 666.61 "
    "--purpose deposit --reference 'transfer 4711'"
)
def pay(
    directory: Annotated[Path, typer.Argument(help="The operator's directory.")],
    payer: Annotated[
        str | None, typer.Option("--from", help="Who paid: member/NAME, or operator.")
    ] = None,
    payee: Annotated[
        str | None, typer.Option("--to", help="Who was paid (default: the operator).")
    ] = None,
    amount: Annotated[
        str | None, typer.Option(help="In the currency, as people write it: 666.61.")
    ] = None,
    purpose: Annotated[
        Literal["deposit", "settlement", "refund", "forfeit", "surplus"] | None,
        typer.Option(help="What it was for."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="What finds it at the bank; no two payments have the same.")
    ] = None,
    date: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it was paid (default: today, UTC).")
    ] = None,
    season: Annotated[
        int | None, typer.Option(min=1, help="Of which season (default: the last one).")
    ] = None,
    corrects: Annotated[
        int | None,
        typer.Option(metavar="ENTRY", min=0, help="Undo the payment of this entry, nothing else."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Enter a payment into the ledger, when it was made; what cannot be is refused.

    Nothing is paid by this: it records what was paid at the bank. While a season is running, its
    operator has the ledger to itself: stop it, or wait.
    """
    from ...federation.operator.entered.pay import Paid
    from ...federation.operator.entered.pay import pay as enter

    if corrects is None and None in (payer, amount, purpose, reference):
        raise InputError(
            "say who paid how much what for: --from, --amount, --purpose and --reference; or name "
            "an entry to undo, with --corrects"
        )
    if corrects is not None and {payer, payee, amount, purpose, season} != {None}:
        raise InputError(
            "--corrects says it all: the same amount back, of the same season; leave out the other "
            "options but --reference and --date"
        )
    entry, said, unit = enter(
        directory,
        Paid(payer, payee, amount, purpose, reference, date, season, corrects),
    )
    if as_json:
        heading: dict[str, Any] = {"unit": str(unit.value), "currency": unit.currency}
        print_json({**heading, "entry": entry.number, "season": entry.season, **said.dump()})
        return
    note(
        f"entered {unit.money(said.amount)} from {said.payer} to {said.payee} ({said.purpose}, "
        f"season {entry.season}) as entry {entry.number}"
    )


@accounts.command(epilog="Example:  fedfact accounts export consortium --to csv -o accounts.csv")
def export(
    where: Where,
    to: Annotated[Literal["csv", "beancount"], typer.Option("--to", help="For which program.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    as_json: AsJson = False,
) -> None:
    """Write the whole book to a file: CSV (RFC 4180), or for beancount and its bean-check."""
    from ...federation.accounts import as_beancount, as_csv

    check_output(output, (f".{to}",), (Path(where),))
    book = _read(where, None)[0]
    content = as_csv(book) if to == "csv" else as_beancount(book)
    write_whole(output, content, private=True)  # what all members pay
    made = len(book.transactions)
    if as_json:
        print_json({"output": str(output), "transactions": made})
    else:
        note(f"wrote {output}: {made} transactions")


def _read(where: str, on: str | None) -> tuple[Any, Any, str]:
    """The book of a ledger, what is due, and the day."""
    from datetime import UTC, datetime

    from ...federation.accounts import book_of, dues_of
    from ...federation.ledger import read_ledger, replay
    from ...federation.ledger.entries import day_of

    entries = read_ledger(where)
    if not entries:
        raise InputError(f"{where}: the ledger is empty; there are no accounts yet")
    today = datetime.now(UTC).date().isoformat()
    day = today if on is None else day_of(on)
    return book_of(entries), dues_of(replay(entries), day), day


def _heading(book: Any) -> dict[str, Any]:
    """What amounts of a document are counted in."""
    unit = book.unit
    return {"consortium": book.consortium, "unit": str(unit.value), "currency": unit.currency}
