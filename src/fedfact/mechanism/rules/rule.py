"""What a rule is: what it collects and gives back, what it promises, how it explains itself.

Every rule charges a fee, all that federation saved an agent (Algorithm 2), and gives the pool of
the others back in its own way. A rule says the same thing three times: exactly, in whole minor
units, for settlements; in real numbers, for advice and for the lab; and in words, for statements.
Everything else asks the rule: nothing outside this package compares rules' names.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar, get_args

import numpy as np

from ...arrays import ArrayLike, Bools, Floats, Ints, floats
from ...errors import InputError
from ..exact import as_fraction
from ..fees import fees_and_pools
from ..losses import local_loss
from ..optima import local_optimum
from ..others import Others
from ..population import Population
from ..search import least_of_each
from ..terms import Terms
from .figures import Figures, StatementLine, decimal_text, fee_line
from .lot import Lot

Chance = Callable[[Floats], Floats]
"""How likely an agent thinks that it wins, by what it reports."""

Given = Literal["reward", "rebate"]
GIVEN: tuple[Given, ...] = get_args(Given)
"""The columns in which agents find what they get back; a rule uses one of them."""

Amount = TypeVar("Amount", int, Ints)

_REACH = 1e6
"""Times the truth, and its inverse: how far the best report and samples are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenBack:
    """What each agent gets from its pool, and what was drawn for that.

    ``group`` is −1 for agents that met nobody.
    """

    amount: Ints
    group: Ints
    won: Bools


class Rule(Lot):
    """How fees are collected and given back. One object for each rule; it has no state.

    Attributes:
        name: as terms name it.
        source: where it comes from, if that is worth saying.
        gives: the column of a settlement in which agents find what they get back.
        draws: as in `Lot`; a settlement by such a rule needs a seed.
        charges: whether data that does not fit the reported cost is charged for.
        guarantees: what holds for members who keep their word, in sentences.
        surplus_reason: why fees leave something over, for a sentence on the operator's surplus.
    """

    name: ClassVar[str]
    source: ClassVar[str] = ""
    gives: ClassVar[Given]
    charges: ClassVar[bool] = False
    guarantees: ClassVar[tuple[str, ...]]
    surplus_reason: ClassVar[str] = "nobody is given back what its own samples decide"

    @property
    def title(self) -> str:
        """The rule as tables and figures call it."""
        return f"FACT {self.name}"

    def collect(self, population: Population, terms: Terms) -> tuple[Ints, Ints]:
        """The fee and the pool of each agent, by the formula A/m (Alg. 2, line 4)."""
        return fees_and_pools(population, terms)

    def charge(self, population: Population, terms: Terms) -> Ints:
        """What each agent pays because its data does not fit its report."""
        return np.zeros(len(population), np.int64)

    def charge_for(self, reported_cost: float, samples: int, terms: Terms) -> int:
        """The same for one agent that is not capped."""
        return 0

    def give_back(
        self, population: Population, pool: Ints, terms: Terms, seed: int | None
    ) -> GivenBack:
        """What each agent gets from its pool: its part or, where the rule draws, that if it won."""
        n = len(population)
        part = whole_part(pool, terms, self.among(n))
        if not self.draws:
            return GivenBack(part, np.full(n, -1, np.int64), np.zeros(n, np.bool_))
        if seed is None:
            raise InputError(f"the {self.name} rule draws who wins: give a seed")
        group, won = self.draw(population.agents, population.reported_cost, seed)
        return GivenBack(np.where(won, part, 0), group, won)

    def in_columns(self, back: Amount) -> dict[str, Amount]:
        """What agents get back, in the column for it; nothing in those of other rules."""
        return {name: back * (name == self.gives) for name in GIVEN}

    def back_for(self, pool: int, agents: int, won: bool, terms: Terms) -> int:
        """What one agent gets back, given its pool and whether it won the draw."""
        if self.draws and not won:
            return 0
        return int(whole_part(np.array([pool]), terms, self.among(agents))[0])

    def sure_part(self, terms: Terms) -> float:
        """Of its share of a pool, the part that an agent gets back whatever is drawn."""
        return 0.0 if self.draws else 1 - float(terms.retention)

    def part_of(self, pool: ArrayLike, agents: int, terms: Terms) -> Floats:
        """(1 − ρ)·pool, divided: what one agent gets, or gets if it wins, in real numbers."""
        return floats((1 - float(terms.retention)) * floats(pool) / self.among(agents))

    def share(self, others: Others, terms: Terms) -> float:
        """The same for one agent among these others."""
        pool = others.pool(float(terms.required_error_scale))
        return float(self.part_of(pool, others.n, terms))

    def charge_in_reals(self, samples: ArrayLike, reported_cost: ArrayLike, terms: Terms) -> Floats:
        """The charge in real numbers."""
        return floats(0.0)

    def expected_loss(
        self,
        samples: ArrayLike,
        reported_cost: ArrayLike,
        true_cost: ArrayLike,
        others: Others,
        terms: Terms,
        chance: Chance | None = None,
    ) -> Floats:
        """The loss of an agent that uses and reports this (Eq. 11): its local loss, charge, share.

        Where the rule draws, an expectation: by ``chance`` as the agent believes it or, where none
        is given, exactly as these others' reports make it.
        """
        lost = self._without_share(samples, reported_cost, true_cost, terms)
        if not self.draws:
            return floats(lost - self.share(others, terms))
        report = floats(reported_cost)
        wins = self.chance_against(report, others) if chance is None else chance(report)
        return floats(lost - wins * self.share(others, terms))

    def bounds(
        self, samples: float, reported_cost: float, true_cost: float, others: Others, terms: Terms
    ) -> tuple[float, float]:
        """The largest and the smallest loss that a draw can leave an agent with."""
        lost = float(self._without_share(samples, reported_cost, true_cost, terms))
        won = lost - self.share(others, terms)
        return lost if self.draws else won, won

    def _without_share(
        self, samples: ArrayLike, reported_cost: ArrayLike, true_cost: ArrayLike, terms: Terms
    ) -> Floats:
        """The local loss and the charge."""
        alone = local_loss(samples, true_cost, float(terms.required_error_scale))
        return alone + self.charge_in_reals(samples, reported_cost, terms)

    def best_samples(self, true_cost: ArrayLike, reported_cost: ArrayLike, terms: Terms) -> Floats:
        """Samples that are best for agents that report this: m*, unless a charge moves them.

        A rule that charges may say by a formula what is found here by search.
        """
        cost, said = floats(true_cost)[..., None], floats(reported_cost)[..., None]
        m_star = local_optimum(true_cost, float(terms.required_error_scale))
        if not self.charges:
            return m_star
        return least_of_each(
            lambda m: self._without_share(m, said, cost, terms), m_star / _REACH, m_star * _REACH
        )

    def best_report(self, true_cost: ArrayLike, samples: ArrayLike, terms: Terms) -> Floats:
        """The report that is best for agents that use this: the truth, unless others cost less.

        Where the rule draws, that is so for an agent that knows nothing of the others (Thm 5).
        """
        cost, m = floats(true_cost), floats(samples)[..., None]
        if not self.charges:
            return cost

        def charge(said: Floats) -> Floats:
            return self.charge_in_reals(m, said, terms)

        best = least_of_each(charge, cost / _REACH, cost * _REACH)
        gains = charge(best[..., None]) < charge(cost[..., None])
        return np.where(gains[..., 0], best, cost)

    def columns(self, measured: bool) -> tuple[str, ...]:
        """The columns of a settlement that mean something under this rule."""
        fees = ("fee", "compensation") if measured else ("fee",)
        charge = ("charge",) if self.charges and not measured else ()
        return (*fees, *charge, self.gives, "net")

    def lines(self, of: Figures, terms: Terms) -> list[StatementLine]:
        """An agent's lines by the formula A/m, each with its formula: fee, charge."""
        return [fee_line(of, terms)]

    def back_line(self, of: Figures, terms: Terms) -> StatementLine:
        """What an agent gets back, with its formula; an agent that left forfeits it."""
        formula, filled = "0", "forfeited by leaving before the end"
        if not of.left:
            kept = f"(1 − {decimal_text(terms.retention)})·{of.pool}"
            formula, filled = self.back_formula(of, kept)
        return StatementLine(self.gives, of.back, formula, filled, "to you")

    @abstractmethod
    def back_formula(self, of: Figures, kept: str) -> tuple[str, str]:
        """How that comes about, in symbols and with the numbers filled in.

        ``kept`` is the agent's pool less what the operator keeps, filled in.
        """

    def remarks(self, agents: int) -> list[str]:
        """What somebody who settles so many agents should know, though it is no error."""
        return []

    def assumptions(self, knows_reports: bool) -> list[str]:
        """What advice under this rule takes for granted besides what any rule does."""
        return []


def whole_part(pool: Ints, terms: Terms, among: int) -> Ints:
    """⌊(1 − ρ)·pool/among⌋ (Algorithm 2). 1 − ρ has six decimals at most: nothing overflows."""
    kept = 1 - as_fraction(terms.retention)
    whole, rest = np.divmod(pool, kept.denominator)
    left: Ints = whole * kept.numerator + rest * kept.numerator // kept.denominator
    return left // among
