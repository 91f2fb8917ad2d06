"""What a rule is: what it collects and gives back, what it promises, how it explains itself.

Every rule charges a fee, what federation saved an agent (Algorithm 2), and gives the pool of the
others back in its own way. A rule says the same thing three times: exactly, in whole minor units,
for settlements; in real numbers, for advice and for the lab; and in words, for statements.
Everything else asks the rule: nothing outside this package compares rules' names.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar, get_args

import numpy as np

from ...arrays import ArrayLike, Bools, Floats, Ints, floats
from ...errors import InputError
from ..billing import billing_floor
from ..curve import Curve
from ..exact import as_fraction
from ..formulas.losses import charge_for_misfit
from ..formulas.optima import whole_local_optimum
from ..other_agents import Others, Standing
from ..population import Population
from ..search import least_of_each
from ..terms import Terms
from .figures import Figures, StatementLine, decimal_text
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

    ``group`` is −1 for agents in no group.
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
        knows_sizes: whether agents may differ in size.
        measurable: whether it can settle by measured losses, and not only by the curve.
        from_paper: whether it is the paper's own rule; of one rule it is.
        measured_loss: what measured losses leave agent i, as a formula; ``_i`` is a subscript.
        measured_meaning: the same in words.
        guarantees: what holds for members who keep their word, in sentences.
        choose_when: in which federations it is the rule to take, in words.
        surplus_reason: why fees leave something over, for a sentence on the operator's surplus.
    """

    name: ClassVar[str]
    source: ClassVar[str] = ""
    gives: ClassVar[Given]
    charges: ClassVar[bool] = False
    knows_sizes: ClassVar[bool] = False
    measurable: ClassVar[bool] = True
    from_paper: ClassVar[bool] = False
    measured_loss: ClassVar[str] = ""
    measured_meaning: ClassVar[str] = ""
    guarantees: ClassVar[tuple[str, ...]]
    choose_when: ClassVar[str] = ""
    surplus_reason: ClassVar[str] = "what a member gets back never depends on its own samples"

    @property
    def title(self) -> str:
        """The rule as tables and figures call it."""
        return f"FACT {self.name}"

    # Exactly, in whole minor units

    @abstractmethod
    def collect(self, population: Population, terms: Terms) -> tuple[Ints, Ints]:
        """The fee and the pool of each agent, by the curve (Alg. 2, line 4)."""

    @abstractmethod
    def fee_for(self, samples: int, total: int, standing: Standing, terms: Terms) -> int:
        """The fee of one agent, where all together use ``total`` samples."""

    def charge(self, population: Population, terms: Terms) -> Ints:
        """What each agent pays because its data does not fit its report."""
        return np.zeros(len(population), np.int64)

    def charge_for(
        self, reported_cost: float, samples: int, standing: Standing, terms: Terms
    ) -> int:
        """The same for one agent. The sizes are those of all that signed."""
        return 0

    def is_void(self, size: int, signed: int) -> bool:
        """Whether so much of the size that signed is too little to settle by."""
        return False

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

    # In real numbers

    def own_curve(self, curve: Curve, size: ArrayLike, total_size: ArrayLike) -> Curve:
        """What an agent's own samples cost it in errors, whatever the others do."""
        return curve.times(size)

    @abstractmethod
    def pool_in_reals(
        self, errors: ArrayLike, others: ArrayLike, standing: Standing, curve: Curve
    ) -> Floats:
        """What the others put up, with so many samples and, by their own curves, such errors."""

    def least_back(self, others: ArrayLike, standing: Standing, terms: Terms) -> Floats:
        """The least that an agent gets back for sure, before rounding.

        It holds however the samples of the others are spread over them.
        """
        return np.zeros_like(floats(others))

    def least_total_size(self, signed: int) -> int:
        """The least size with which a settlement by this rule is not void."""
        return signed

    def part_of(self, pool: ArrayLike, agents: int, terms: Terms) -> Floats:
        """(1 − ρ)·pool, divided: what one agent gets, or gets if it wins, in real numbers."""
        return floats((1 - float(terms.retention)) * floats(pool) / self.among(agents))

    def share(self, others: Others, terms: Terms, standing: Standing | None = None) -> float:
        """The same for one agent among these others."""
        place = others.beside() if standing is None else standing
        sizes = 1 if others.size is None else others.size
        own = self.own_curve(terms.curve, sizes, place.all_sizes)
        errors = own.error(others.samples).sum()
        pool = self.pool_in_reals(errors, others.total, place, terms.curve)
        return float(self.part_of(pool, others.n, terms))

    def charge_in_reals(
        self,
        samples: ArrayLike,
        reported_cost: ArrayLike,
        terms: Terms,
        own: Curve,
        standing: Standing | None = None,
    ) -> Floats:
        """The charge in real numbers, for an agent with this curve of its own.

        With a standing it is billed in whole samples, from the billing floor to its capacity.
        """
        if not self.charges:
            return floats(0.0)
        best = None
        if standing is not None:
            most = np.inf if standing.capacity is None else standing.capacity
            least = min(billing_floor(terms, standing.size), most)
            best = np.clip(whole_local_optimum(reported_cost, own), least, most)
        return charge_for_misfit(samples, reported_cost, own, float(terms.consistency), best)

    def expected_loss(
        self,
        samples: ArrayLike,
        reported_cost: ArrayLike,
        true_cost: ArrayLike,
        others: Others,
        terms: Terms,
        chance: Chance | None = None,
        standing: Standing | None = None,
    ) -> Floats:
        """The loss of an agent that uses and reports this (Eq. 11): its own, charge, less share.

        ``standing`` is what it is beside the others; without one it is like them, and uses any
        number of samples, whole or not.
        Where the rule draws, an expectation: by ``chance`` as the agent believes it or, where none
        is given, exactly as these others' reports make it.
        """
        lost = self._without_share(samples, reported_cost, true_cost, others, terms, standing)
        if not self.draws:
            return floats(lost - self.share(others, terms, standing))
        report = floats(reported_cost)
        wins = self.chance_against(report, others) if chance is None else chance(report)
        return floats(lost - wins * self.share(others, terms, standing))

    def bounds(
        self,
        samples: float,
        reported_cost: float,
        true_cost: float,
        others: Others,
        terms: Terms,
        standing: Standing | None = None,
    ) -> tuple[float, float]:
        """The largest and the smallest loss that a draw can leave an agent with."""
        lost = float(
            self._without_share(samples, reported_cost, true_cost, others, terms, standing)
        )
        won = lost - self.share(others, terms, standing)
        return lost if self.draws else won, won

    def _without_share(
        self,
        samples: ArrayLike,
        reported_cost: ArrayLike,
        true_cost: ArrayLike,
        others: Others,
        terms: Terms,
        standing: Standing | None,
    ) -> Floats:
        """What the agent's own samples cost it, and the charge."""
        place = others.beside() if standing is None else standing
        own = self.own_curve(terms.curve, place.size, place.all_sizes)
        lost = own.error(samples) + floats(true_cost) * floats(samples)
        return lost + self.charge_in_reals(samples, reported_cost, terms, own, standing)

    def best_samples(
        self, true_cost: ArrayLike, reported_cost: ArrayLike, terms: Terms, own: Curve
    ) -> Floats:
        """Samples that are best for agents that report this: m*, unless a charge moves them."""
        return own.optimum(true_cost)

    def best_report(
        self, true_cost: ArrayLike, samples: ArrayLike, terms: Terms, own: Curve
    ) -> Floats:
        """The report that is best for agents that use this: the truth, unless others cost less.

        Where the rule draws, that is so for an agent that knows nothing of the others (Thm 5).
        """
        cost, m = floats(true_cost), floats(samples)[..., None]
        if not self.charges:
            return cost

        def charge(said: Floats) -> Floats:
            return self.charge_in_reals(m, said, terms, own)

        best = least_of_each(charge, cost / _REACH, cost * _REACH)
        gains = charge(best[..., None]) < charge(cost[..., None])
        return np.where(gains[..., 0], best, cost)

    # In words

    def columns(self, measured: bool) -> tuple[str, ...]:
        """The columns of a settlement that mean something under this rule."""
        fees = ("fee", "compensation") if measured else ("fee",)
        charge = ("charge",) if self.charges and not measured else ()
        return (*fees, *charge, self.gives, "net")

    @abstractmethod
    def lines(self, of: Figures, terms: Terms) -> list[StatementLine]:
        """An agent's lines by the curve, each with its formula: fee, charge."""

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
        """What advice under this rule assumes besides what any rule does."""
        return []


def whole_part(pool: Ints, terms: Terms, among: int) -> Ints:
    """⌊(1 − ρ)·pool/among⌋ (Algorithm 2). 1 − ρ has six decimals at most: nothing overflows."""
    kept = 1 - as_fraction(terms.retention)
    whole, rest = np.divmod(pool, kept.denominator)
    left: Ints = whole * kept.numerator + rest * kept.numerator // kept.denominator
    return left // among
