"""``sandwich``, the paper's rule: agents compete in threes, and the winner gets its pool over G."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...arrays import ArrayLike, Bools, Floats, Ints
from ..competition import compete
from ..curve import Curve
from ..exact import floor_difference
from ..fees import fees_and_pools
from ..formulas.losses import pool_of_others
from ..formulas.winning import (
    CostDistribution,
    continuum_win_probability,
    simulate_draws,
    win_probability_against,
    win_probability_if,
)
from ..other_agents import Others, Standing
from ..population import Population
from ..subunits import errors
from ..terms import Terms
from .figures import Figures, StatementLine, fee_line
from .rule import Given, Rule
from .winners import middle_winner, wins_at_quantile


class Sandwich(Rule):
    """The member in the middle of its group of three is rewarded (Eq. 10, with the pool on B)."""

    name: ClassVar[str] = "sandwich"
    source: ClassVar[str] = "FACT, Alg. 2, with the pool on B"
    gives: ClassVar[Given] = "reward"
    draws: ClassVar[bool] = True
    from_paper: ClassVar[bool] = True
    measured_loss: ClassVar[str] = "ℓ_i − P_i · (1/G) · Σ_{j≠i} f_j"
    measured_meaning: ClassVar[str] = (
        "What our settlement pays, with G = ⌊n/3⌋ groups. Where federation hurt an agent (f below "
        "0) it is compensated first."
    )
    guarantees: ClassVar[tuple[str, ...]] = (
        "At worst you end where training alone leaves you.",
        "Reporting the truth is best if you know nothing of the others' costs (Assumption 1).",
    )
    choose_when: ClassVar[str] = "you want the paper's own mechanism"
    surplus_reason: ClassVar[str] = (
        "what a winner gets never depends on its own samples, so not all that the others pay can "
        "be given back; of n equal members with a curve A/m, one part in n − 1 of the fees is left"
    )

    def collect(self, population: Population, terms: Terms) -> tuple[Ints, Ints]:
        """Fee ⌊B_i⌋ and pool, each agent left out of its own."""
        return fees_and_pools(population, terms)

    def fee_for(self, samples: int, total: int, standing: Standing, terms: Terms) -> int:
        """⌊B⌋."""
        m, M = np.array([samples]), np.array([total])
        if terms.exponent == 1:
            return int(floor_difference(terms.error_scale_in_units, m, M)[0])
        return int(errors(terms, m, up=True).less(errors(terms, M, up=True)).whole[0])

    def pool_in_reals(
        self, errors: ArrayLike, others: ArrayLike, standing: Standing, curve: Curve
    ) -> Floats:
        """Σ_{j≠i} (e(m_j) − e(S))."""
        return pool_of_others(errors, others, standing.agents, curve)

    def among(self, agents: int) -> int:
        """G = ⌊n/3⌋, the number of groups and so of winners."""
        return agents // 3

    def draw(self, agents: Sequence[str], reported_cost: Floats, seed: int) -> tuple[Ints, Bools]:
        """Groups of three, of which the median wins (Eq. 10)."""
        return compete(agents, reported_cost, seed)

    def winners(self, reported_cost: Floats, rng: np.random.Generator) -> Ints:
        """The same by a generator of random numbers, which is faster than keys."""
        winners: Ints = simulate_draws(reported_cost, 1, rng)[0]
        return winners

    def chances(self, said: ArrayLike, reported_cost: ArrayLike) -> Floats:
        """Lemma 2, exactly."""
        return win_probability_if(said, reported_cost)

    def chance_against(self, report: ArrayLike, others: Others) -> Floats:
        """Lemma 2 for one more agent."""
        return win_probability_against(report, others.reported_cost)

    def chance_among(self, report: ArrayLike, costs: CostDistribution, agents: int) -> Floats:
        """Lemma 2 against two that are drawn: what an agent believes (Assumption 1)."""
        return continuum_win_probability(report, costs)

    def wins_at_quantile(self, part: float, attackers: int, agents: int) -> float:
        """Lemma 2 over all populations."""
        return wins_at_quantile(part, attackers, agents)

    def middle_winner(self, agents: int) -> Floats:
        """Over all draws."""
        return middle_winner(agents)

    def lines(self, of: Figures, terms: Terms) -> list[StatementLine]:
        """The fee."""
        return [fee_line(of, terms)]

    def back_formula(self, of: Figures, kept: str) -> tuple[str, str]:
        """A winner gets its pool over G; the others are told why they get nothing."""
        if of.won:
            return "⌊(1 − ρ)·pool/G⌋", f"⌊{kept}/{self.among(of.agents)}⌋"
        why = "left over by the draw" if of.group is None else "not the median of its group"
        return "0", why

    def remarks(self, agents: int) -> list[str]:
        """One or two agents are left over where n is not a multiple of three."""
        over = agents % 3
        if not over:
            return []
        return [f"{over} of {agents} agents left over by the draw: they pay and cannot win"]

    def assumptions(self, knows_reports: bool) -> list[str]:
        """What an agent believes about its chance to win, and what is true of it."""
        chance = (
            "your exact chance against these reports"
            if knows_reports
            else "the mean over all agents, at most one win in three"
        )
        return [
            "Believed: you take your cost for the median (Assumption 1) and expect to win one time "
            f"in two. Realised: {chance}.",
            "An agent that knows the others' costs gains by reporting their median: this rule is "
            "truthful only among agents that know nothing of each other.",
        ]
