"""A consortium: who runs it, and what its money is counted in, for all of its seasons.

What is said here begins the ledger. The hash of these bytes names the consortium; the terms of
each of its seasons hold it.
"""

from typing import Annotated

from pydantic import AfterValidator, Field

from ...errors import InputError
from ...mechanism import Terms
from ...money import MoneyUnit
from ..wire.canonical import number_of
from ..wire.document import Decimal, Hash, Name, Stored


def _unit(text: str) -> str:
    if number_of(text) <= 0:
        raise InputError("a unit of money is above 0")
    return text


class Consortium(Stored):
    """What begins the ledger.

    Attributes:
        operator: its public key, which signs every entry.
        currency, unit: of all amounts; the unit is worth so much of the currency.
    """

    name: Name
    operator: Hash
    currency: Annotated[str, Field(max_length=12)]
    unit: Annotated[Decimal, AfterValidator(_unit)]

    @property
    def money_unit(self) -> MoneyUnit:
        """How its amounts are written for people."""
        return MoneyUnit(self.unit, self.currency)

    def check(self, terms: Terms) -> None:
        """Refuse terms of a season whose money is counted otherwise."""
        if (terms.currency, float(terms.unit)) != (self.currency, number_of(self.unit)):
            raise InputError(
                f"amounts of this consortium are in units of {self.unit} {self.currency}, and the "
                f"terms say {terms.unit} {terms.currency}; one consortium has one unit of money"
            )
