"""What one agent can expect, given the others: alone, federated, penalised, or under a rule.

Real numbers, for advice and for finding best responses; the amounts paid are the settlement's.
"""

from ..arrays import ArrayLike, Floats
from ..errors import InputError
from .formulas.losses import federated_loss, local_loss, penalised_loss
from .other_agents import Others, Standing
from .rules import RULES
from .rules.rule import Chance
from .terms import Terms

Play = str
"""``local``, ``federated`` (without a mechanism), ``penalised`` (PFL), or the name of a rule."""


def expected_loss(
    play: Play,
    samples: ArrayLike,
    reported_cost: ArrayLike,
    true_cost: ArrayLike,
    others: Others,
    terms: Terms,
    win_probability: Chance | None = None,
    standing: Standing | None = None,
) -> Floats:
    """Loss of one agent that uses ``samples`` and reports ``reported_cost`` (Eq. 2, 3, 9, 11).

    Under a rule that draws, an expectation: with ``win_probability`` of a report as the agent
    believes it or, where none is given, exactly as these others' reports make it.
    """
    curve, S = terms.curve, others.total
    if play in RULES:
        asked = samples, reported_cost, true_cost
        return RULES[play].expected_loss(*asked, others, terms, win_probability, standing)
    curve = curve.times(1 if standing is None else standing.size)
    if play == "federated":
        return federated_loss(samples, S, true_cost, curve)
    if play == "penalised":
        return penalised_loss(samples, S, true_cost, reported_cost, curve, float(terms.alpha))
    if play == "local":
        return local_loss(samples, true_cost, curve)
    known = ("local", "federated", "penalised", *RULES)
    raise InputError(f"{play!r} is no way to play; choose one of {', '.join(known)}")
