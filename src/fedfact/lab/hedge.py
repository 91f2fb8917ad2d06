"""No-regret learners: agents that know nothing of the rule, and learn from what would have paid.

Hedge (Freund and Schapire 1997): after every round an agent sees what each of its actions would
have cost it against what the others did, and plays an action with a probability that falls
exponentially in what the action has cost so far. Over T rounds with K actions and losses in [0, 1]
its regret is at most √(T·ln K / 2), whatever others do.
"""

from dataclasses import dataclass

import numpy as np

from ..mechanism import local_optimum
from ..mechanism.arrays import Floats, floats
from .dynamics import ROUNDS, History, Play
from .rule import Rule
from .setting import Setting
from .table import Table

REPORTS = (1e-4, 0.5, 0.9, 1.0, 1.1, 2.0, 1e8)
"""Reports to choose from, as parts of the median cost; one's true cost is another."""

SAMPLES = (1.0, 1e-3, 0.25, 0.5, 2.0)
"""Samples to choose from, as parts of m*."""

BOUNDS = -2.0, 4.0
"""Losses, as parts of the loss alone, beyond which a learner does not tell them apart."""

_SURE = 0.9
_LATE = 0.1  # of all rounds, over which the end is averaged


@dataclass(frozen=True, eq=False)
class Actions:
    """What each agent (row) may do: report and samples."""

    said: Floats
    samples: Floats

    @classmethod
    def of(cls, rule: Rule, setting: Setting, cost: Floats) -> "Actions":
        """Every report, if the rule asks for one, with every number of samples; honesty first."""
        said = cost[..., None]
        if rule.asks:
            common = setting.median * floats(REPORTS)
            lies = np.broadcast_to(common, (*cost.shape, len(common)))
            said = np.concatenate([said, lies], axis=-1)
        alone = local_optimum(cost, float(setting.terms.required_error_scale))
        return cls(
            np.repeat(said, len(SAMPLES), axis=-1),
            np.tile(alone[..., None] * floats(SAMPLES), (*[1] * cost.ndim, said.shape[-1])),
        )

    @property
    def count(self) -> int:
        """K."""
        return int(self.said.shape[-1])

    def losses(self, rule: Rule, table: Table, cost: Floats, alone: Floats) -> Floats:
        """What each would cost, from 0 to 1."""
        low, high = BOUNDS
        losses = rule.losses_if(table, cost, self.said, self.samples) / alone[..., None]
        return (np.clip(losses, low, high) - low) / (high - low)


@dataclass(frozen=True, eq=False)
class Learned(Play):
    """Where learning led: the report that each agent plays most, and means over the last rounds.

    They have converged where agents are nearly sure of what to do. ``regret`` is what each agent
    would have saved over all rounds by the best single action, in units of the range of losses;
    never above ``bound``.
    """

    regret: Floats
    bound: float


def rate(rounds: int, actions: int) -> float:
    """η = √(8·ln K / T)."""
    return float(np.sqrt(8 * np.log(actions) / rounds))


def hedge(
    rule: Rule, setting: Setting, cost: Floats, *, rounds: int = ROUNDS, seed: int = 0
) -> Learned:
    """Everybody learns at once, from indifference on."""
    rng, alone = np.random.default_rng(seed), setting.alone(cost)
    actions = Actions.of(rule, setting, cost)
    n, K = len(cost), actions.count
    eta, each = rate(rounds, K), np.arange(n)
    lost, borne = np.zeros((n, K)), np.zeros(n)
    history, late = History(setting, rule, cost), []
    for played in range(rounds):
        weights = _weights(eta, lost)
        chosen = (weights.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=K - 1)
        table = Table.of(setting.terms, actions.said[each, chosen], actions.samples[each, chosen])
        seen = history.add(table)
        if played >= rounds - max(1, round(_LATE * rounds)):
            late.append(seen)
        losses = actions.losses(rule, table, cost, alone)
        borne += (weights * losses).sum(axis=1)
        lost += losses
    weights = _weights(eta, lost)
    reports = actions.said[each, weights.argmax(axis=1)]
    used, paid, loss = (np.mean(part, axis=0) for part in zip(*late, strict=True))
    sure = bool(weights.max(axis=1).mean() > _SURE)
    bound = float(np.sqrt(rounds * np.log(K) / 2))
    regret = borne - lost.min(axis=1)
    return Learned(reports, used, paid, loss, history, sure, rounds, regret, bound)


def _weights(eta: float, lost: Floats) -> Floats:
    weights = np.exp(-eta * (lost - lost.min(axis=1, keepdims=True)))
    return floats(weights / weights.sum(axis=1, keepdims=True))
