"""What `rebate` and `shared` have in common: fees and pools that balance, and the exact charge.

Errors cost agent i, of size u_i, u_i·e(·). With x_i its *effective samples* and U = Σu,

    fee_i   = u_i·[e(x_i) − e(M)]
    pool_i  = Σ_{j≠i} u_j·[e(x_j) − e(T_i)],    T_i = U·S_i/(U − u_i),    rebate H_i = pool_i/(n−1)
    charge  = κ[ℓ_i(m_i; c) − min ℓ_i(x; c)],   ℓ_i(m; c) = u_i·e(x_i(m)) + c·m.

Agent i ends with ℓ_i(m_i; c_i) + Q_i − H_i, and H_i is out of its hands: its own optimum and its
true cost are dominant. H_i ≥ 0 and surplus ≥ 0 by Jensen's inequality, since e is convex and
decreasing; the surplus is 0 for equal agents (docs/theory.md has the proofs).

In whole units: e(x_i) and e(T_i) are rounded up and e(M) down, in sub-units; fees up to whole
units, for either sign; charges up; rebates down. So the surplus is never negative, exactly.
"""

from typing import ClassVar

import numpy as np

from ...arrays import MOST_SAMPLES, ArrayLike, Floats, Ints, floats
from ...errors import InputError
from ..billing import billing_floor
from ..charge import SampleChoices, exact_charge
from ..curve import Curve
from ..exact import DOES_NOT_FIT
from ..fees import distinct, refuse_misfit, too_large
from ..other_agents import Standing
from ..population import Population
from ..subunits import BITS, bits_for, bits_of_each, errors
from ..terms import Terms
from .figures import Figures, StatementLine, charge_line, fee_line
from .rule import Given, Rule


class Balanced(Rule):
    """A rule without a lottery; ``spreads``: whether x_i is m_i·U/u_i rather than m_i."""

    gives: ClassVar[Given] = "rebate"
    charges: ClassVar[bool] = True
    knows_sizes: ClassVar[bool] = True
    spreads: ClassVar[bool] = False
    surplus_reason: ClassVar[str] = (
        "what a member gets back never depends on its own samples, so differences between members "
        "leave a remainder; equal members leave none, and the more take part the less is left"
    )

    def among(self, agents: int) -> int:
        """The n − 1 others put up the pool."""
        return agents - 1

    def collect(self, population: Population, terms: Terms) -> tuple[Ints, Ints]:
        """Fees and pools; worked out once for each number of samples where all have one size."""
        m, size, U = population.samples, population.size, population.total_size
        if size is None:
            m, agent, count = distinct(m)
            size = np.ones_like(m)
        else:
            agent, count = np.arange(len(m)), np.ones_like(m)
        largest = float(terms.error_scale_in_units) * (1.0 * m) ** -float(terms.exponent)
        refuse_misfit(population, terms, float((largest * size * count).sum()))
        M, bits = population.total, bits_for(int(size.max()))
        times, over = self._effective(U, size)
        alone = errors(terms, m, times, over, up=True, bits=bits)
        together = errors(terms, np.array([M]), up=False, bits=bits)
        own = alone.times(size)
        if bits > BITS:  # each in sub-units as fine as its own size asks for, as in `fee_for`
            shift = bits - bits_of_each(size)
            alone, together = alone.coarser(shift, up=True), together.coarser(shift, up=False)
        fee = alone.times(size).less(together.times(size)).ceiling
        rest = errors(terms, M - m, U, U - size, up=True, bits=bits).times(U - size)
        whole, part = own.total(count)
        pool = whole - own.whole - rest.whole + ((part - own.part - rest.part) >> bits)
        fee, pool = fee[agent], np.maximum(pool, 0)[agent]
        if population.left is not None:  # nobody is paid for leaving
            fee = np.where(population.left, np.maximum(fee, 0), fee)
        return fee, pool

    def fee_for(self, samples: int, total: int, standing: Standing, terms: Terms) -> int:
        """⌈u·[e(x) − e(M)]⌉."""
        size = np.array([standing.size])
        times, over = self._effective(standing.all_sizes, size)
        bits = bits_for(standing.size)
        own = errors(terms, np.array([samples]), times, over, up=True, bits=bits).times(size)
        together = errors(terms, np.array([total]), up=False, bits=bits).times(size)
        return int(own.less(together).ceiling[0])

    def charge(self, population: Population, terms: Terms) -> Ints:
        """Q_i, by the size of all that signed."""
        n = len(population)
        size = np.ones(n, np.int64) if population.size is None else population.size
        signed = population.total_size if population.signed_size is None else population.signed_size
        most = np.full(n, MOST_SAMPLES) if population.capacity is None else population.capacity
        sizes, kind = np.unique(size, return_inverse=True)
        least = np.array([billing_floor(terms, int(u)) for u in sizes])[kind]
        choices = SampleChoices(size, *self._effective(signed, size), np.minimum(least, most), most)
        charge = exact_charge(terms, population.reported_cost, population.used, choices)
        population.refuse(
            charge == DOES_NOT_FIT, lambda k: too_large("consistency charge", population, k)
        )
        return charge

    def charge_for(
        self, reported_cost: float, samples: int, standing: Standing, terms: Terms
    ) -> int:
        """Q for one report and its samples."""
        size = np.array([standing.size])
        most = np.array([MOST_SAMPLES if standing.capacity is None else standing.capacity])
        least = np.minimum(billing_floor(terms, standing.size), most)
        choices = SampleChoices(size, *self._effective(standing.all_sizes, size), least, most)
        cost, m = np.array([reported_cost]), np.array([samples])
        charge = int(exact_charge(terms, cost, m, choices)[0])
        if charge < 0:
            raise InputError("its largest charge does not fit in 64 bits; take a larger unit")
        return charge

    def _effective(self, total_size: int, size: Ints) -> tuple[int, Ints]:
        """By what samples are multiplied, and by what divided, to get effective samples."""
        return (total_size, size) if self.spreads else (1, np.ones_like(size))

    def own_curve(self, curve: Curve, size: ArrayLike, total_size: ArrayLike) -> Curve:
        """u·e(x(m)), as a curve of m."""
        own = curve.times(size)
        if not self.spreads:
            return own
        return own.times((floats(size) / floats(total_size)) ** curve.exponent)

    def pool_in_reals(
        self, errors: ArrayLike, others: ArrayLike, standing: Standing, curve: Curve
    ) -> Floats:
        """Σ_{j≠i} u_j·e(x_j) − (U − u_i)·e(T_i)."""
        U, rest = standing.all_sizes, standing.all_sizes - standing.size
        return floats(floats(errors) - rest * curve.error(floats(others) * U / rest))

    def best_samples(
        self, true_cost: ArrayLike, reported_cost: ArrayLike, terms: Terms, own: Curve
    ) -> Floats:
        """m*((c_i + κc)/(1 + κ)), which is m* where the report is true."""
        kappa = float(terms.consistency)
        return own.optimum((floats(true_cost) + kappa * floats(reported_cost)) / (1 + kappa))

    def best_report(
        self, true_cost: ArrayLike, samples: ArrayLike, terms: Terms, own: Curve
    ) -> Floats:
        """The cost that fits the samples, for which there is no charge."""
        return floats(true_cost) if terms.consistency == 0 else own.fitting_cost(samples)

    def lines(self, of: Figures, terms: Terms) -> list[StatementLine]:
        """Fee and charge."""
        own = self.own_curve(terms.curve, of.standing.size, of.signed_size)
        least = billing_floor(terms, of.standing.size)
        return [
            fee_line(of, terms, self.spreads, up=True),
            charge_line(of, terms, own, least),
        ]

    def back_formula(self, of: Figures, kept: str) -> tuple[str, str]:
        """The pool over n − 1."""
        return "⌊(1 − ρ)·pool/(n − 1)⌋", f"⌊{kept}/({of.agents} − 1)⌋"
