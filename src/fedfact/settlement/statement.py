"""One agent's statement: its own lines, each with its formula and its numbers filled in.

A statement names no other agent and shows no other agent's report, samples, fee or group. It does
show sums over all agents: M, the pool, and in a shortfall the fees and claims. An agent could work
out M from A, its samples and its fee, and nearly the pool from its reward or rebate. With three
agents these two sums give away the samples of the other two.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import InputError
from ..mechanism import Settlement, Standing, Terms, rule_of
from ..mechanism.rules.figures import (
    YOU_ARE_PAID,
    Figures,
    StatementLine,
    decimal_text,
    penalty_line,
)
from ..money import MoneyUnit
from ..results import Tabular, html_table, text_table


@dataclass(frozen=True, slots=True, repr=False)
class Statement(Tabular):
    """What one agent learns about a settlement."""

    agent: str
    rule: str
    unit: float
    currency: str
    reported_cost: float
    samples: int
    group: int | None
    won: bool
    net: int
    lines: tuple[StatementLine, ...]

    @property
    def money_unit(self) -> MoneyUnit:
        """How its amounts are written for people."""
        return MoneyUnit(self.unit, self.currency)

    def document(self) -> dict[str, Any]:
        """The statement as a JSON document."""
        return asdict(self)

    def rows(self) -> list[dict[str, Any]]:
        """Its lines, with amounts in minor units."""
        return [asdict(line) for line in self.lines]

    def shown_rows(self) -> list[dict[str, Any]]:
        """The same with amounts as people write them."""
        return [{**row, "amount": self.money_unit.money(row["amount"])} for row in self.rows()]

    def __repr__(self) -> str:
        return f"{self._title}\n{text_table(self.shown_rows())}"

    def _repr_html_(self) -> str:
        return html_table(self.shown_rows(), self._title)

    @property
    def _title(self) -> str:
        return f"Statement for {self.agent}, rule {self.rule}, {self.samples:,} samples"


def statement(settlement: Settlement, agent: str, *, penalty: bool = False) -> Statement:
    """The statement of one agent; with the ``penalty`` of Eq. 8 for comparison, if asked."""
    return statements(settlement, [agent], penalty=penalty)[agent]


def statements(
    settlement: Settlement, agents: Iterable[str], *, penalty: bool = False
) -> dict[str, Statement]:
    """The statements of these agents."""
    place = {agent: k for k, agent in enumerate(settlement.population.agents)}
    total = settlement.population.total
    for agent in agents:
        if agent not in place:
            raise InputError(f"there is no agent {agent!r} in this settlement")
    return {agent: _statement(settlement, agent, place[agent], total, penalty) for agent in agents}


def statement_of_figures(
    agent: str,
    figures: Figures,
    terms: Terms,
    net: int,
    collected: list[StatementLine] | None = None,
) -> Statement:
    """The statement that an agent can work out itself from the figures that it knows.

    ``collected``: lines about what is collected; the rule's own, unless told otherwise.
    """
    rule = rule_of(terms)
    lines = rule.lines(figures, terms) if collected is None else collected
    lines = [*lines, rule.back_line(figures, terms)]
    return Statement(
        agent=agent,
        rule=terms.rule,
        unit=float(terms.unit),
        currency=terms.currency,
        reported_cost=figures.reported_cost,
        samples=figures.samples,
        group=figures.group,
        won=figures.won,
        net=net,
        lines=(*lines, _net_line(lines, net)),
    )


def _statement(settlement: Settlement, agent: str, k: int, total: int, penalty: bool) -> Statement:
    figures, terms, collected = _figures(settlement, k, total), settlement.terms, None
    if settlement.input != "analytic":
        collected = [_measured_line(settlement, k)]
    elif penalty:
        collected = settlement.rule.lines(figures, terms)
        collected.insert(1, penalty_line(figures, int(settlement.penalty[k]), terms))
    return statement_of_figures(agent, figures, terms, int(settlement.net[k]), collected)


def _net_line(lines: list[StatementLine], net: int) -> StatementLine:
    signs = {"you pay": "−", YOU_ARE_PAID: "−", "to you": "+"}
    sums = [(signs[line.effect], line) for line in lines if line.effect in signs]
    sums.sort(key=lambda pair: pair[0])  # what is received first
    return StatementLine(
        "net",
        net,
        " ".join(f"{sign} {line.name}" for sign, line in sums),
        " ".join(f"{sign} {_signed(line.amount)}" for sign, line in sums),
        "to you" if net >= 0 else "you pay",
    )


def _signed(amount: int) -> str:
    return str(amount) if amount >= 0 else f"({amount})"


def _figures(settlement: Settlement, k: int, total: int) -> Figures:
    """What the rule needs to explain one agent's lines."""
    population = settlement.population
    U = population.total_size
    return Figures(
        reported_cost=float(population.reported_cost[k]),
        samples=int(population.samples[k]),
        counted=int(population.used[k]),
        total=total,
        standing=Standing(
            len(population),
            1 if population.size is None else int(population.size[k]),
            U,
            None if population.capacity is None else int(population.capacity[k]),
        ),
        signed_size=U if population.signed_size is None else population.signed_size,
        fee=int(settlement.fee[k]),
        charge=int(settlement.charge[k]),
        pool=int(settlement.pool[k]),
        back=int(getattr(settlement, settlement.rule.gives)[k]),
        group=None if settlement.group[k] < 0 else int(settlement.group[k]),
        won=bool(settlement.won[k]),
        left=population.left is not None and bool(population.left[k]),
    )


def _measured_line(settlement: Settlement, k: int) -> StatementLine:
    population, terms = settlement.population, settlement.terms
    assert population.local_loss is not None
    assert population.federated_loss is not None
    local, federated = population.local_loss[k], population.federated_loss[k]
    v, unit = decimal_text(terms.loss_value), decimal_text(terms.unit)
    if local >= federated:
        formula = "⌊v·(local loss − federated loss)/unit⌋"
        filled = f"⌊{v}·({local} − {federated})/{unit}⌋"
        return StatementLine("fee", int(settlement.fee[k]), formula, filled, "you pay")
    formula = "⌈v·(federated loss − local loss)/unit⌉"
    filled = f"⌈{v}·({federated} − {local})/{unit}⌉"
    if settlement.shortfall:
        collected = settlement.totals["fee"]
        claims = settlement.totals["compensation"] + settlement.shortfall
        formula, filled = f"⌊fees/claims·{formula}⌋", f"⌊{collected}/{claims}·{filled}⌋"
    paid = int(settlement.compensation[k])
    return StatementLine("compensation", paid, formula, filled, "to you")
