"""No-regret learners: agents that know nothing of the rule, and learn from what would have paid.

Hedge (Freund and Schapire 1997): after every round an agent sees what each of its actions would
have cost it against what the others did, and plays an action with a probability that falls
exponentially in what the action has cost so far. Over T rounds with K actions and losses in [0, 1]
its regret is at most √(T·ln K / 2), whatever others do.

Losses get there by what an action costs more than the best of that round, as a part of how far its
actions are apart among honest agents. So an agent learns where little is at stake (an auction) as
where all it can do costs a million times its loss alone, and only what is worse by far is alike.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, floats
from ..game.rule import GameRule
from ..game.table import Table
from ..setting import Setting
from .dynamics import ROUNDS, Dynamics, History, contributors, start

REPORTS = (1e-4, 0.5, 0.9, 1.0, 1.1, 2.0)
"""Reports to choose from, as parts of the median cost; one's true cost is another."""

HIGHEST = 1e8, 10.0
"""And one more: an excuse for no data; under the sandwich, where it excuses nothing and under the
paper's pool only sabotages, one that is just far from all others."""

SAMPLES = (1.0, 1e-3, 0.25, 0.5, 2.0)
"""Samples to choose from, as parts of m*, or of what is best by the agent's own curve."""

WIDEST = 1.0
"""Times the loss alone: what is worse than the best by more is all alike to a learner."""

_REST = 0.01
"""Of the loss alone: at rest nobody would have gained more in the end by any one action."""

_LATE = 0.1  # of all rounds, over which the end is averaged
_NARROWEST = 1e-9  # for agents to whom all actions are the same


@dataclass(frozen=True, eq=False)
class Actions:
    """What each agent (row) may do: report and samples; ``width`` is how far losses are apart."""

    said: Floats
    samples: Floats
    width: Floats

    @classmethod
    def of(cls, rule: GameRule, setting: Setting, cost: Floats, honest: Table) -> "Actions":
        """Every report, if the rule asks for one, with every number of samples; honesty first."""
        said = cost[..., None]
        if rule.asks:
            common = setting.median * floats([*REPORTS, HIGHEST[rule.draws]])
            lies = np.broadcast_to(common, (*cost.shape, len(common)))
            said = np.concatenate([said, lies], axis=-1)
        alone = rule.own_curve(honest).optimum(cost)
        said, samples = (
            np.repeat(said, len(SAMPLES), axis=-1),
            np.tile(alone[..., None] * floats(SAMPLES), (*[1] * cost.ndim, said.shape[-1])),
        )
        apart = np.ptp(rule.losses_if(honest, cost, said, samples), axis=-1) / setting.alone(cost)
        return cls(said, samples, np.clip(apart, _NARROWEST, WIDEST)[..., None])

    @property
    def count(self) -> int:
        """K."""
        return int(self.said.shape[-1])

    def losses(self, rule: GameRule, table: Table, cost: Floats, alone: Floats) -> Floats:
        """What each would cost more than the best, from 0 to 1."""
        losses = rule.losses_if(table, cost, self.said, self.samples) / alone[..., None]
        more = losses - losses.min(axis=-1, keepdims=True)
        return floats(np.minimum(more / self.width, 1))


@dataclass(frozen=True, eq=False, repr=False)
class Learned(Dynamics):
    """Where learning led: the report that each agent plays most, and means over the last rounds.

    ``regret`` is what each agent would have saved over all rounds by the best single action, in
    units of the width of its losses; never above ``bound``. Play is at rest where it was next to
    nothing over the last rounds.
    """

    regret: Floats
    bound: float


def rate(rounds: int, actions: int) -> float:
    """η = √(8·ln K / T)."""
    return float(np.sqrt(8 * np.log(actions) / rounds))


def hedge(
    rule: GameRule, setting: Setting, cost: Floats, *, rounds: int = ROUNDS, seed: int = 0
) -> Learned:
    """Everybody learns at once, from indifference on."""
    rng, alone = np.random.default_rng(seed), setting.alone(cost)
    actions = Actions.of(rule, setting, cost, start(rule, setting, cost))
    n, K = len(cost), actions.count
    eta, each = rate(rounds, K), np.arange(n)
    lost, borne = np.zeros((n, K)), np.zeros(n)
    history, late = History(setting, rule, cost), []
    since = rounds - max(1, round(_LATE * rounds))
    for played in range(rounds):
        if played == since:
            before = lost.copy(), borne.copy()
        weights = _weights(eta, lost)
        chosen = (weights.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=K - 1)
        table = setting.table(actions.said[each, chosen], actions.samples[each, chosen])
        seen = history.add(table)
        if played >= since:
            late.append((*seen, contributors(setting, cost, seen[0])))
        losses = actions.losses(rule, table, cost, alone)
        borne += (weights * losses).sum(axis=1)
        lost += losses
    weights = _weights(eta, lost)
    used, paid, loss, active = (np.mean(part, axis=0) for part in zip(*late, strict=True))
    saved = (borne - before[1]) - (lost - before[0]).min(axis=1)
    return Learned(
        reports=actions.said[each, weights.argmax(axis=1)],
        used=used,
        paid=paid,
        loss=loss,
        history=history,
        converged=bool((saved * actions.width[:, 0] / len(late)).max() <= _REST),
        rounds=rounds,
        contributors=float(active),
        from_truth=float((weights * np.abs(actions.said / cost[:, None] - 1)).sum(axis=1).mean()),
        regret=borne - lost.min(axis=1),
        bound=float(np.sqrt(rounds * np.log(K) / 2)),
    )


def _weights(eta: float, lost: Floats) -> Floats:
    weights = np.exp(-eta * (lost - lost.min(axis=1, keepdims=True)))
    return floats(weights / weights.sum(axis=1, keepdims=True))
