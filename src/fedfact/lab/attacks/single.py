"""Players that do not play fair, each by itself: what it does at a table of honest agents."""

from dataclasses import replace

import numpy as np

from ...arrays import Floats, floats
from ..game.observed import expected, observe
from ..play.dynamics import ROUNDS
from ..play.hedge import Actions, rate
from ..rules.sale import Sale
from .target import After, Attack, Target, of_attackers, played

RIDE = 0.1
"""The part of its agreed samples that a verified free rider uses."""

ABSURD = 1e6
"""Times its cost: what a saboteur reports."""

_ALL_DRAWS = 32
"""Agents up to which an imitator's gain is an expectation over all draws; else one stands for all.
"""

_CLAIMS = (1.0, 2.0, 5.0, 10.0, 100.0)
"""Times the agreed samples: what a free rider says it used, where nobody verifies."""


_NEVER = 1e-12
"""Chances below which an action is not played in any population."""


def misreport(factor: float) -> Attack:
    """Reports a part more or less than the truth, and uses what is then best."""

    def attack(target: Target) -> After | None:
        if not target.rule.asks:
            return None
        return _lie(target, target.cost * factor)

    return attack


def median(target: Target) -> After | None:
    """Reports the median of the distribution of costs, and uses what is then best."""
    if not target.rule.asks:
        return None
    return _lie(target, np.full_like(target.cost, target.setting.median))


def _lie(target: Target, said: Floats) -> After:
    samples = target.rule.best_samples(target.honest, target.cost, said)
    return played(target, target.with_attackers(said[..., :1], samples[..., :1]), 1)


def _say(target: Target, said: Floats) -> After:
    """The same with a column of what attackers report."""
    return _lie(target, np.broadcast_to(said, target.cost.shape))


def best_reply(target: Target) -> After:
    """Knows what all others report, and reports and uses what is best."""
    said, samples = target.rule.reply(target.honest, target.cost, target.setting.belief("all"))
    return played(target, target.with_attackers(said[..., :1], samples[..., :1]), 1)


def learner(target: Target) -> After:
    """Has learned by Hedge among honest agents, and plays at random what that has left it with."""
    rule, setting, cost = target.rule, target.setting, target.cost
    actions = Actions.of(rule, setting, cost, target.honest)
    lost = actions.losses(rule, target.honest, cost, setting.alone(cost))[:, 0]
    # Others do the same every round, so in all an action has cost ROUNDS times what one costs.
    weights = np.exp(-rate(ROUNDS, actions.count) * ROUNDS * lost)
    weights /= weights.sum(axis=-1, keepdims=True)
    there = np.flatnonzero(weights.max(axis=0) > _NEVER)
    tries = [
        observe(
            rule, target.with_attackers(actions.said[:, 0, [k]], actions.samples[:, 0, [k]]), cost
        )
        for k in there
    ]
    return of_attackers(expected(tries, [weights[:, k] for k in there]), 1)


def imitator(target: Target) -> After | None:
    """Reports what the winners of the last round reported, the one in their middle."""
    rule, table = target.rule, target.honest
    if not rule.asks:
        return None
    ranked = np.sort(table.reports, axis=-1)
    if isinstance(rule, Sale):
        return _say(target, ranked[:, (rule.jobs - 1) // 2, None])
    if rule.lottery is None:
        return None
    chances = rule.lottery.middle_winner(table.n) if table.n <= _ALL_DRAWS else None
    if chances is None:
        rng = np.random.default_rng(target.seed)
        won = [reports[rule.lottery.winners(reports, rng)] for reports in table.reports]
        said = floats([[np.quantile(each, 0.5, method="lower")] for each in won])
        return replace(_say(target, said), sampled=True)
    there = np.flatnonzero(chances)
    tries = [_say(target, ranked[:, k, None]).observed for k in there]
    return of_attackers(expected(tries, chances[there]), 1)


def free_rider(target: Target) -> After | None:
    """Tells its true cost, and uses a tenth of what was agreed, which is seen."""
    table = target.honest
    if target.rule.benchmark:
        return None
    return played(target, target.with_attackers(target.cost[:, :1], RIDE * table.samples[:, :1]), 1)


def unverified(target: Target) -> After | None:
    """Uses nothing, and claims and reports what is best, knowing what all others report.

    The best of a few on average: claims, and with each the truth, the report that fits the claim,
    the median of all costs, and the best for one who had used what it claims.
    """
    rule, table, cost = target.rule, target.honest, target.cost
    if rule.benchmark or not rule.federates:
        return None
    tries = []
    for times in _CLAIMS:
        claim = times * table.samples
        reports = [cost]
        if rule.asks:
            told = target.with_attackers(cost[:, :1], claim[:, :1])
            best = rule.best_report(told, cost, claim, target.setting.belief("all"))
            middle = np.full_like(cost, target.setting.median)
            reports += [rule.own_curve(table).fitting_cost(claim), middle, best]
        for said in reports:
            ride = target.with_attackers(said[:, :1], claim[:, :1], np.zeros_like(claim[:, :1]))
            tries.append(played(target, ride, 1))
    return min(tries, key=lambda after: float((after.borne / target.alone(1)).mean()))


def saboteur(target: Target) -> After | None:
    """Reports an absurd cost and uses what was agreed: to harm, not to gain."""
    if not target.rule.asks:
        return None
    said = ABSURD * target.cost[:, :1]
    return played(target, target.with_attackers(said, target.honest.samples[:, :1]), 1)
