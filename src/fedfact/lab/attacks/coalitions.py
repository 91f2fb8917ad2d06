"""Players that do not play fair together, or that do not play at all."""

from functools import partial

import numpy as np

from ...arrays import Floats, floats
from ...mechanism import Rule
from ..game.rule import Knows
from ..rules.sale import Sale
from .target import After, Attack, Target, best_part, choose, played


def colluders(count: int, knows: Knows) -> Attack:
    """Agree on reports and on how much data to use, for the good of them all, or stay honest.

    They know what all others report, or the distribution of costs only. The samples are one part of
    m* for all of them and every population, found by search.
    """

    def attack(target: Target) -> After | None:
        if not target.rule.federates:
            return None
        if isinstance(target.rule, Sale):
            cost, jobs = _honest(target, count)
            return _best_of(
                target, [(cost * way, jobs) for way in ways_to_bid(count)], count, knows
            )

        def plan(target: Target, known: Knows, part: float) -> tuple[Floats, Floats]:
            samples = part * target.rule.own_curve(target.honest).optimum(target.cost)
            return agreed_reports(target, samples, count, known), samples[:, :count]

        few = target.few()

        def share(known: Knows, part: float) -> Floats:
            after = played(few, few.with_attackers(*plan(few, known, part)), count)
            return after.borne / few.alone(count)

        plans = [
            plan(target, known, best_part(partial(share, known)))
            for known in dict.fromkeys((knows, "distribution" if target.rule.draws else knows))
        ]
        return _best_of(target, [*plans, _honest(target, count)], count, knows)

    return attack


def _honest(target: Target, count: int) -> tuple[Floats, Floats]:
    return target.cost[:, :count], target.honest.samples[:, :count]


def _best_of(target: Target, plans: list[tuple[Floats, Floats]], count: int, knows: Knows) -> After:
    """The best of reports and samples, in each population or on average in all of them."""
    share = np.stack(
        [played(target, target.with_attackers(*plan), count).borne for plan in plans]
    ) / target.alone(count)
    best = share.argmin(axis=0)
    if knows != "all":
        best = np.full_like(best, share.mean(axis=1).argmin())
    said, samples = (choose(best, list(parts)) for parts in zip(*plans, strict=True))
    return played(target, target.with_attackers(said, samples), count)


def agreed_reports(target: Target, samples: Floats, count: int, knows: Knows) -> Floats:
    """Where lots are drawn all of them the likeliest together; else each what is best for it."""
    rule, cost = target.rule, target.cost
    if rule.lottery is not None and knows == "all" and count > 1:
        said = likeliest_together(rule.lottery, cost[:, count:], count)
        return np.repeat(said[:, None], count, axis=1)
    table = target.with_attackers(cost[:, :count], samples[:, :count])
    return rule.best_report(table, cost, samples, target.setting.belief(knows))[:, :count]


def likeliest_together(lottery: Rule, reports: Floats, count: int) -> Floats:
    """Where so many agents together are most likely to win, the others reporting ``reports``.

    Where the median of a group wins, agents side by side, tied with each other or not, win as often
    together as the ranks they take, and those in the middle win most. So it is with the one in the
    middle of the others, or in a gap beside it, and beside all that report the same. Under other
    rules it may be below all others, or above.
    """
    ranked = np.sort(reports, axis=-1)
    middle = ranked[..., ranked.shape[-1] // 2, None]
    lower = np.where(ranked < middle, ranked, 0).max(axis=-1, keepdims=True)  # 0: below all
    upper = np.where(ranked > middle, ranked, np.inf).min(axis=-1, keepdims=True)
    upper = np.where(np.isfinite(upper), upper, 3 * middle)
    ends = ranked[..., :1] / 2, 2 * ranked[..., -1:]
    tries = np.concatenate([(lower + middle) / 2, middle, (middle + upper) / 2, *ends], axis=-1)

    def wins(place: Floats) -> Floats:
        """Of all of them together, with this report."""
        ours = np.repeat(place[..., None], count, axis=-1)
        said = np.concatenate([ours, reports], axis=-1)
        return floats(lottery.chances(said[..., None], said)[..., :count, 0].sum(axis=-1))

    chances = np.stack([wins(tries[..., k]) for k in range(tries.shape[-1])], axis=-1)
    best = np.round(chances, 12).argmax(axis=-1)[..., None]
    return floats(np.take_along_axis(tries, best, -1)[..., 0])


def ways_to_bid(count: int) -> list[Floats]:
    """Each bids the truth, far more or far less: all ways to combine these.

    With fewer others than jobs one of them wins and another sets the price. Their gain is then what
    they ask for, ten times the cost, and without end if they asked for more.
    """
    some = [floats([1.0, 10.0, 0.1])] * count
    return list(np.stack(np.meshgrid(*some), axis=-1).reshape(-1, count))


def leavers(a: int) -> Attack:
    """A coalition leaves, and trains apart: all its members share, without any rule.

    They keep their word among each other, so the one whose data is cheapest uses what is best for
    all of them, at the cost of all: the least of a·e(m) + c·m. Of a rule that gives no model there
    is nothing to leave: its agents train apart besides, and may share that and sell as before.
    """

    def attack(target: Target) -> After | None:
        n = target.cost.shape[-1]
        if n - a < 3 or not (target.rule.federates and target.rule.gives_model):
            return None
        cheapest = target.cost[:, :a].min(axis=-1)
        borne = target.setting.curve.times(a).least_loss(cheapest)
        rest = Target(target.rule, target.setting, target.cost[:, a:], target.seed)
        return After(borne, rest.before, slice(None))

    return attack
