"""``rebate``, our rule: everybody gets its pool over n − 1, and pays for data that does not fit."""

from typing import ClassVar

import numpy as np

from ...arrays import ArrayLike, Floats, Ints, floats
from ...errors import InputError
from ..fees import consistency_charge, exact_charge
from ..losses import charge_for_misfit
from ..population import Population
from ..terms import Terms
from .figures import Figures, StatementLine, charge_line
from .rule import Given, Rule


class Rebate(Rule):
    """Nobody competes: fee B, charge Q for data that does not fit the report, rebate H."""

    name: ClassVar[str] = "rebate"
    source: ClassVar[str] = "ours, docs/theory.md"
    gives: ClassVar[Given] = "rebate"
    charges: ClassVar[bool] = True
    guarantees: ClassVar[tuple[str, ...]] = (
        "In every outcome you end below what training alone would cost you.",
        "The truth and m* samples, or all you have, are best whatever others do, unless the terms "
        "ask for more.",
    )
    surplus_reason: ClassVar[str] = (
        "nobody is given back what its own samples decide; the more take part, and the more alike "
        "they are, the less that is"
    )

    def among(self, agents: int) -> int:
        """The n − 1 others put up the pool."""
        return agents - 1

    def charge(self, population: Population, terms: Terms) -> Ints:
        """Q_i of each agent; nothing for agents that have no more data."""
        return consistency_charge(population, terms)

    def charge_for(self, reported_cost: float, samples: int, terms: Terms) -> int:
        """Q for one report and its samples."""
        charge = int(exact_charge(terms, np.array([reported_cost]), np.array([samples]))[0])
        if charge < 0:
            raise InputError("its largest charge does not fit in 64 bits; take a larger unit")
        return charge

    def charge_in_reals(self, samples: ArrayLike, reported_cost: ArrayLike, terms: Terms) -> Floats:
        """κ(√(A/m) − √(c·m))²."""
        A, kappa = float(terms.required_error_scale), float(terms.consistency)
        return charge_for_misfit(samples, reported_cost, A, kappa)

    def best_samples(self, true_cost: ArrayLike, reported_cost: ArrayLike, terms: Terms) -> Floats:
        """√((1 + κ)A/(c_i + κc)): m* where the report is true."""
        A, kappa = float(terms.required_error_scale), float(terms.consistency)
        return floats(
            np.sqrt((1 + kappa) * A / (floats(true_cost) + kappa * floats(reported_cost)))
        )

    def best_report(self, true_cost: ArrayLike, samples: ArrayLike, terms: Terms) -> Floats:
        """The cost that fits the samples, A/m², for which there is no charge."""
        if terms.consistency == 0:
            return floats(true_cost)
        return floats(float(terms.required_error_scale) / floats(samples) ** 2)

    def lines(self, of: Figures, terms: Terms) -> list[StatementLine]:
        """The charge comes after the fee."""
        return [*super().lines(of, terms), charge_line(of, terms)]

    def back_formula(self, of: Figures, kept: str) -> tuple[str, str]:
        """The pool over n − 1."""
        return "⌊(1 − ρ)·pool/(n − 1)⌋", f"⌊{kept}/({of.agents} − 1)⌋"
