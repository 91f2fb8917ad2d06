"""One arm with one seed, measured and settled: all that its training and its agents come to."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...arrays import Bools, Floats, floats
from ...mechanism import Settlement, local_optimum, simulate_draws
from ...mechanism.settlement import AMOUNTS
from ...settlement.document import columns
from ...training import TrainingCurve
from ...training.seeds import generator
from ..config.agents import HONEST, StudyAgents
from ..config.arm import Arm
from ..config.study import Study
from ..files.directory import ColumnLists
from ..files.keys import by_curve_of, deviation_cost_of, rational_of
from ..files.trained import Trained
from .by_curve import ByCurve, by_curve
from .contribution import Contribution, contribution, penalty_curves
from .ends import Ends
from .losses import Losses, losses
from .truthfulness import truthfulness

DRAWS, MOST_DRAWN = 10_000, 4_000_000
"""Draws for the spread of the mean, fewer where there are many agents; an agent's own is exact."""

WhichScore = Literal["final", "best"]


@dataclass(frozen=True, eq=False)
class Measured:
    """An arm with a seed: who took part, how they trained, what each ends with."""

    study: Study
    arm: Arm
    seed: int
    who: StudyAgents
    trained: Trained
    losses: Losses
    by_curve: ByCurve
    contribution: Contribution

    @property
    def ends(self) -> dict[str, Ends]:
        """What each rule leaves: by measured losses, or where it cannot use them by the curve."""
        return {rule: self.losses.ends.get(rule, end) for rule, end in self.by_curve.ends.items()}

    def in_words(self) -> str:
        """For whoever waits."""
        local, together = self.losses.local.mean(), self.losses.federated.mean()
        seconds = sum(self.trained.seconds.values())
        name = f"{self.arm.name}, seed {self.seed}"
        return f"{name}: loss {local:.4g} alone, {together:.4g} together, {seconds:.0f} s"

    def numbers(self, score: WhichScore) -> dict[str, dict[str, float | None]]:
        """Means over agents of accuracies and losses, and local over FACT, by this score.

        There is no ratio to a loss that is not above 0, such as the believed one often is.
        """
        of = self.losses
        if score != self.study.score:
            local, federated = (s[0] for s in _scores(self.trained, score))
            of = losses(self.study, self.who, local, federated, self.seed)
        (_, local_accuracy), (_, accuracy) = _scores(self.trained, score)
        mean = {"local": of.local, "federated": of.federated, **of.facts}
        loss = {name: float(values.mean()) for name, values in mean.items()}
        return {
            "accuracy": {
                "local": float(local_accuracy.mean()),
                "federated": float(accuracy.mean()),
            },
            "loss": dict(loss),
            "ratio": {
                name: loss["local"] / loss[name] if loss[name] > 0 else None for name in of.facts
            },
        }

    def over_draws(self) -> dict[str, dict[str, float]]:
        """How much chance there is in it: who is left with its local loss, and the spread."""
        drawn = self.losses.drawn
        prize = drawn.lost - drawn.won
        rng = generator(self.seed, "draws")
        draws = min(DRAWS, max(100, MOST_DRAWN // len(self.who)))
        winners = simulate_draws(self.who.reported_cost, draws, rng)
        paid = prize[winners].sum(axis=1) / len(self.who)
        return {
            "at_local_loss": self.losses.at_local_loss,
            "spread": {"agent": float(drawn.spread.mean()), "mean": float(paid.std())},
        }

    def honest_contributions(self) -> Bools:
        """Theorem 3 for the agents that did not set out to deviate."""
        return self.contribution.contributes[self._honest]

    def rational(self, rule: str) -> Bools:
        """Who ends no worse than alone; by the curve, which has the charge, only of the honest."""
        if rule in self.losses.rational:
            return self.losses.rational[rule]
        return self.by_curve.rational(rule)[self._honest]

    @property
    def _honest(self) -> Bools:
        return np.array([kind == HONEST for kind in self.who.kind])

    def truthfulness(self) -> dict[str, list[float]]:
        """Figure 1."""
        return truthfulness(self.who, self.losses, self.seed)

    def penalty(self) -> dict[str, Any]:
        """Figure 3."""
        return penalty_curves(self.study, self.who)

    def curves(self) -> ColumnLists:
        """One line for each model and test."""
        rows = []
        named: list[tuple[str, str | None, TrainingCurve]] = [
            ("local", agent, curve)
            for agent, curve in zip(self.who.names, self.trained.local, strict=True)
        ]
        for training, agent, curve in [*named, ("federated", None, self.trained.federated)]:
            rows += [(training, agent, *row) for row in curve.rows()]
        names = ("training", "agent", "epoch", "loss", "accuracy")
        return self._labelled(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))

    def agents(self) -> ColumnLists:
        """One line for each agent."""
        m, of, by, drawn = self.who, self.losses, self.by_curve, self.losses.drawn
        (_, local_accuracy), (_, accuracy) = _scores(self.trained, self.study.score)
        return self._labelled(
            {
                "agent": m.names,
                "kind": m.kind,
                "true_cost": m.true_cost,
                "reported_cost": m.reported_cost,
                "optimum": local_optimum(m.reported_cost, self.study.terms.curve),
                "agreed": m.agreed,
                "samples": m.samples,
                "labels": self.trained.labels,
                "local_loss": of.local,
                "federated_loss": of.federated,
                "local_accuracy": local_accuracy,
                "federated_accuracy": accuracy,
                "gain": of.gain,
                "win_probability": of.win_probability,
                **of.facts,
                "if_lost": drawn.lost,
                "if_won": drawn.won,
                "spread": drawn.spread,
                "best_samples": self.contribution.best,
                "contributes": self.contribution.contributes,
                "alone_by_curve": by.alone,
                **{by_curve_of(rule): each.mean for rule, each in by.ends.items()},
                **{deviation_cost_of(rule): cost for rule, cost in by.deviation_cost.items()},
                **{rational_of(rule): of.rational.get(rule, by.rational(rule)) for rule in by.ends},
            }
        )

    def settlements(self) -> ColumnLists:
        """One line for each agent, rule and input: by measured losses, and by the curve."""
        table: dict[str, list[Any]] = {}
        for each in (*self.losses.ends.values(), *self.by_curve.ends.values()):
            for name, values in _settlement_rows(each.settlement).items():
                table.setdefault(name, []).extend(values)
        return self._labelled(table)

    def _labelled(self, table: dict[str, Any]) -> ColumnLists:
        """The table with arm and seed before its columns."""
        n = len(next(iter(table.values())))
        return {"arm": [self.arm.name] * n, "seed": [self.seed] * n, **table}


def measure(study: Study, arm: Arm, seed: int, who: StudyAgents, trained: Trained) -> Measured:
    """Settle what was trained, by the study's score."""
    (local, _), (federated, _) = _scores(trained, study.score)
    return Measured(
        study,
        arm,
        seed,
        who,
        trained,
        losses(study, who, local, federated, seed),
        by_curve(study, who, seed),
        contribution(study, who),
    )


def _scores(trained: Trained, score: WhichScore) -> list[tuple[Floats, Floats]]:
    """Loss and accuracy of each agent, alone and together."""
    alone = [getattr(curve, score) for curve in trained.local]
    together = [getattr(trained.federated, score)] * len(alone)
    return [
        (floats([s.loss for s in scores]), floats([s.accuracy for s in scores]))
        for scores in (alone, together)
    ]


def _settlement_rows(settlement: Settlement) -> dict[str, list[Any]]:
    n = len(settlement.population)
    samples = settlement.population.samples.tolist()
    table = {"compensation": [0] * n, "samples": samples, **columns(settlement)}
    order = ("agent", "samples", *AMOUNTS, "group", "won")
    return {
        "rule": [settlement.terms.rule] * n,
        "input": [settlement.input] * n,
        **{name: table[name] for name in order},
    }
