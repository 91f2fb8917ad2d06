"""Players that do not play fair, each by itself: what it does at a table of honest agents."""

from dataclasses import replace

import numpy as np

from ..mechanism import simulate_draws
from ..mechanism.arrays import Floats
from .auction import Auction
from .dynamics import ROUNDS
from .hedge import Actions, rate
from .seen import expected, see
from .winners import middle_winner
from .world import After, Attack, World, of_attackers, played

RIDE = 0.1
"""The part of its agreed samples that a verified free rider uses."""

ABSURD = 1e6
"""Times its cost: what a saboteur reports."""

_ALL_DRAWS = 32
"""Agents up to which an imitator's gain is an expectation over all draws; else one stands for all.
"""

_CLAIMS = (1.0, 10.0, 100.0)
"""Times the agreed samples: what a free rider says it used, where nobody verifies."""


_NEVER = 1e-12
"""Chances below which an action is not played in any population."""


def misreport(factor: float) -> Attack:
    """Reports a part more or less than the truth, and uses what is then best."""

    def attack(world: World) -> After | None:
        if not world.rule.asks:
            return None
        return _lie(world, world.cost * factor)

    return attack


def median(world: World) -> After | None:
    """Reports the median of the distribution of costs, and uses what is then best."""
    if not world.rule.asks:
        return None
    return _lie(world, np.full_like(world.cost, world.setting.median))


def _lie(world: World, said: Floats) -> After:
    samples = world.rule.best_samples(world.honest, world.cost, said)
    return played(world, world.with_attackers(said[..., :1], samples[..., :1]), 1)


def _say(world: World, said: Floats) -> After:
    """The same with a column of what attackers report."""
    return _lie(world, np.broadcast_to(said, world.cost.shape))


def best_reply(world: World) -> After:
    """Knows what all others report, and reports and uses what is best."""
    said, samples = world.rule.reply(world.honest, world.cost, world.setting.belief("all"))
    return played(world, world.with_attackers(said[..., :1], samples[..., :1]), 1)


def learner(world: World) -> After:
    """Has learned by Hedge among honest agents, and plays at random what that has left it with."""
    rule, setting, cost = world.rule, world.setting, world.cost
    actions = Actions.of(rule, setting, cost, world.honest)
    lost = actions.losses(rule, world.honest, cost, setting.alone(cost))[:, 0]
    # Others do the same every round, so in all an action has cost ROUNDS times what one costs.
    weights = np.exp(-rate(ROUNDS, actions.count) * ROUNDS * lost)
    weights /= weights.sum(axis=-1, keepdims=True)
    there = np.flatnonzero(weights.max(axis=0) > _NEVER)
    tries = [
        see(rule, world.with_attackers(actions.said[:, 0, [k]], actions.samples[:, 0, [k]]), cost)
        for k in there
    ]
    return of_attackers(expected(tries, [weights[:, k] for k in there]), 1)


def imitator(world: World) -> After | None:
    """Reports what the winners of the last round reported, the one in their middle."""
    rule, table = world.rule, world.honest
    ranked = np.sort(table.reports, axis=-1)
    if isinstance(rule, Auction):
        return _say(world, ranked[:, (rule.jobs - 1) // 2, None])
    if not rule.draws:
        return None
    if table.n > _ALL_DRAWS:
        rng = np.random.default_rng(world.seed)
        won = [simulate_draws(reports, 1, rng)[0] for reports in table.reports]
        winners = np.take_along_axis(table.reports, np.stack(won), -1)
        said = np.quantile(winners, 0.5, axis=-1, method="lower")[:, None]
        return replace(_say(world, said), sampled=True)
    chances = middle_winner(table.n)
    there = np.flatnonzero(chances)
    tries = [_say(world, ranked[:, k, None]).seen for k in there]
    return of_attackers(expected(tries, chances[there]), 1)


def free_rider(world: World) -> After | None:
    """Tells its true cost, and uses a tenth of what was agreed, which is seen."""
    table = world.honest
    return played(world, world.with_attackers(world.cost[:, :1], RIDE * table.samples[:, :1]), 1)


def unverified(world: World) -> After | None:
    """Uses nothing, and claims and reports what is best, knowing what all others report.

    The best of a few on average: claims, and with each the truth, the report that fits the claim,
    the median of all costs, and the best for one who had used what it claims.
    """
    rule, table, cost = world.rule, world.honest, world.cost
    if rule.name == "local":
        return None
    tries = []
    for times in _CLAIMS:
        claim = times * table.samples
        reports = [cost]
        if rule.asks:
            told = world.with_attackers(cost[:, :1], claim[:, :1])
            best = rule.best_report(told, cost, claim, world.setting.belief("all"))
            middle = np.full_like(cost, world.setting.median)
            reports += [table.scale / claim**2, middle, best]
        for said in reports:
            ride = world.with_attackers(said[:, :1], claim[:, :1], np.zeros_like(claim[:, :1]))
            tries.append(played(world, ride, 1))
    return min(tries, key=lambda after: float((after.borne / world.alone(1)).mean()))


def saboteur(world: World) -> After | None:
    """Reports an absurd cost and uses what was agreed: to harm, not to gain."""
    if not world.rule.asks:
        return None
    said = ABSURD * world.cost[:, :1]
    return played(world, world.with_attackers(said, world.honest.samples[:, :1]), 1)
