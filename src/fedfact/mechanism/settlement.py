"""Settlement (Algorithm 2): one function for all rules and both inputs.

Every agent pays its fee: all that federation saved it, so that it is left with its local loss and
free riding gains it nothing. What the fees bring is given back by the rule of the terms (`rules`).

pool_i is what the *others* put up, worked out without i (`fees`), or from measured losses
(`waterfall`). Amounts are whole minor units, each rounded so that the sums can never run short.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import ArrayLike, Bools, Floats, Ints, floats
from ..errors import InputError
from ..results import SHOWN, Tabular, html_table, text_table
from .exact import exact_sum
from .fees import shown_penalty
from .population import Population
from .rules import GIVEN, Rule, rule_of
from .rules.rule import whole_part
from .terms import Terms
from .waterfall import waterfall

AMOUNTS = ("fee", "charge", "compensation", *GIVEN, "net")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Settlement(Tabular):
    """Who pays and who receives what, in minor units, one entry an agent.

    Attributes:
        fee: paid; below 0 the agent is paid.
        charge: Q_i, paid where report and data do not fit.
        compensation: received where measured losses say that federation hurt the agent.
        pool: what the others put up; the basis of reward and rebate.
        reward: received by the winners of a draw.
        rebate: H_i, received where nothing is drawn.
        net: received less paid.
        group, won: of the draw; group is −1 for agents in no group.
        surplus: what the operator is left with; never negative.
        shortfall: what compensations lack where federation hurt more than it helped.
    """

    population: Population
    terms: Terms
    seed: int | None
    fee: Ints
    charge: Ints
    compensation: Ints
    pool: Ints
    reward: Ints
    rebate: Ints
    net: Ints
    group: Ints
    won: Bools
    surplus: int
    shortfall: int

    def __post_init__(self) -> None:
        for name in (*AMOUNTS, "pool", "group", "won"):
            getattr(self, name).flags.writeable = False

    def __repr__(self) -> str:
        """Name the rule and the surplus, and show the first agents."""
        rows, n = self._shown(SHOWN), len(self.population)
        rest = f"\n... {n - SHOWN:,} more agents" if n > SHOWN else ""
        return f"{self._title}\n{text_table(rows)}{rest}"

    def _repr_html_(self) -> str:
        return html_table(self.shown_rows(), self._title)

    @property
    def _title(self) -> str:
        money = self.terms.money_unit
        return (
            f"Settlement of {len(self.population):,} agents by {self.terms.rule}, {self.input}, "
            f"in {money.name}, surplus {money.amount(self.surplus)}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row an agent: what it reported and delivered, and the amounts of its rule.

        Amounts are whole minor units of the terms.
        """
        return self._rows(len(self.population))

    def shown_rows(self) -> list[dict[str, Any]]:
        """The same with amounts as people write them."""
        return self._shown(len(self.population))

    def _shown(self, most: int) -> list[dict[str, Any]]:
        amounts, written = (
            self.rule.columns(self.input == "measured"),
            self.terms.money_unit.written,
        )
        return [
            {name: written(cell) if name in amounts else cell for name, cell in row.items()}
            for row in self._rows(most)
        ]

    def _rows(self, most: int) -> list[dict[str, Any]]:
        population, rule = self.population, self.rule
        names = (*rule.columns(self.input == "measured"), *(("won",) if rule.draws else ()))
        columns: dict[str, Any] = {
            "agent": population.agents[:most],
            "samples": population.samples[:most].tolist(),
            "reported_cost": population.reported_cost[:most].tolist(),
            **{name: getattr(self, name)[:most].tolist() for name in names},
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @property
    def totals(self) -> dict[str, int]:
        """Each amount summed over all agents."""
        return {name: exact_sum(getattr(self, name)) for name in AMOUNTS}

    @property
    def penalty(self) -> Ints:
        """P_fr of Eq. 8, for comparison: it moves no money.

        Where it exceeds the fee, the paper's contract fee B − P_fr is negative. Where losses were
        measured, there is none.
        """
        if self.population.local_loss is not None:
            return np.zeros(len(self.population), np.int64)
        return shown_penalty(self.population, self.terms)

    @property
    def rule(self) -> Rule:
        """The rule it was settled by."""
        return rule_of(self.terms)

    @property
    def prize(self) -> Ints:
        """What each agent gets back, or would get back if it won the draw, had nobody left."""
        return whole_part(self.pool, self.terms, self.rule.among(len(self.population)))

    @property
    def input(self) -> Literal["analytic", "measured"]:
        """What the fees were computed from."""
        return "analytic" if self.population.local_loss is None else "measured"

    def losses(self, true_cost: ArrayLike) -> tuple[Floats, Floats]:
        """Each agent's loss had it trained alone on the same data, and the loss it ends with."""
        population, terms = self.population, self.terms
        if population.local_loss is None or population.federated_loss is None:
            size = 1 if population.size is None else population.size
            alone = size * terms.curve.error(population.samples)
            together = size * terms.curve.error(population.total) + np.zeros(len(population))
        else:
            alone = float(terms.loss_value) * population.local_loss
            together = float(terms.loss_value) * population.federated_loss
        spent = floats(true_cost) * population.samples
        return alone + spent, together + spent - self.net * float(terms.unit)


def settle(population: Population, terms: Terms, seed: int | None = None) -> Settlement:
    """Settle (Algorithm 2): a pure function of agents, terms and, if the rule draws, the seed.

    Fees are measured where the population carries measured losses and follow the curve otherwise.

    >>> agents = Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    >>> result = settle(agents, Terms(error_scale=1.0, unit=1e-6, rule="rebate"))
    >>> result.fee, result.rebate, result.surplus
    (array([1547,  962,  547]), array([ 816, 1055, 1154]), 31)
    """
    rule, nothing = rule_of(terms), np.zeros(len(population), np.int64)
    population.refuse(
        population.samples < -(-terms.minimum_samples // 3),
        lambda k: (
            f"samples is {population.samples[k]}; with a minimum of {terms.minimum_samples:,} "
            "nobody is billed for fewer than a third of that"
        ),
    )
    measured = population.local_loss is not None
    if measured and not rule.measurable:
        raise InputError(
            f"the {rule.name} rule cannot settle by measured losses: nobody measures what would be "
            "if all did as one agent does; settle by the curve, or take another rule"
        )
    if population.size is not None and (measured or not rule.knows_sizes):
        who = "settling by measured losses" if measured else f"the {rule.name} rule"
        raise InputError(f"{who} knows no sizes; leave them out, or take another rule")
    signed = population.total_size if population.signed_size is None else population.signed_size
    if rule.is_void(population.total_size, signed):
        raise InputError(
            f"{population.total_size:,} of the size of {signed:,} that signed is here, too little "
            f"to settle by the {rule.name} rule: no money moves"
        )
    charge = compensation = nothing
    shortfall = 0
    if not measured:
        fee, pool = rule.collect(population, terms)
        charge = rule.charge(population, terms)
    else:
        fee, compensation, pool, shortfall = waterfall(population, terms)
    if (escrow := terms.escrow) is not None:
        money = terms.money_unit.money
        population.refuse(
            fee > escrow,
            lambda k: (
                f"its fee of {money(int(fee[k]))} exceeds the escrow of {money(escrow)} in the "
                "terms"
            ),
        )
    given = rule.give_back(population, pool, terms, seed)
    back = given.amount
    if population.left is not None:
        charge, back = (np.where(population.left, 0, amount) for amount in (charge, back))
    net = back + compensation - fee - charge
    surplus = -exact_sum(net)
    if surplus < 0:
        raise InputError(
            f"the {rule.name} rule would give back {-surplus:,} minor units more than it collects; "
            "no settlement may do that: correct the rule"
        )
    return Settlement(
        population=population,
        terms=terms,
        seed=seed,
        fee=fee,
        charge=charge,
        compensation=compensation,
        pool=pool,
        **rule.in_columns(back),
        net=net,
        group=given.group,
        won=given.won,
        surplus=surplus,
        shortfall=shortfall,
    )
