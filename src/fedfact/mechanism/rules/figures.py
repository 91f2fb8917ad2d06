"""One agent's figures in a settlement, and the statement lines that every rule has."""

from dataclasses import dataclass

from ...arrays import Floats, Number
from ..losses import effective_fee
from ..optima import local_optimum
from ..penalty import penalty_slope, penalty_weight
from ..terms import Terms


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
        total: M, the samples of all agents.
        back: what it gets back, under whichever name.
        group, won: of the draw; group is None for an agent that met nobody.
        capped, left: as in `Population`.
    """

    agents: int
    reported_cost: float
    samples: int
    total: int
    fee: int
    penalty: int
    charge: int
    pool: int
    back: int
    group: int | None
    won: bool
    capped: bool
    left: bool


def fee_line(of: Figures, terms: Terms) -> StatementLine:
    """B_i = A(1/m − 1/M), all that federation saved the agent."""
    A, unit, m, M = decimal_text(terms.required_error_scale), _unit(terms), of.samples, of.total
    filled = f"⌊({A}/{m} − {A}/{M})/{unit}⌋"
    return StatementLine("fee", of.fee, "⌊(A/m − A/M)/unit⌋", filled, "you pay")


def penalty_line(of: Figures, terms: Terms) -> StatementLine:
    """P_fr of Eq. 8, for comparison: it moves no money, and may exceed the fee."""
    A, alpha = float(terms.required_error_scale), float(terms.alpha)
    c, m, S = of.reported_cost, of.samples, of.total - of.samples
    m_star = float(local_optimum(c, A))
    lam, g = float(penalty_weight(c, S, A, alpha)), float(penalty_slope(c, S, A))
    gap = f"({decimal_text(m_star)} − {m})"
    rest = f"(2 − {decimal_text(terms.alpha)})/2·{decimal_text(effective_fee(m_star, S, A))}"
    return StatementLine(
        "penalty",
        of.penalty,
        "[λ(m* − m)² + g(m* − m) + (2 − α)/2·B(m*)]/unit (Eq. 8)",
        f"[{decimal_text(lam)}·{gap}² + {decimal_text(g)}·{gap} + {rest}]/{_unit(terms)}",
        "moves no money",
    )


def charge_line(of: Figures, terms: Terms) -> StatementLine:
    """Q_i, the charge for data that does not fit the report; κ = 0 where the agent is exempt."""
    A, c, m = decimal_text(terms.required_error_scale), decimal_text(of.reported_cost), of.samples
    kappa = decimal_text(0.0 if of.capped or of.left else terms.consistency)
    return StatementLine(
        "charge",
        of.charge,
        "⌊κ(√(A/m) − √(c·m))²/unit⌋",
        f"⌊{kappa}·(√({A}/{m}) − √({c}·{m}))²/{_unit(terms)}⌋",
        "you pay",
    )


def decimal_text(number: Number | Floats) -> str:
    """A number as people write it: 2, not 2.0.

    >>> decimal_text(2.0), decimal_text(0.5)
    ('2', '0.5')
    """
    return repr(float(number)).removesuffix(".0")


def _unit(terms: Terms) -> str:
    return decimal_text(terms.unit)
