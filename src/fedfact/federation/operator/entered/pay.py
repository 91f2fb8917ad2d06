"""A payment is entered into the ledger, of whichever season it is."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ....errors import InputError, LedgerError
from ....io.files import alone
from ....money import MoneyUnit
from ...ledger.entries import Payment
from ...ledger.entry import Entry
from ...ledger.state import LedgerState
from ...wire.message import OPERATOR
from ...wire.transport import InProcess
from ..directory import OperatorDirectory
from ..session import Session


@dataclass(frozen=True, slots=True)
class Paid:
    """What somebody says of a payment, in words; the rest follows.

    ``season`` is the last one unless told otherwise, and ``date`` is today. Of a correction only
    the entry has to be named that it undoes.
    """

    payer: str | None = None
    payee: str | None = None
    amount: str | None = None
    purpose: str | None = None
    reference: str | None = None
    date: str | None = None
    season: int | None = None
    corrects: int | None = None


def pay(directory: Path, paid: Paid) -> tuple[Entry, Payment, MoneyUnit]:
    """Enter a payment into the ledger of a consortium that is not running now."""
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        session = Session(opened, InProcess({}))
        unit = opened.consortium.money_unit
        if paid.corrects is None:
            season, values = _payment(session.state, paid, unit)
        else:
            season, values = _correction(session.state, paid.corrects)
            values["reference"] = paid.reference or values["reference"]
        today = datetime.now(UTC).date().isoformat()
        said = Payment.take({**values, "date": paid.date or today})
        entries = [(season, "payment", said)]
        try:
            (added,) = opened.ledger.add(opened.key, entries, session.state.add)
        except LedgerError as refused:
            raise InputError(f"{directory}: not entered: {refused}") from None
        return added, said, unit


def _payment(state: LedgerState, paid: Paid, unit: MoneyUnit) -> tuple[int, dict[str, Any]]:
    last = len(state.seasons)
    season = last if paid.season is None else paid.season
    if not 1 <= season <= last:
        raise InputError(f"there is no season {season}; the last one is {last}")
    if paid.payer == OPERATOR and paid.payee is None:
        raise InputError("say whom the operator paid, with --to member/NAME")
    values = {
        "from": paid.payer,
        "to": paid.payee or OPERATOR,
        "amount": unit.minor(paid.amount or ""),
        "purpose": paid.purpose,
        "reference": paid.reference,
        "corrects": None,
    }
    for name, account in (("--from", values["from"]), ("--to", values["to"])):
        if account != OPERATOR and not str(account).startswith("member/"):
            raise InputError(f"{name} is {account!r}; write {OPERATOR}, or member/NAME")
    return season, values


def _correction(state: LedgerState, number: int) -> tuple[int, dict[str, Any]]:
    """The payment that undoes the one of this entry."""
    found = next((each for each in state.seasons if number in each.purse.payments), None)
    if found is None:
        raise InputError(f"entry {number} is no payment that stands, so there is none to correct")
    said = found.purse.payments[number]
    return found.number, {
        "from": said.payee,
        "to": said.payer,
        "amount": said.amount,
        "purpose": "correction",
        "reference": f"correction of entry {number}",
        "corrects": number,
    }
