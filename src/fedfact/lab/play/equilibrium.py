"""Where each rule leads agents that play to win: who contributes, who bears what, who is honest."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...arrays import Floats
from ...progress import Progress, silent
from ..game.rule import GameRule, Knows
from ..results import LabResult, without_infinities
from ..rules.registry import Choices
from ..setting import Setting
from .dynamics import ROUNDS, Dynamics, replies
from .hedge import Learned, hedge

How = Literal["replies", "hedge"]


@dataclass(frozen=True, eq=False)
class RuleEnd:
    """What is left at the end of play under one rule; losses and money as parts of the loss alone.

    Attributes:
        samples_share: of what all agents would use alone.
        losses: of each agent; ``cost_to_all`` is that of all together, less the ``surplus``.
        shut_out: agents that the rule neither pays nor gives a model.
    """

    rule: GameRule
    play: Dynamics
    samples: float
    samples_share: float
    losses: Floats
    shut_out: int
    surplus: float
    cost_to_all: float

    @classmethod
    def of(cls, rule: GameRule, setting: Setting, play: Dynamics) -> "RuleEnd":
        """What is left where play ended like this."""
        alone = setting.alone(play.cost)
        optimum = setting.samples_alone(play.cost)
        surplus = float(play.paid.sum() / alone.sum())
        return cls(
            rule,
            play,
            samples=float(play.used.sum()),
            samples_share=float(play.used.sum() / optimum.sum()),
            losses=play.loss / alone,
            shut_out=int(np.sum((play.paid == 0) & (not rule.gives_model))),
            surplus=surplus,
            cost_to_all=float(play.loss.sum() / alone.sum()) - surplus,
        )

    @property
    def mean_loss(self) -> float:
        """Of all agents."""
        return float(self.losses.mean())

    @property
    def worst_loss(self) -> float:
        """Of the agent that is worst off."""
        return float(self.losses.max())

    def document(self) -> dict[str, Any]:
        """As JSON holds it; None for a loss without end."""
        rule, play = self.rule, self.play
        document = {
            "rule": rule.name,
            "title": rule.title,
            "source": rule.source,
            "needs": rule.needs,
            "gives_model": rule.gives_model,
            "asks": rule.asks,
            "benchmark": rule.benchmark,
            "converged": play.converged,
            "rounds": play.rounds,
            "samples": self.samples,
            "samples_share": self.samples_share,
            "contributors": play.contributors,
            "loss": {"mean": self.mean_loss, "worst": self.worst_loss},
            "shut_out": self.shut_out,
            "surplus": self.surplus,
            "cost_to_all": self.cost_to_all,
            "from_truth": play.from_truth,
            "agents": {
                "cost": play.cost.tolist(),
                "report": play.reports.tolist(),
                "samples": play.used.tolist(),
                "loss": self.losses.tolist(),
            },
            "history": play.history.columns(),
        }
        if isinstance(play, Learned):
            document["regret"] = {"largest": float(play.regret.max()), "bound": play.bound}
        return dict(without_infinities(document))


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(LabResult):
    """Where play ended under each rule, with the same agents."""

    setting: Setting
    seed: int
    how: How
    knows: Knows
    lies: bool
    ends: tuple[RuleEnd, ...]

    def end_of(self, rule: str) -> RuleEnd:
        """Where play of the rule with this name ended."""
        return next(end for end in self.ends if end.rule.name == rule)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each rule."""
        return [
            {
                "rule": end.rule.name,
                "samples": end.samples,
                "samples_share": end.samples_share,
                "contributors": end.play.contributors,
                "mean_loss": end.mean_loss,
                "worst_loss": end.worst_loss,
                "surplus": end.surplus,
                "cost_to_all": end.cost_to_all,
                "from_truth": end.play.from_truth,
                "rounds": end.play.rounds,
                "converged": end.play.converged,
            }
            for end in self.ends
        ]

    def document(self) -> dict[str, Any]:
        """The setting, how agents played, and where that ended under each rule."""
        return {
            **self.setting.describe(),
            "seed": self.seed,
            "how": self.how,
            "knows": self.knows,
            "lies": self.lies,
            "rules": [end.document() for end in self.ends],
        }


def equilibrium(
    setting: Setting,
    *,
    how: How = "replies",
    lies: bool = True,
    knows: Knows = "all",
    rounds: int = ROUNDS,
    seed: int = 0,
    rules: Choices | None = None,
    progress: Progress = silent,
) -> Equilibrium:
    """Play every rule to its end with the same agents, or those given by name or as objects."""
    cost = setting.population(seed)
    played = setting.rules(rules)
    ends = []
    for k, rule in enumerate(played):
        progress("rules", k, len(played), "rules")
        play: Dynamics
        if how == "hedge":
            play = hedge(rule, setting, cost, rounds=rounds, seed=seed)
        else:
            play = replies(rule, setting, cost, lies=lies, knows=knows, rounds=rounds, seed=seed)
        ends.append(RuleEnd.of(rule, setting, play))
    progress("rules", len(played), len(played), "rules")
    return Equilibrium(setting, seed, how, knows, lies or how == "hedge", tuple(ends))
