"""What the terms say of payments: deposits, due dates, and whose a surplus is.

A deposit is what keeps a member that never pays from costing the others anything: it covers the
most that the member's contract can ask for, and is there before training starts.
"""

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from ...errors import InputError
from ...mechanism.exact import MOST_MONEY
from ..wire.document import Document
from .contract import Contract

NO_DEPOSIT = "none"


class PaymentTerms(Document):
    """The section ``[payment]`` of the terms.

    Attributes:
        deposit: what a member deposits beyond the most that its contract can ask for, in minor
            units; None where no deposits are asked for.
        due_days: how many days after the settlement its amounts are due.
        surplus: whose it is: ``kept`` by the operator, ``carried`` into the consortium's reserve,
            which covers shortfalls of later seasons, or ``returned`` to the members, equally.
    """

    deposit: Annotated[int, Field(ge=0, le=MOST_MONEY)] | None = None
    due_days: Annotated[int, Field(ge=0, le=3650)] = 30
    surplus: Literal["kept", "carried", "returned"] = "kept"

    def deposit_of(self, contract: Contract) -> int:
        """What a member must have deposited before training starts."""
        if self.deposit is None:
            return 0
        return contract.largest_fee + contract.largest_charge + self.deposit

    def due_date(self, settled: str) -> str:
        """The last day on which what was settled that day is paid in time."""
        try:
            return (date.fromisoformat(settled) + timedelta(self.due_days)).isoformat()
        except (ValueError, OverflowError):
            raise InputError(f"{settled!r} is no day on which amounts could be settled") from None


def payment_terms(said: dict[str, Any]) -> PaymentTerms:
    """The section as a file of terms has it, where a deposit may be the word ``none``."""
    if said.get("deposit") == NO_DEPOSIT:
        said = {**said, "deposit": None}
    deposit = said.get("deposit")
    if deposit is not None and (type(deposit) is not int or not 0 <= deposit <= MOST_MONEY):
        raise InputError(
            f'deposit is {deposit!r}; write "{NO_DEPOSIT}", or a whole number of minor units, 0 or '
            "more: what a member deposits beyond the most that its contract can ask for"
        )
    return PaymentTerms.take(PaymentTerms().dump() | said)
