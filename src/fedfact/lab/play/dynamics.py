"""Agents that answer each other, round after round, until nobody wants to change anything."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Floats
from ...results import Tabular
from ..game.rule import GameRule, Knows
from ..game.table import Table
from ..results import without_infinities
from ..rules.plain import Local
from ..setting import Setting

ROUNDS = 1000
_STILL = 1e-8
"""A part of the loss alone that is not worth moving for,"""

_NEAR = 1e-6
"""unless it takes more than such a part of m*: a rule may pay very little for much."""

_ROOM = 1e-3
"""A part of m* that takes no room from others who want to use more."""

_PART = 0.01
"""Of what an agent would use alone: an agent that uses less is none of the contributors."""

_QUANTILES = (0.1, 0.5, 0.9)


@dataclass
class History:
    """What was seen of each round, the first being where play began."""

    setting: Setting
    rule: GameRule
    cost: Floats
    rows: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._alone = self.setting.alone(self.cost)
        self._wanted = self.setting.samples_alone(self.cost).sum()

    def add(self, table: Table) -> tuple[Floats, Floats, Floats]:
        """One more round: what each used, paid and bore."""
        deal = self.rule.at(table)
        loss = deal.loss(self.cost) + self.rule.besides(table, self.cost)
        low, mid, high = np.quantile(table.reports / self.setting.median, _QUANTILES)
        self.rows.append(
            {
                "round": len(self.rows),
                "samples_share": float(deal.used.sum() / self._wanted),
                "loss": float((loss / self._alone).mean()),
                "from_truth": float(np.abs(table.reports / self.cost - 1).mean()),
                "report_low": float(low),
                "report_mid": float(mid),
                "report_high": float(high),
            }
        )
        return deal.used, deal.paid, loss

    def columns(self) -> dict[str, list[Any]]:
        """Round by round, a list for each thing seen; None for a loss without end."""
        return {key: without_infinities([row[key] for row in self.rows]) for key in self.rows[0]}


@dataclass(frozen=True, eq=False, repr=False)
class Dynamics(Tabular):
    """How play went and where it ended, agent by agent; ``rounds`` it took to get there, if it did.

    ``contributors`` are counted round by round: an agent that takes turns is not always one.
    """

    reports: Floats
    used: Floats
    paid: Floats
    loss: Floats
    history: History
    converged: bool
    rounds: int
    contributors: float
    from_truth: float

    @property
    def cost(self) -> Floats:
        """The true cost of each agent."""
        return self.history.cost

    def rows(self) -> list[dict[str, Any]]:
        """A row for each agent."""
        names = ("cost", "report", "samples", "paid", "loss")
        columns = (self.cost, self.reports, self.used, self.paid, self.loss)
        each = zip(*(column.tolist() for column in columns), strict=True)
        return [dict(zip(names, values, strict=True)) for values in each]


def start(rule: GameRule, setting: Setting, cost: Floats) -> Table:
    """Honest agents: they tell the truth and use what they would use alone, or the job."""
    wanted = Local().agreed if rule.gives_model else rule.agreed
    return setting.table(cost, wanted(setting.terms, cost))


def replies(
    rule: GameRule,
    setting: Setting,
    cost: Floats,
    *,
    lies: bool = True,
    knows: Knows = "all",
    rounds: int = ROUNDS,
    seed: int = 0,
    stop: bool = True,
) -> Dynamics:
    """Best replies, from honest agents on, until nobody gains by moving.

    Every round each agent finds its best answer to the round before and, if it gains by it, with a
    chance of one half moves there, so that agents do not pass each other for ever. But where data
    of others takes the place of one's own (Thm 2), the k agents that are to use more share the
    room: each goes 1/k of its way, since all of them together would overshoot k times.
    """
    rng, belief = np.random.default_rng(seed), setting.belief(knows)
    alone, optimum = setting.alone(cost), setting.samples_alone(cost)
    table = start(rule, setting, cost)
    history, quiet = History(setting, rule, cost), None
    last = history.add(table)
    for played in range(rounds):
        if lies:
            said, wanted = rule.reply(table, cost, belief)
        else:
            said, wanted = cost, rule.best_samples(table, cost, cost)
        then = rule.losses_if(table, cost, said[:, None], wanted[:, None])[:, 0]
        gain, change = last[2] - then, wanted - table.samples
        moves = (gain > _STILL * alone) | ((gain > 0) & (np.abs(change) > _NEAR * optimum))
        if not moves.any() and np.isfinite(gain).all():
            quiet = played if quiet is None else quiet
            if stop:
                break
        moves &= rng.random(len(cost)) < 0.5
        change = np.where(moves, change, 0)
        more = change > _ROOM * optimum
        if rule.crowds(lies) and more.any():
            change = np.where(more, change / more.sum(), change)
        reports = np.where(moves, said, table.reports)
        table = setting.table(reports, np.maximum(table.samples + change, 0))
        last = history.add(table)
    taken = rounds if quiet is None else quiet
    active, far = contributors(setting, cost, last[0]), np.abs(table.reports / cost - 1).mean()
    return Dynamics(table.reports, *last, history, quiet is not None, taken, active, float(far))


def contributors(setting: Setting, cost: Floats, used: Floats) -> int:
    """How many agents use more than next to nothing."""
    return int((used >= _PART * setting.samples_alone(cost)).sum())


def contributions(rule: GameRule, setting: Setting, cost: Floats, lies: bool) -> Floats:
    """The samples that each agent uses where nobody wants to change anything."""
    return replies(rule, setting, cost, lies=lies, rounds=100 * ROUNDS).used
