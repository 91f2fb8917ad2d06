"""The terms every agent signs: all that a settlement needs besides the agents themselves."""

import math
from dataclasses import dataclass
from fractions import Fraction

from ..arrays import IN_RANGE, LARGEST, SMALLEST, Number
from ..errors import InputError
from ..money import MoneyUnit
from .curve import Curve
from .exact import as_fraction

RULE_NAMES: list[str] = []
"""The rules that terms can name; `mechanism.rules` enters them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Terms of a federation. Costs, error scale and fees share one unit: loss, or money.

    Attributes:
        error_scale: A of the curve e(m) = A·m^(−b); in the paper γσ²L/2. None where settlements
            only use measured losses.
        exponent: b of the curve, 0.05 to 2; the paper has 1.
        rule: how fees are given back, one of `fedfact.RULES`.
        alpha: α ∈ [0, 2) in Eq. 6, the share of its benefit that PFL leaves an agent, doubled.
        unit: value of one minor unit of money; every amount is a whole number of these.
        currency: what costs and amounts are in, such as EUR; empty where they are losses.
        retention: ρ ∈ [0, 1], the part of every reward or rebate that the operator keeps.
        consistency: κ ≥ 0, weight of the charge for data that does not fit the reported cost.
        loss_value: v, what one unit of measured test loss is worth.
        minimum_samples: the fewest samples an agent is admitted with; see `billing_floor`.
        escrow: the largest fee, in minor units, that an agent has to answer for; None: no cap.
    """

    error_scale: Number | None = None
    exponent: Number = 1
    rule: str = "rebate"
    alpha: Number = 1.0
    unit: Number = 1e-9
    currency: str = ""
    retention: Number = 0.0
    consistency: Number = 1.0
    loss_value: Number = 1.0
    minimum_samples: int = 1
    escrow: int | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULE_NAMES:
            choices = " or ".join(RULE_NAMES)
            raise InputError(f"rule is {self.rule!r}; choose {choices}")
        for name in ("error_scale", "unit", "loss_value"):
            self._check_number(name, SMALLEST, LARGEST, IN_RANGE)
        self._check_number("exponent", 0.05, 2, "between 0.05 and 2")
        self._check_number("alpha", 0, math.nextafter(2, 0), "at least 0 and below 2")
        self._check_number("retention", 0, 1, "between 0 and 1")
        self._check_number("consistency", 0, 1e6, "between 0 and 1e6")
        if 10**6 % as_fraction(self.retention).denominator:
            raise InputError(f"retention is {self.retention}; give at most six decimals")
        self._check_currency()
        for name in ("minimum_samples", "escrow"):
            value = getattr(self, name)
            if name == "escrow" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; it must be a whole number above 0")

    def _check_number(self, name: str, low: float, high: float, wanted: str) -> None:
        value = getattr(self, name)
        if value is None and name == "error_scale":
            return
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            raise InputError(f"{name} is {value!r}; it must be a number")
        if not low <= value <= high:
            raise InputError(f"{name} is {value}; it must be {wanted}")

    def _check_currency(self) -> None:
        said = self.currency
        if said != "" and not (isinstance(said, str) and said.isalpha() and len(said) <= 12):
            raise InputError(f"currency is {said!r}; write at most 12 letters, such as EUR")

    @property
    def money_unit(self) -> MoneyUnit:
        """How amounts under these terms are written for people."""
        return MoneyUnit(self.unit, self.currency)

    @property
    def required_error_scale(self) -> Fraction:
        """A, exactly; refused where the terms do not have it."""
        if self.error_scale is None:
            raise InputError("error_scale is missing; amounts by the curve need it")
        return as_fraction(self.error_scale)

    @property
    def curve(self) -> Curve:
        """e(m), in real numbers."""
        return Curve(float(self.required_error_scale), float(self.exponent))

    @property
    def error_scale_in_units(self) -> Fraction:
        """K = A/unit, exactly."""
        return self.required_error_scale / as_fraction(self.unit)
