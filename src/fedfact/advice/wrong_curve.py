"""What becomes of a member where the curve in the terms is not the true one."""

from dataclasses import dataclass

import numpy as np

from ..mechanism import Curve, Rule, rule_of, whole_local_optimum
from .applicant import Applicant

FACTORS = {"A is 10% too large": 1.1, "A is twice too large": 2.0, "A is half the true one": 0.5}
SHIFTS = {"b is 0.1 too large": 0.1, "b is 0.1 too small": -0.1}
LEAST, MOST = 0.05, 2.0  # exponents that terms may have


@dataclass(frozen=True, slots=True)
class WrongCurve:
    """What is wrong with the curve, and by how much of its loss alone the agent then ends worse.

    ``worst`` is by rule, of the worst outcome; below 0 it ends better than alone.
    """

    name: str
    error_scale: float
    exponent: float
    worst: dict[str, float]


def wrong_curves(applicant: Applicant, rules: list[Rule]) -> tuple[WrongCurve, ...]:
    """The true curve in several cases: another A, or another b.

    With another b the error for what the agent would use alone stays the same: there it can
    measure.
    """
    stated = applicant.terms.curve
    A, b, home = float(np.asarray(stated.error_scale)), stated.exponent, applicant.at_home
    true = {name: Curve(A / factor, b) for name, factor in FACTORS.items()}
    for name, shift in SHIFTS.items():
        if LEAST <= b - shift <= MOST:
            true[name] = Curve(A * home**-shift, b - shift)
    return tuple(
        WrongCurve(
            name,
            float(np.asarray(curve.error_scale)),
            curve.exponent,
            {rule.name: _worst(applicant.under(rule), curve) for rule in rules},
        )
        for name, curve in true.items()
    )


def _worst(applicant: Applicant, true: Curve) -> float:
    """Money is by the stated curve; what federation and training alone bring, by the true one."""
    c, m = applicant.true_cost, applicant.samples
    M, u = m + applicant.others.total, applicant.size
    rule, terms = rule_of(applicant.terms), applicant.terms
    worst, _ = rule.bounds(m, c, c, applicant.others, terms, applicant.standing)
    ends = worst + u * float(true.error(M) - terms.curve.error(M))
    errors = true.times(u)
    home = int(whole_local_optimum(c, errors))
    if applicant.capacity is not None:
        home = min(home, applicant.capacity)
    alone = float(errors.error(home)) + c * home
    return ends / alone - 1
