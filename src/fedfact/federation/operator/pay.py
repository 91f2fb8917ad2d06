"""A payment is entered into the ledger, of whichever season it is."""

from datetime import UTC, datetime
from pathlib import Path

from ...errors import InputError, LedgerError
from ...io.files import alone
from ..ledger.entries import Payment
from ..ledger.entry import Entry
from ..ledger.season import SeasonState
from ..wire.message import OPERATOR
from ..wire.transport import InProcess
from .directory import OperatorDirectory
from .session import Session


def pay(
    directory: Path,
    *,
    payer: str | None = None,
    payee: str | None = None,
    amount: str | None = None,
    purpose: str = "",
    reference: str | None = None,
    date: str | None = None,
    season: int | None = None,
    corrects: int | None = None,
) -> tuple[Entry, Payment]:
    """Enter a payment of a season that is not being run now, the last one unless told otherwise.

    Amounts are as people write them. Of a correction only the entry has to be named that it undoes:
    all else follows from that.
    """
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        session = Session(opened, InProcess({}))
        seasons, unit = session.state.seasons, opened.consortium.money_unit
        if corrects is not None:
            found = next((each for each in seasons if corrects in each.purse.payments), None)
            if found is None:
                raise InputError(f"entry {corrects} is no payment that stands, to be corrected")
            of, values = found, _mirrored(found.purse.payments[corrects], corrects)
        else:
            if season is not None and not 1 <= season <= len(seasons):
                raise InputError(f"there is no season {season}; the last one is {len(seasons)}")
            if payer is None or amount is None:
                raise InputError("say who paid, with --from, and how much, with --amount")
            if payee is None and payer == OPERATOR:
                raise InputError("say whom the operator paid, with --to member/NAME")
            of = _season(seasons, season)
            values = {
                "from": payer,
                "to": payee or OPERATOR,
                "amount": unit.minor(amount),
                "purpose": purpose,
                "reference": "",
                "corrects": None,
            }
        values["reference"] = reference or values["reference"]
        values["date"] = date or datetime.now(UTC).date().isoformat()
        said = Payment.take(values)
        try:
            added = opened.ledger.add(opened.key, [(of.number, "payment", said)], session.state.add)
        except LedgerError as refused:
            raise InputError(f"{directory}: not entered: {refused}") from None
        return added[0], said


def _season(seasons: list[SeasonState], number: int | None) -> SeasonState:
    return seasons[-1 if number is None else number - 1]


def _mirrored(said: Payment, number: int) -> dict[str, object]:
    """The payment that undoes one."""
    return {
        "from": said.payee,
        "to": said.payer,
        "amount": said.amount,
        "purpose": "correction",
        "reference": f"correction of entry {number}",
        "corrects": number,
    }
