"""What is seen of a table under a rule: losses, in expectation and at worst, money, and wins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats, floats
from .rule import Deal, GameRule
from .table import Table

_HARDLY_EVER = 1e-6


@dataclass(frozen=True, eq=False)
class Observed:
    """Of every agent (last axis) and population.

    Attributes:
        deal: what each gets, in expectation.
        loss: what each bears, in expectation, and ``worst``: whatever is drawn.
        surplus: what the server is left with, in expectation, and ``least``: no draw leaves less.
        unearned: what the server pays from its own purse for samples that nobody used.
        wins: how likely each wins; None where nobody does.
    """

    deal: Deal
    loss: Floats
    worst: Floats
    surplus: Floats
    least: Floats
    unearned: Floats
    wins: Floats | None


def observe(rule: GameRule, table: Table, cost: Floats) -> Observed:
    """What each bears and gets at this table."""
    deal, besides = rule.at(table), rule.besides(table, cost)
    loss = deal.loss(cost) + besides
    surplus = floats(deal.paid.sum(axis=-1))
    made_up = 1 - table.used / table.samples if rule.purse else np.zeros_like(table.used)
    unearned = floats((np.maximum(-deal.paid, 0) * made_up).sum(axis=-1))
    if rule.lottery is None:
        return Observed(deal, loss, loss, surplus, surplus, unearned, None)
    lost, won = (replace(table, won=np.full_like(table.reports, outcome)) for outcome in (0.0, 1.0))
    losing, winning = rule.at(lost), rule.at(won)
    prizes = losing.paid - winning.paid
    winners = rule.lottery.among(table.n)
    dearest = np.sort(prizes, axis=-1)[..., table.n - winners :].sum(axis=-1)
    return Observed(
        deal,
        loss,
        np.maximum(losing.loss(cost), winning.loss(cost)) + besides,
        surplus,
        floats(losing.paid.sum(axis=-1) - dearest),
        unearned,
        rule.chance(table, table.reports[..., None])[..., 0],
    )


def expected(seen: Sequence[Observed], chances: Sequence[Floats] | Floats) -> Observed:
    """Of several tables, one of which comes about with these chances, in each population or in all.

    What it comes to at worst leaves out tables that hardly ever come about.
    """
    often = [floats(p) > _HARDLY_EVER for p in chances]

    def mean(parts: Sequence[Floats]) -> Floats:
        return floats(sum((floats(p) * part.T).T for p, part in zip(chances, parts, strict=True)))

    def among(parts: Sequence[Floats], otherwise: float) -> list[Floats]:
        pairs = zip(often, parts, strict=True)
        return [floats(np.where(there, part.T, otherwise).T) for there, part in pairs]

    deals = [each.deal for each in seen]
    wins = [each.wins for each in seen if each.wins is not None]
    return Observed(
        Deal(*(mean([getattr(d, key) for d in deals]) for key in ("error", "paid", "used"))),
        mean([each.loss for each in seen]),
        floats(np.maximum.reduce(among([each.worst for each in seen], -np.inf))),
        mean([each.surplus for each in seen]),
        floats(np.minimum.reduce(among([each.least for each in seen], np.inf))),
        mean([each.unearned for each in seen]),
        mean(wins) if wins else None,
    )
