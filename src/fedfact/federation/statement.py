"""One agent's statement: its own lines, each with its formula and its numbers filled in.

A statement names no other agent and shows no other agent's report, samples, fee or group. It does
show sums over all agents: M, the pool, and in a shortfall the fees and claims. An agent could work
out M from A, its samples and its fee, and nearly the pool from its reward or rebate. With three
agents these two sums give away the samples of the other two.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ..mechanism import (
    InputError,
    Settlement,
    Terms,
    effective_fee,
    local_optimum,
    penalty_slope,
    penalty_weight,
)
from ..mechanism.arrays import Floats, Number


@dataclass(frozen=True, slots=True)
class Line:
    """One amount of a statement: what it is, how it comes about, how it counts for the agent."""

    name: str
    amount: int
    formula: str
    filled: str
    effect: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What one agent is told of a settlement."""

    agent: str
    rule: str
    unit: float
    reported_cost: float
    samples: int
    group: int | None
    won: bool
    net: int
    lines: tuple[Line, ...]

    def document(self) -> dict[str, Any]:
        """The statement as a JSON document."""
        return asdict(self)


def statement(settlement: Settlement, agent: str) -> Statement:
    """The statement of one agent."""
    return statements(settlement, [agent])[agent]


def statements(settlement: Settlement, agents: Iterable[str]) -> dict[str, Statement]:
    """The statements of these agents."""
    place = {agent: k for k, agent in enumerate(settlement.population.agents)}
    total = settlement.population.total
    for agent in agents:
        if agent not in place:
            raise InputError(f"there is no agent {agent!r} in this settlement")
    return {agent: _statement(settlement, agent, place[agent], total) for agent in agents}


def _statement(settlement: Settlement, agent: str, k: int, total: int) -> Statement:
    return Statement(
        agent=agent,
        rule=settlement.terms.rule,
        unit=float(settlement.terms.unit),
        reported_cost=float(settlement.population.reported_cost[k]),
        samples=int(settlement.population.samples[k]),
        group=None if settlement.group[k] < 0 else int(settlement.group[k]),
        won=bool(settlement.won[k]),
        net=int(settlement.net[k]),
        lines=tuple(_lines(settlement, k, total)),
    )


def _lines(settlement: Settlement, k: int, M: int) -> list[Line]:
    population, terms = settlement.population, settlement.terms
    n, m = len(population), int(population.samples[k])
    c, unit = _text(population.reported_cost[k]), _text(terms.unit)
    pool, kept = int(settlement.pool[k]), f"(1 − {_text(terms.retention)})"
    lines: list[Line] = []

    def line(name: str, formula: str, filled: str, effect: str) -> None:
        lines.append(Line(name, int(getattr(settlement, name)[k]), formula, filled, effect))

    if settlement.input == "analytic":
        A = _text(terms.required_error_scale)
        line("fee", "⌊(A/m − A/M)/unit⌋", f"⌊({A}/{m} − {A}/{M})/{unit}⌋", "you pay")
        line(
            "penalty",
            "[λ(m* − m)² + g(m* − m) + (2 − α)/2·B(m*)]/unit (Eq. 8)",
            _filled_penalty(float(population.reported_cost[k]), m, M - m, terms),
            "part of the fee",
        )
        if terms.rule == "rebate":
            kappa = float(terms.consistency)
            exempt = (population.capped, population.left)
            if any(column is not None and column[k] for column in exempt):
                kappa = 0.0
            line(
                "charge",
                "⌊κ(√(A/m) − √(c·m))²/unit⌋",
                f"⌊{_text(kappa)}·(√({A}/{m}) − √({c}·{m}))²/{unit}⌋",
                "you pay",
            )
    else:
        lines.append(_measured_line(settlement, k))
    if population.left is not None and population.left[k]:
        name = "rebate" if terms.rule == "rebate" else "reward"
        line(name, "0", "forfeited by leaving before the end", "to you")
    elif terms.rule == "rebate":
        line("rebate", "⌊(1 − ρ)·pool/(n − 1)⌋", f"⌊{kept}·{pool}/({n} − 1)⌋", "to you")
    elif settlement.won[k]:
        line("reward", "⌊(1 − ρ)·pool/G⌋", f"⌊{kept}·{pool}/{population.groups}⌋", "to you")
    else:
        why = "left over by the draw" if settlement.group[k] < 0 else "not the median of its group"
        line("reward", "0", why, "to you")
    signs = {"you pay": "−", "to you": "+"}
    sums = [(signs[entry.effect], entry) for entry in lines if entry.effect in signs]
    sums.sort(key=lambda pair: pair[0])  # what is received first
    line(
        "net",
        " ".join(f"{sign} {entry.name}" for sign, entry in sums),
        " ".join(f"{sign} {entry.amount}" for sign, entry in sums),
        "to you" if settlement.net[k] >= 0 else "you pay",
    )
    return lines


def _measured_line(settlement: Settlement, k: int) -> Line:
    population, terms = settlement.population, settlement.terms
    assert population.local_loss is not None
    assert population.federated_loss is not None
    local, federated = population.local_loss[k], population.federated_loss[k]
    v, unit = _text(terms.loss_value), _text(terms.unit)
    if local >= federated:
        formula = "⌊v·(local loss − federated loss)/unit⌋"
        filled = f"⌊{v}·({local} − {federated})/{unit}⌋"
        return Line("fee", int(settlement.fee[k]), formula, filled, "you pay")
    formula = "⌈v·(federated loss − local loss)/unit⌉"
    filled = f"⌈{v}·({federated} − {local})/{unit}⌉"
    if settlement.shortfall:
        collected = settlement.totals["fee"]
        claims = settlement.totals["compensation"] + settlement.shortfall
        formula, filled = f"⌊fees/claims·{formula}⌋", f"⌊{collected}/{claims}·{filled}⌋"
    return Line("compensation", int(settlement.compensation[k]), formula, filled, "to you")


def _filled_penalty(c: float, m: int, S: int, terms: Terms) -> str:
    A, alpha = float(terms.required_error_scale), float(terms.alpha)
    m_star = float(local_optimum(c, A))
    lam, g = float(penalty_weight(c, S, A, alpha)), float(penalty_slope(c, S, A))
    gap = f"({_text(m_star)} − {m})"
    rest = f"(2 − {_text(terms.alpha)})/2·{_text(effective_fee(m_star, S, A))}"
    return f"[{_text(lam)}·{gap}² + {_text(g)}·{gap} + {rest}]/{_text(terms.unit)}"


def _text(number: Number | Floats) -> str:
    return repr(float(number)).removesuffix(".0")
