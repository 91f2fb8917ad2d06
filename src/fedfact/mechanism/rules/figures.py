"""One agent's figures in a settlement, and the statement lines that every rule has."""

from dataclasses import dataclass

from ...arrays import Floats, Number, floats
from ..curve import Curve
from ..formulas.losses import effective_fee
from ..formulas.optima import local_optimum, whole_local_optimum
from ..formulas.penalty import penalty_slope, penalty_weight
from ..other_agents import Standing
from ..terms import Terms

YOU_ARE_PAID = "paid to you"
"""The effect of a fee below 0."""


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One amount of a statement: what it is, how it comes about, how it counts for the agent."""

    name: str
    amount: int
    formula: str
    filled: str
    effect: str


@dataclass(frozen=True, slots=True)
class Figures:
    """What one agent's lines are made of.

    Attributes:
        counted: the samples that the charge goes by.
        total: M, the samples of all agents.
        standing: its size, that of all who are settled, and its capacity.
        signed_size: that of all who signed.
        back: what it gets back, under whichever name.
        group, won: of the draw; group is None for an agent in no group.
        left: as in `Population`.
    """

    reported_cost: float
    samples: int
    counted: int
    total: int
    standing: Standing
    signed_size: int
    fee: int
    charge: int
    pool: int
    back: int
    group: int | None
    won: bool
    left: bool

    @property
    def agents(self) -> int:
        """n."""
        return self.standing.agents


def fee_line(
    of: Figures, terms: Terms, spreads: bool = False, *, up: bool = False
) -> StatementLine:
    """u·[e(x) − e(M)], what federation saved the agent; below 0 the agent is paid."""
    u, U = of.standing.size, of.standing.all_sizes
    sized, x, effective = u != 1, "m", f"{of.samples}"
    if spreads:
        x = "(m·U/u)" if sized or of.agents != U else "(n·m)"
        effective = f"({of.samples}·{U}/{u})" if "u" in x else f"({of.agents}·{of.samples})"
    opening, closing = "⌈⌉" if up else "⌊⌋"
    formula = f"({error_text(terms, x)} − {error_text(terms, 'M')})/unit"
    filled = (
        f"({error_value(terms, effective)} − {error_value(terms, str(of.total))})/{_unit(terms)}"
    )
    if sized:
        formula, filled = f"u·{formula}", f"{u}·{filled}"
    return StatementLine(
        "fee",
        of.fee,
        f"{opening}{formula}{closing}",
        f"{opening}{filled}{closing}",
        "you pay" if of.fee >= 0 else YOU_ARE_PAID,
    )


def charge_line(of: Figures, terms: Terms, own: Curve, least: int) -> StatementLine:
    """Q, the charge for data that does not fit the report, and what would have fitted it."""
    if of.left:
        return StatementLine("charge", of.charge, "0", "waived for members that leave", "you pay")
    c, m = decimal_text(of.reported_cost), of.counted
    best = max(int(whole_local_optimum(of.reported_cost, own)), least)
    if of.standing.capacity is not None:
        best = min(best, of.standing.capacity)
    A = decimal_text(floats(own.error_scale))

    def loss(x: int) -> str:
        error = f"{A}/{x}" if own.exponent == 1 else f"{A}·{x}^(−{decimal_text(own.exponent)})"
        return f"({error} + {c}·{x})"

    filled = f"⌈{decimal_text(terms.consistency)}·[{loss(m)} − {loss(best)}]/{_unit(terms)}⌉"
    formula = "⌈κ·[ℓ(m) − ℓ(best)]/unit⌉, ℓ(x) = " + (
        "A'/x + c·x" if own.exponent == 1 else "A'·x^(−b) + c·x"
    )
    return StatementLine("charge", of.charge, formula, filled, "you pay")


def penalty_line(of: Figures, penalty: int, terms: Terms) -> StatementLine:
    """P_fr of Eq. 8, for comparison: it moves no money, and may exceed the fee."""
    curve, alpha = terms.curve, float(terms.alpha)
    c, m, S = of.reported_cost, of.samples, of.total - of.samples
    m_star = float(local_optimum(c, curve))
    lam, g = float(penalty_weight(c, S, curve, alpha)), float(penalty_slope(c, S, curve))
    gap = f"({decimal_text(m_star)} − {m})"
    rest = f"(2 − {decimal_text(terms.alpha)})/2·{decimal_text(effective_fee(m_star, S, curve))}"
    return StatementLine(
        "penalty",
        penalty,
        "[λ(m* − m)² + g(m* − m) + (2 − α)/2·B(m*)]/unit (Eq. 8)",
        f"[{decimal_text(lam)}·{gap}² + {decimal_text(g)}·{gap} + {rest}]/{_unit(terms)}",
        "moves no money",
    )


def error_text(terms: Terms, x: str) -> str:
    """e(x) in symbols."""
    return f"A/{x}" if terms.exponent == 1 else f"A·{x}^(−b)"


def error_value(terms: Terms, x: str) -> str:
    """e(x) with the numbers filled in."""
    A = decimal_text(terms.required_error_scale)
    return f"{A}/{x}" if terms.exponent == 1 else f"{A}·{x}^(−{decimal_text(terms.exponent)})"


def decimal_text(number: Number | Floats) -> str:
    """A number as people write it: 2, not 2.0.

    >>> decimal_text(2.0), decimal_text(0.5)
    ('2', '0.5')
    """
    return repr(float(number)).removesuffix(".0")


def _unit(terms: Terms) -> str:
    return decimal_text(terms.unit)
