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
- ``fact_rebate``: local − pool_i/(n − 1), our rule without a draw; any further rule has its own.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, floats
from ...mechanism import RULES, Population, Settlement, paper_pool, settle, win_probability
from ...training.seeds import derive
from ..config.agents import Agents
from ..config.study import Study
from ..files.keys import PAPER, fact_of


@dataclass(frozen=True, eq=False)
class Ends:
    """What one rule leaves each agent with.

    Attributes:
        mean: expected over all draws.
        lost, won: the two ends of a draw; the same where nothing is drawn.
        nothing: how likely an agent gets nothing back.
        spread: standard deviation over all draws.
    """

    settlement: Settlement
    mean: Floats
    lost: Floats
    won: Floats
    nothing: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class Losses:
    """One entry an agent; ``ends`` has those under each rule by its name."""

    local: Floats
    federated: Floats
    gain: Floats
    win_probability: Floats
    fact_paper: Floats
    fact_realised: Floats
    fact_believed: Floats
    ends: dict[str, Ends]

    @property
    def facts(self) -> dict[str, Floats]:
        """All readings of FACT: the paper's, then what each rule leaves."""
        return {
            "fact_paper": self.fact_paper,
            "fact_realised": self.fact_realised,
            "fact_believed": self.fact_believed,
            **{fact_of(rule): each.mean for rule, each in self.ends.items()},
        }

    @property
    def drawn(self) -> Ends:
        """What the paper's own rule leaves, whose draw is shown."""
        return self.ends[PAPER]

    @property
    def at_local_loss(self) -> dict[str, float]:
        """The share of agents, under each rule, that are left with exactly their local loss.

        They neither win anything nor are short of a compensation.
        """
        return {
            rule: float(((np.abs(each.lost - self.local) <= self._unit) * each.nothing).mean())
            for rule, each in self.ends.items()
        }

    @property
    def rational(self) -> dict[str, Bools]:
        """Whether an agent ends no worse than alone, whatever is drawn; up to a unit of money."""
        return {rule: each.lost <= self.local + self._unit for rule, each in self.ends.items()}

    @property
    def _unit(self) -> Floats:
        """One unit of money in test loss, and what floats may be off by."""
        terms = self.drawn.settlement.terms
        return float(terms.unit) / float(terms.loss_value) + 1e-12 * np.abs(self.local)


def losses(study: Study, agents: Agents, local: Floats, federated: Floats, seed: int) -> Losses:
    """All readings of FACT for these measured losses."""
    gain = local - federated
    pool = paper_pool(gain)
    chance = win_probability(agents.reported_cost)
    population = agents.population(local_loss=local, federated_loss=federated)
    return Losses(
        local=local,
        federated=federated,
        gain=gain,
        win_probability=chance,
        fact_paper=local - pool / 3,
        fact_realised=local - chance * pool,
        fact_believed=local - pool / 2,
        ends={
            rule: _ends(settlement, federated)
            for rule, settlement in settled(study, population, seed).items()
        },
    )


def settled(study: Study, population: Population, seed: int) -> dict[str, Settlement]:
    """The settlement by every rule; those that draw take the draw of this seed."""
    draw = derive(seed, "draw")
    return {rule: settle(population, study.terms.agreed(rule), draw) for rule in RULES}


def _ends(settlement: Settlement, federated: Floats) -> Ends:
    """What agents end with; where the rule draws, with the chances that the rule gives them."""
    rule, reports = settlement.rule, settlement.population.reported_cost
    unit = float(settlement.terms.unit) / float(settlement.terms.loss_value)
    if not rule.draws:
        end, back = federated - unit * settlement.net, getattr(settlement, rule.gives)
        return Ends(settlement, end, end, end, floats(back == 0), np.zeros(len(end)))
    lost = federated + unit * (settlement.fee - settlement.compensation)
    prize, chance = unit * settlement.prize, rule.chances(reports[:, None], reports)[:, 0]
    return Ends(
        settlement,
        mean=lost - chance * prize,
        lost=lost,
        won=lost - prize,
        nothing=np.where(settlement.prize > 0, 1 - chance, 1.0),
        spread=floats(prize * np.sqrt(chance * (1 - chance))),
    )
