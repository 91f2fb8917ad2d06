"""How amounts of money are written for people: 66,661 minor units of 0.01 EUR are 666.61 EUR.

Ledgers and JSON documents hold whole minor units, with ``unit`` and ``currency`` beside them. Where
people look, an amount is written by the unit of its terms: exactly, and with the same decimals in
every row. Without a currency, amounts are in the unit of the costs, which may be one of loss.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from .arrays import Number
from .errors import InputError

_DECIMALS = {
    code: places
    for places, codes in (
        (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
        (3, "BHD IQD JOD KWD LYD OMR TND"),
        (4, "CLF UYW"),
    )
    for code in codes.split()
}
"""The decimals of ISO 4217 where they are not two."""

_AMOUNT = re.compile(r"(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Written:
    """A number in a cell of a table, with the text that stands for it, to the right like others."""

    number: float
    text: str

    def __str__(self) -> str:
        return self.text

    def __float__(self) -> float:
        return self.number


@dataclass(frozen=True, slots=True)
class MoneyUnit:
    """What amounts are counted in.

    Attributes:
        value: of one minor unit, in the unit of the costs: 0.01 for cents.
        currency: what that unit is called: EUR. Empty where it has no name.

    >>> cents = MoneyUnit(0.01, "EUR")
    >>> cents.money(1215657), cents.amount(-291), cents.loss(1549.1934)
    ('12,156.57 EUR', '-2.91', '1,549.19')
    >>> MoneyUnit(1e-9).money(333306819)
    '0.333306819'
    """

    value: Number | str
    currency: str = ""

    @property
    def name(self) -> str:
        """What amounts are in, for captions and axes."""
        return self.currency or "the unit of the costs"

    def amount(self, minor: int) -> str:
        """So many minor units, without the currency: for the cells of a table that names it."""
        worth, places = minor * self._exact, self._places
        if places is None:  # such as a third, which no decimal number is
            return str(worth)
        whole, rest = divmod(abs(int(worth * 10**places)), 10**places)
        sign = "-" if minor < 0 else ""
        return f"{sign}{whole:,}.{rest:0{places}}" if places else f"{sign}{whole:,}"

    def money(self, minor: int) -> str:
        """So many minor units, with the currency: for sentences."""
        return f"{self.amount(minor)} {self.currency}".rstrip()

    def loss(self, value: float) -> str:
        """A loss, to stand beside amounts: to the minor unit of a currency, else to six digits."""
        if self.currency and self._places is not None:
            return f"{value:z,.{self._places}f}"
        return f"{value:,.6g}"

    def written(self, minor: int) -> Written:
        """An amount for the cell of a table."""
        return Written(minor, self.amount(minor))

    def written_loss(self, value: float) -> Written:
        """A loss for the cell of a table."""
        return Written(value, self.loss(value))

    def worth(self, value: float) -> str:
        """The same with the currency."""
        return f"{self.loss(value)} {self.currency}".rstrip()

    def minor(self, text: str) -> int:
        """The minor units in an amount as people write it, such as 666.61 or 12,156.57, exactly.

        >>> MoneyUnit(0.01, "EUR").minor("12,156.57")
        1215657
        """
        if len(text) > 40 or not _AMOUNT.fullmatch(text):
            raise InputError(f"{text[:40]!r} is no amount; write digits and a point, as in 666.61")
        minor = Fraction(text.replace(",", "")) / self._exact
        if minor.denominator != 1:
            raise InputError(
                f"{text} {self.currency}".rstrip() + " is no whole number of minor units of "
                f"{self.money(1)}; write as many decimals as {self.amount(1)} has"
            )
        return int(minor)

    def check_currency(self) -> None:
        """Refuse a unit that its currency does not have: there are no cents of yen.

        A currency of three letters has the decimals of ISO 4217, and two if it is not there; other
        names, or none, have what units they like.
        """
        if len(self.currency) != 3:
            return
        places = _DECIMALS.get(self.currency.upper(), 2)
        least, unit = Fraction(1, 10**places), self._exact
        times = unit / least
        if times.denominator == 1 and str(times.numerator).rstrip("0") == "1":
            return
        written = f"{10.0**-places:.{places}f}"
        raise InputError(
            f"the unit is {float(unit):g} {self.currency}, and amounts of {self.currency} are "
            f"whole multiples of {written}; give a unit of {written}, or ten, a hundred, ... times "
            "that"
        )

    @property
    def _exact(self) -> Fraction:
        """A float means the decimal it prints as, and so does a text."""
        return Fraction(str(self.value))

    @property
    def _places(self) -> int | None:
        """How many decimals the value of a minor unit has."""
        left, places = self._exact.denominator, 0
        for prime in (2, 5):
            count = 0
            while left % prime == 0:
                left, count = left // prime, count + 1
            places = max(places, count)
        return places if left == 1 else None
