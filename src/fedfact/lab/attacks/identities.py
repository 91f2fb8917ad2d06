"""Players that are not who they say: two pose as one, or one as two.

Those behind the names know what all others report. Data costs them what it costs the cheapest of
them, all of them have the model, and under every name they use the same part of that one's m*, on
average the best; honest agents use what is best for them among so many names. What they report is
the best in each population of what may be best: the cost that fits the samples, the median of all
costs, and what an agent, or agents that collude, would say.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, floats
from ..game.observed import observe
from ..game.rule import GameRule
from ..rules.auction import Auction
from .coalitions import agreed_reports, ways_to_bid
from .target import After, Target, best_part, choose

Way = Callable[[Target, Floats], Floats]
"""From the target and the samples to what is reported under each name."""


def merged(target: Target) -> After | None:
    """Two pose as one."""
    if not target.rule.federates or target.cost.shape[-1] < 4:
        return None
    return _best(target, names=1, members=2)


def sybil(target: Target) -> After | None:
    """One poses as two."""
    return _best(target, names=2, members=1) if target.rule.federates else None


@dataclass(frozen=True, eq=False)
class _Posing:
    """A target with names in the place of members, who would bear ``alone`` by themselves."""

    target: Target
    names: int
    members: int
    alone: Floats

    @classmethod
    def of(cls, real: Target, names: int, members: int) -> "_Posing":
        rule, setting = real.rule, real.setting
        cheapest = real.cost[:, :members].min(axis=-1, keepdims=True)

        def instead(part: Floats, ours: Floats) -> Floats:
            return np.concatenate([np.repeat(ours, names, axis=-1), part[:, members:]], axis=-1)

        cost = instead(real.cost, cheapest)
        own = rule.own_curve(setting.table(cost, cost))
        first, again = own.optimum(cheapest), own.optimum(1.0)
        rest = real.honest.samples * (again / rule.own_curve(real.honest).optimum(1.0))
        if isinstance(rule, Auction):
            first = np.full_like(first, rule.size)
        start = setting.table(cost, instead(rest, first))
        target = Target(rule, setting, cost, real.seed, start)
        return cls(target, names, members, real.alone(members))

    def play(self, said: Floats, samples: Floats) -> After:
        """What the members bear: the model once each, and all money and data of the names."""
        target, k = self.target, self.names
        observed = observe(target.rule, target.with_attackers(said, samples), target.cost)
        borne = (observed.deal.paid + target.cost * observed.deal.used)[:, :k].sum(axis=-1)
        model = self.members * observed.deal.error[:, 0] if target.rule.gives_model else self.alone
        return After(floats(borne + model), observed, slice(k, None))

    def plan(self, way: Way, part: float) -> tuple[Floats, Floats]:
        """What is reported in this way, and this part of what the cheapest would use alone."""
        samples = part * self.target.honest.samples
        return way(self.target, samples), samples[:, : self.names]


def _best(target: Target, names: int, members: int) -> After:
    posing, few = (_Posing.of(each, names, members) for each in (target, target.few()))

    def part(way: Way) -> float:
        if isinstance(target.rule, Auction):  # whose jobs have one size
            return 1.0
        return best_part(lambda part: few.play(*few.plan(way, part)).borne / few.alone)

    plans = [posing.plan(way, part(way)) for way in _ways(target.rule, names)]
    best = np.stack([posing.play(*plan).borne for plan in plans]).argmin(axis=0)
    said, samples = (choose(best, list(parts)) for parts in zip(*plans, strict=True))
    return posing.play(said, samples)


def _ways(rule: GameRule, k: int) -> list[Way]:
    """All reports under k names that may be best."""

    def fits(target: Target, samples: Floats) -> Floats:
        return target.rule.own_curve(target.honest).fitting_cost(samples)[:, :k]

    def median(target: Target, samples: Floats) -> Floats:
        return np.full_like(samples[:, :k], target.setting.median)

    def known(target: Target, samples: Floats) -> Floats:
        return agreed_reports(target, samples, k, "all")

    def bid(way: Floats) -> Way:
        return lambda target, samples: target.cost[:, :k] * way

    if isinstance(rule, Auction):
        return [bid(way) for way in ways_to_bid(k)]
    return [fits, median, known] if rule.asks else [known]
