"""Settlement (Algorithm 2): one function for both rules and both inputs.

Every agent pays its fee: all that federation saved it, so that it is left with its local loss and
free riding gains it nothing. What the fees bring is given back by one of two rules:

- ``sandwich`` (the paper): agents compete in threes; the winner i receives pool_i / G.
- ``rebate`` (ours): nobody competes; everybody receives pool_i / (n−1), and pays a charge if its
  report and its data do not fit together.

pool_i is what the *others* put up, worked out without i (`fees`), or from measured losses
(`waterfall`). Amounts are whole minor units, each rounded so that the sums can never run short.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .arrays import ArrayLike, Bools, Floats, Ints, floats
from .errors import InputError
from .exact import as_fraction, exact_sum
from .fees import consistency_charge, fees_and_pools, shown_penalty
from .population import Population
from .sandwich import compete
from .terms import Terms
from .waterfall import waterfall

AMOUNTS = ("fee", "penalty", "charge", "compensation", "reward", "rebate", "net")


@dataclass(frozen=True, slots=True, eq=False)
class Settlement:
    """Who pays and who receives what, in minor units, one entry an agent.

    Attributes:
        fee: B_i, paid; the penalty is included.
        penalty: P_fr, shown: how much of the fee is owed to missing m*. It may exceed the fee, in
            which case the paper's contract fee B − P_fr is negative.
        charge: Q_i, paid under ``rebate`` where report and data do not fit.
        compensation: received where measured losses say that federation hurt the agent.
        pool: what the others put up; the basis of reward and rebate.
        reward: received by winners under ``sandwich``.
        rebate: H_i, received under ``rebate``.
        net: received less paid.
        group, won: the draw under ``sandwich``; group is −1 for who met nobody.
        surplus: what the operator is left with; never negative.
        shortfall: what compensations lack where federation hurt more than it helped.
    """

    population: Population
    terms: Terms
    seed: int | None
    fee: Ints
    penalty: Ints
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

    @property
    def totals(self) -> dict[str, int]:
        """Each amount summed over all agents."""
        return {name: exact_sum(getattr(self, name)) for name in AMOUNTS}

    @property
    def prize(self) -> Ints:
        """What each agent would receive if it won the sandwich: (1 − ρ)·pool/G."""
        return share(self.pool, self.terms, self.population.groups)

    @property
    def input(self) -> Literal["analytic", "measured"]:
        """What the fees were computed from."""
        return "analytic" if self.population.local_loss is None else "measured"

    def losses(self, true_cost: ArrayLike) -> tuple[Floats, Floats]:
        """Each agent's loss had it trained alone on the same data, and the loss it ends with."""
        population, terms = self.population, self.terms
        if population.local_loss is None or population.federated_loss is None:
            A = float(terms.required_error_scale)
            alone, together = A / population.samples, np.full(len(population), A / population.total)
        else:
            alone = float(terms.loss_value) * population.local_loss
            together = float(terms.loss_value) * population.federated_loss
        spent = floats(true_cost) * population.samples
        return alone + spent, together + spent - self.net * float(terms.unit)


def settle(population: Population, terms: Terms, seed: int | None = None) -> Settlement:
    """Settle (Algorithm 2): a pure function of agents, terms and, for ``sandwich``, the seed.

    Fees are measured where the population carries measured losses and follow A/m otherwise.

    >>> agents = Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    >>> result = settle(agents, Terms(error_scale=1.0, unit=1e-6, rule="rebate"))
    >>> result.fee, result.rebate, result.surplus
    (array([1546,  961,  546]), array([621, 833, 878]), 721)
    """
    n, nothing = len(population), np.zeros(len(population), np.int64)
    population.refuse(
        population.samples < terms.minimum_samples,
        lambda k: (
            f"samples is {population.samples[k]}; the terms ask for at least "
            f"{terms.minimum_samples}"
        ),
    )
    penalty = charge = compensation = reward = rebate = nothing
    shortfall = 0
    if population.local_loss is None:
        fee, pool = fees_and_pools(population, terms)
        penalty = shown_penalty(population, terms)
        if terms.rule == "rebate":
            charge = consistency_charge(population, terms)
    else:
        fee, compensation, pool, shortfall = waterfall(population, terms)
    if terms.escrow is not None:
        population.refuse(
            fee > terms.escrow,
            lambda k: (
                f"its fee of {fee[k]} minor units exceeds the escrow of {terms.escrow} in the terms"
            ),
        )
    group, won = np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    if terms.rule == "sandwich":
        if seed is None:
            raise InputError("the sandwich rule draws groups: give a seed")
        group, won = compete(population.agents, population.reported_cost, seed)
        reward = np.where(won, share(pool, terms, population.groups), 0)
    else:
        rebate = share(pool, terms, n - 1)
    if population.left is not None:
        charge, reward, rebate = (
            np.where(population.left, 0, amount) for amount in (charge, reward, rebate)
        )
    net = reward + rebate + compensation - fee - charge
    return Settlement(
        population=population,
        terms=terms,
        seed=seed,
        fee=fee,
        penalty=penalty,
        charge=charge,
        compensation=compensation,
        pool=pool,
        reward=reward,
        rebate=rebate,
        net=net,
        group=group,
        won=won,
        surplus=-exact_sum(net),
        shortfall=shortfall,
    )


def share(pool: Ints, terms: Terms, among: int) -> Ints:
    """⌊(1 − ρ)·pool/among⌋ (Algorithm 2). 1 − ρ has six decimals at most: nothing overflows."""
    kept = 1 - as_fraction(terms.retention)
    whole, rest = np.divmod(pool, kept.denominator)
    left: Ints = whole * kept.numerator + rest * kept.numerator // kept.denominator
    return left // among
