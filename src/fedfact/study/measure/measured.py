"""One arm with one seed, measured and settled: all that its training and its agents come to."""

from dataclasses import dataclass
from typing import Any, Literal

from ...arrays import Bools, Floats, floats
from ...mechanism import Settlement, local_optimum, simulate_draws
from ...mechanism.settlement import AMOUNTS
from ...settlement.document import columns
from ...training import TrainingCurve
from ...training.seeds import generator
from ..config.agents import HONEST, Agents
from ..config.arm import Arm
from ..config.study import Study
from ..files.directory import Columns
from ..files.keys import rational_of
from ..files.trained import Trained
from .contribution import Contribution, contribution, penalty_curves
from .losses import Losses, losses, settled
from .truthfulness import truthfulness

DRAWS, MOST_DRAWN = 10_000, 4_000_000
"""Draws for the spread of the mean, fewer where there are many agents; an agent's own is exact."""

Score = Literal["final", "best"]


@dataclass(frozen=True, eq=False)
class Measured:
    """An arm with a seed: who took part, how they trained, what each ends with."""

    study: Study
    arm: Arm
    seed: int
    who: Agents
    trained: Trained
    losses: Losses
    contribution: Contribution

    def in_words(self) -> str:
        """For whoever waits."""
        local, together = self.losses.local.mean(), self.losses.federated.mean()
        seconds = sum(self.trained.seconds.values())
        name = f"{self.arm.name}, seed {self.seed}"
        return f"{name}: loss {local:.4g} alone, {together:.4g} together, {seconds:.0f} s"

    def numbers(self, score: Score) -> dict[str, dict[str, float | None]]:
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
        return self.contribution.contributes[[kind == HONEST for kind in self.who.kind]]

    def truthfulness(self) -> dict[str, list[float]]:
        """Figure 1."""
        return truthfulness(self.who, self.losses, self.seed)

    def penalty(self) -> dict[str, Any]:
        """Figure 3."""
        return penalty_curves(self.study, self.who)

    def curves(self) -> Columns:
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

    def agents(self) -> Columns:
        """One line for each agent."""
        m, of, drawn = self.who, self.losses, self.losses.drawn
        (_, local_accuracy), (_, accuracy) = _scores(self.trained, self.study.score)
        return self._labelled(
            {
                "agent": m.names,
                "kind": m.kind,
                "true_cost": m.true_cost,
                "reported_cost": m.reported_cost,
                "optimum": local_optimum(m.reported_cost, self.study.terms.error_scale),
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
                "deviation_cost": self.contribution.cost,
                "contributes": self.contribution.contributes,
                **{rational_of(rule): holds for rule, holds in of.rational.items()},
            }
        )

    def settlements(self) -> Columns:
        """One line for each agent, rule and input: by measured losses, and by the formula A/m."""
        measured = (each.settlement for each in self.losses.ends.values())
        analytic = settled(self.study, self.who.population(), self.seed).values()
        table: dict[str, list[Any]] = {}
        for each in (*measured, *analytic):
            for name, values in _settlement_rows(each).items():
                table.setdefault(name, []).extend(values)
        return self._labelled(table)

    def _labelled(self, table: dict[str, Any]) -> Columns:
        """The table with arm and seed before its columns."""
        n = len(next(iter(table.values())))
        return {"arm": [self.arm.name] * n, "seed": [self.seed] * n, **table}


def measure(study: Study, arm: Arm, seed: int, who: Agents, trained: Trained) -> Measured:
    """Settle what was trained, by the study's score."""
    (local, _), (federated, _) = _scores(trained, study.score)
    return Measured(
        study,
        arm,
        seed,
        who,
        trained,
        losses(study, who, local, federated, seed),
        contribution(study, who),
    )


def _scores(trained: Trained, score: Score) -> list[tuple[Floats, Floats]]:
    """Loss and accuracy of each agent, alone and together."""
    alone = [getattr(curve, score) for curve in trained.local]
    together = [getattr(trained.federated, score)] * len(alone)
    return [
        (floats([s.loss for s in scores]), floats([s.accuracy for s in scores]))
        for scores in (alone, together)
    ]


def _settlement_rows(settlement: Settlement) -> dict[str, list[Any]]:
    n = len(settlement.population)
    table = {"compensation": [0] * n, **columns(settlement)}
    order = ("agent", *AMOUNTS, "group", "won")
    return {
        "rule": [settlement.terms.rule] * n,
        "input": [settlement.input] * n,
        **{name: table[name] for name in order},
    }
