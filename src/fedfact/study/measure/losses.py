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
- ``fact_rebate``: local − pool_i/(n − 1), our rule without a draw; any further rule that can be
  settled by measured losses has its own.

The two losses of an agent are its trainer's word. Here the study trains and tests all of them; an
agent that supplied its own local loss could lower its fee to nothing (docs/study.md).
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats
from ...mechanism import PAPER_RULE, paper_pool, win_probability
from ..config.agents import StudyAgents
from ..config.study import Study
from ..files.keys import fact_of
from .ends import Ends, ends_of, settled


@dataclass(frozen=True, eq=False)
class Losses:
    """One entry an agent; ``ends`` has those under each rule that was settled so, by its name."""

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
        return self.ends[PAPER_RULE.name]

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


def losses(
    study: Study, agents: StudyAgents, local: Floats, federated: Floats, seed: int
) -> Losses:
    """All readings of FACT for these measured losses."""
    gain = local - federated
    pool = paper_pool(gain)
    chance = win_probability(agents.reported_cost)
    found = settled(study, agents, seed, local_loss=local, federated_loss=federated)
    unit = study.terms.unit / study.terms.loss_value
    return Losses(
        local=local,
        federated=federated,
        gain=gain,
        win_probability=chance,
        fact_paper=local - pool / 3,
        fact_realised=local - chance * pool,
        fact_believed=local - pool / 2,
        ends={rule: ends_of(each, federated, unit) for rule, each in found.items()},
    )
