"""What a rule leaves each agent with, over all that it may draw."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats, floats
from ...mechanism import RULES, Settlement, settle
from ...training.seeds import derive
from ..config.agents import StudyAgents
from ..config.study import Study


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


def settled(study: Study, agents: StudyAgents, seed: int, **losses: Any) -> dict[str, Settlement]:
    """The settlement by every rule, or with measured losses by every rule that can use them.

    Rules that draw take the draw of this seed.
    """
    draw, curve = derive(seed, "draw"), study.terms.curve
    return {
        name: settle(
            agents.population(agents.samples_under(rule, curve), **losses),
            study.terms.agreed(name),
            draw,
        )
        for name, rule in RULES.items()
        if rule.measurable or not losses
    }


def ends_of(settlement: Settlement, together: Floats, unit: float) -> Ends:
    """What agents end with that lose so much in the federation; a unit of money is worth ``unit``.

    Where the rule draws, with the chances that the rule gives them.
    """
    rule, reports = settlement.rule, settlement.population.reported_cost
    if not rule.draws:
        end, back = together - unit * settlement.net, getattr(settlement, rule.gives)
        return Ends(settlement, end, end, end, floats(back == 0), np.zeros(len(end)))
    paid = settlement.fee + settlement.charge - settlement.compensation
    lost = together + unit * paid
    prize, chance = unit * settlement.prize, rule.chances(reports[:, None], reports)[:, 0]
    return Ends(
        settlement,
        mean=lost - chance * prize,
        lost=lost,
        won=lost - prize,
        nothing=np.where(settlement.prize > 0, 1 - chance, 1.0),
        spread=floats(prize * np.sqrt(chance * (1 - chance))),
    )
