"""What each agent ends with: alone, in a plain federation, and under FACT in every reading of it.

Measured settlement (docs/theory.md): f_i = local loss − federated loss is what federation gave
agent i, and what i pays. The losses are test losses, without the cost of data, c·m, which is the
same alone and together. With n agents in G = ⌊n/3⌋ groups:

- ``fact_paper``: local − ⅓·(3/n)·Σ_{j≠i} f_j. The paper's bars: everybody wins one time in three.
- ``fact_realised``: local − P_i·(3/n)·Σ_{j≠i} f_j, P_i the exact probability that i wins among
  these n agents, of whom n − 3G are left over by the draw (Lemma 2 for a finite n).
- ``fact_believed``: local − ½·(3/n)·Σ_{j≠i} f_j. What an agent expects that takes itself for the
  median (Assumption 1). Not all can: it is 1.5 times what the paper's reading pays out.
- ``fact_settled``: local − P_i·pool_i/G, as our settlement pays: the share of those left over goes
  to the winners, and what federation took from those it hurt is given back to them first.
- ``fact_rebate``: local − pool_i/(n − 1), our other rule; no chance is involved.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, floats
from ...mechanism import Settlement, settle, win_probability
from ...training.seeds import derive
from ..config.agents import Agents
from ..config.study import Study

FACT = ("fact_paper", "fact_realised", "fact_believed", "fact_settled", "fact_rebate")


@dataclass(frozen=True, eq=False)
class Losses:
    """One entry an agent; ``if_lost`` and ``if_won`` are the two ends of our sandwich settlement.

    ``spread`` is the standard deviation of what an agent ends with, over all draws.
    """

    local: Floats
    federated: Floats
    gain: Floats
    win_probability: Floats
    fact_paper: Floats
    fact_realised: Floats
    fact_believed: Floats
    fact_settled: Floats
    fact_rebate: Floats
    if_lost: Floats
    if_won: Floats
    spread: Floats
    sandwich: Settlement
    rebate: Settlement

    @property
    def at_local_loss(self) -> tuple[float, float]:
        """The share of agents, under each rule, that are left with exactly their local loss.

        They neither win anything nor are short of a compensation.
        """
        unit, prize = self._unit, self.sandwich.prize > 0
        lost = np.abs(self.if_lost - self.local) <= unit
        rebate = np.abs(self.fact_rebate - self.local) <= unit
        return (
            float((lost * np.where(prize, 1 - self.win_probability, 1.0)).mean()),
            float((rebate & (self.rebate.rebate == 0)).mean()),
        )

    @property
    def rational(self) -> tuple[Bools, Bools]:
        """Whether an agent ends no worse than alone, whatever is drawn; up to a unit of money."""
        most = self.local + self._unit
        return self.if_lost <= most, self.fact_rebate <= most

    @property
    def _unit(self) -> Floats:
        """One unit of money in test loss, and what floats may be off by."""
        terms = self.sandwich.terms
        return float(terms.unit) / float(terms.loss_value) + 1e-12 * np.abs(self.local)


def losses(study: Study, agents: Agents, local: Floats, federated: Floats, seed: int) -> Losses:
    """All readings of FACT for these measured losses."""
    n, unit = len(agents), study.terms.unit / study.terms.loss_value
    gain = local - federated
    pool = 3 / n * (gain.sum() - gain)
    chance = win_probability(agents.reported_cost)
    population = agents.population(local_loss=local, federated_loss=federated)
    sandwich = settle(population, study.terms.agreed("sandwich"), derive(seed, "draw"))
    rebate = settle(population, study.terms.agreed("rebate"))
    lost = federated + unit * (sandwich.fee - sandwich.compensation)
    prize = unit * sandwich.prize
    return Losses(
        local=local,
        federated=federated,
        gain=gain,
        win_probability=chance,
        fact_paper=local - pool / 3,
        fact_realised=local - chance * pool,
        fact_believed=local - pool / 2,
        fact_settled=lost - chance * prize,
        fact_rebate=federated - unit * rebate.net,
        if_lost=lost,
        if_won=lost - prize,
        spread=floats(prize * np.sqrt(chance * (1 - chance))),
        sandwich=sandwich,
        rebate=rebate,
    )
