"""What each rule comes to by the curve: samples asked for, losses, and what deviating costs.

A rule whose price is what federation saves an agent makes m* best, as training alone does, so the
one training of a study serves it. A rule with a price of its own, such as ``shared``, makes other
samples best; by the curve it is settled with those, though nothing was trained on them.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints, floats
from ...mechanism import RULES, Rule, local_loss, whole_local_optimum
from ..config.agents import StudyAgents
from ..config.study import Study
from .ends import Ends, ends_of, settled

_ROUNDED = 2
"""Minor units that rounding a fee up and a rebate down can cost."""


@dataclass(frozen=True, eq=False)
class ByCurve:
    """One entry an agent; under each rule by its name.

    Attributes:
        alone: the least loss alone, e(m) + c·m, with the samples that the agent has.
        samples: those it uses under the rule.
        ends: what the rule leaves it with.
        deviation_cost: its expected loss, less that of telling the truth and using what is best of
            the samples it has, the others as they are.
    """

    alone: Floats
    samples: dict[str, Ints]
    ends: dict[str, Ends]
    deviation_cost: dict[str, Floats]

    def numbers(self) -> dict[str, dict[str, float]]:
        """Mean samples, and the loss of all agents relative to training alone."""
        return {
            rule: {
                "samples": float(self.samples[rule].mean()),
                "loss": float(each.mean.sum() / self.alone.sum()),
            }
            for rule, each in self.ends.items()
        }

    def rational(self, rule: str) -> Bools:
        """Whether an agent ends no worse than alone, whatever is drawn; up to rounding."""
        each = self.ends[rule]
        unit = float(each.settlement.terms.unit)
        worst: Bools = each.lost <= self.alone * (1 + 1e-12) + _ROUNDED * unit
        return worst


def by_curve(study: Study, agents: StudyAgents, seed: int) -> ByCurve:
    """Every rule, by the curve of the terms."""
    curve, cost = study.terms.curve, agents.true_cost
    best = np.minimum(whole_local_optimum(cost, curve), agents.dealt)
    found = settled(study, agents, seed)
    samples = {rule: each.population.samples for rule, each in found.items()}
    return ByCurve(
        alone=local_loss(best, cost, curve),
        samples=samples,
        ends={
            rule: ends_of(
                each,
                curve.error(each.population.total) + cost * samples[rule],
                study.terms.unit,
            )
            for rule, each in found.items()
        },
        deviation_cost={
            name: _deviation_cost(study, agents, rule, floats(samples[name]))
            for name, rule in RULES.items()
        },
    )


def _deviation_cost(study: Study, agents: StudyAgents, rule: Rule, samples: Floats) -> Floats:
    """What an agent loses more than if it kept its word.

    What it gets back depends on its own report where the rule draws, and never on its samples.
    """
    n, terms = len(agents), study.terms.agreed(rule.name)
    own = rule.own_curve(terms.curve, 1, n)
    c, report = agents.true_cost, agents.reported_cost

    def lost(m: Floats, said: Floats) -> Floats:
        return local_loss(m, c, own) + rule.charge_in_reals(m, said, terms, own)

    honest = np.minimum(whole_local_optimum(c, own), agents.dealt)
    more = lost(samples, report) - lost(floats(honest), c)
    if not rule.draws:
        return more
    chance = rule.chances(np.stack([report, c], axis=1), report)
    errors, others = own.error(samples), samples.sum() - samples
    pool = rule.pool_in_reals(errors.sum() - errors, others, agents.standing, terms.curve)
    return floats(more - (chance[:, 0] - chance[:, 1]) * rule.part_of(pool, n, terms))
