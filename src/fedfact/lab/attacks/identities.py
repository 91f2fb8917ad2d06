"""Players that are not who they say: two pose as one, or one as two.

Those behind the names know what all others report. Data costs them what it costs the cheapest of
them, all of them have the model, and under every name they use the same part of that one's m*, on
average the best; honest agents use what is best for them among so many names. What they report is
the best in each population of what may be best: the cost that fits the samples, the median of all
costs, and what an agent, or agents that collude, would say.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats, floats
from ..game.observed import observe
from ..game.rule import GameRule
from ..rules.auction import Auction
from ..rules.sale import Sale
from .coalitions import agreed_reports, ways_to_bid
from .target import After, Attack, Target, best_part, choose

Way = Callable[[Target, Floats], Floats]
"""From the target and the samples to what is reported under each name."""


def merged(target: Target, sized: bool = False) -> After | None:
    """Two pose as one; where sizes are true, as one of twice the size."""
    if not target.rule.federates or target.cost.shape[-1] < 4:
        return None
    return _best(target, 1, 2, sized)


def sybil(target: Target, sized: bool = False) -> After | None:
    """One poses as two; where sizes are true, as two of half its size."""
    return _best(target, 2, 1, sized) if target.rule.federates else None


def sized(attack: Callable[[Target, bool], After | None]) -> Attack:
    """The same under rules that go by sizes, if these are verified."""
    return lambda target: attack(target, True) if target.rule.knows_sizes else None


@dataclass(frozen=True, eq=False)
class _Posing:
    """A target with names in the place of members, who would bear ``alone`` by themselves.

    Where sizes are true, every member has as many parts as there are names, and errors cost a part
    that fraction; a name has as many parts as there are members, and all others as every member.
    """

    target: Target
    names: int
    members: int
    alone: Floats
    sized: bool

    @classmethod
    def of(cls, real: Target, names: int, members: int, sized: bool) -> "_Posing":
        rule, setting = real.rule, real.setting
        cheapest = real.cost[:, :members].min(axis=-1, keepdims=True)

        def instead(part: Floats, ours: Floats) -> Floats:
            return np.concatenate([np.repeat(ours, names, axis=-1), part[:, members:]], axis=-1)

        cost = instead(real.cost, cheapest)
        start = setting.table(cost, cost)
        if sized:
            setting = setting.times(1 / names)
            parts = floats([members] * names + [names] * (cost.shape[-1] - names))
            start = replace(setting.table(cost, cost), size=parts)
        best = rule.own_curve(start).optimum(cost)
        before = rule.own_curve(real.honest).optimum(real.cost)
        rest = real.honest.samples[:, members:] * best[:, names:] / before[:, members:]
        samples = np.concatenate([best[:, :names], rest], axis=-1)
        if isinstance(rule, Auction):
            samples = np.full_like(cost, rule.size)
        target = Target(rule, setting, cost, real.seed, start.then(cost, samples))
        return cls(target, names, members, real.alone(members), sized)

    def play(self, said: Floats, samples: Floats) -> After:
        """What the members bear: the model once each, and all money and data of the names."""
        target, k = self.target, self.names
        observed = observe(target.rule, target.with_attackers(said, samples), target.cost)
        borne = (observed.deal.paid + target.cost * observed.deal.used)[:, :k].sum(axis=-1)
        model = self.members * observed.deal.error[:, 0]
        if self.sized:
            model = observed.deal.error[:, :k].sum(axis=-1)
        if not target.rule.gives_model:
            model = self.alone
        return After(floats(borne + model), observed, slice(k, None))

    def plan(self, way: Way, part: float) -> tuple[Floats, Floats]:
        """What is reported in this way, and this part of what the cheapest would use alone."""
        samples = part * self.target.honest.samples
        return way(self.target, samples), samples[:, : self.names]


def _best(target: Target, names: int, members: int, sized: bool) -> After:
    posing, few = (_Posing.of(each, names, members, sized) for each in (target, target.few()))

    def part(way: Way) -> float:
        if isinstance(target.rule, Sale):  # whose jobs are what they are
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

    if isinstance(rule, Sale):
        return [bid(way) for way in ways_to_bid(k)]
    return [fits, median, known] if rule.asks else [known]
