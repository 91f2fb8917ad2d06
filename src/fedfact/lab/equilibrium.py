"""Where each rule leads agents that play to win: who contributes, who bears what, who is honest."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ..mechanism import local_optimum
from ..mechanism.arrays import Floats
from ..progress import Report, silent
from .dynamics import ROUNDS, Play, replies
from .hedge import Learned, hedge
from .rule import Knows, Rule
from .setting import Setting
from .written import written

How = Literal["replies", "hedge"]


def equilibrium(
    setting: Setting,
    *,
    how: How = "replies",
    lies: bool = True,
    knows: Knows = "all",
    rounds: int = ROUNDS,
    seed: int = 0,
    rules: Sequence[str] | None = None,
    report: Report = silent,
) -> dict[str, Any]:
    """Play every rule to its end, with the same agents."""
    cost = setting.population(seed)
    played = list(_played(setting, rules))
    ends = []
    for k, rule in enumerate(played):
        report("rules", k, len(played), "rules")
        play: Play
        if how == "hedge":
            play = hedge(rule, setting, cost, rounds=rounds, seed=seed)
        else:
            play = replies(rule, setting, cost, lies=lies, knows=knows, rounds=rounds, seed=seed)
        ends.append(end(rule, setting, cost, play))
    report("rules", len(played), len(played), "rules")
    return {
        **setting.describe(),
        "seed": seed,
        "how": how,
        "knows": knows,
        "lies": lies or how == "hedge",
        "rules": ends,
    }


def end(rule: Rule, setting: Setting, cost: Floats, play: Play) -> dict[str, Any]:
    """What is left at the end; losses as parts of the loss alone, None for one without end."""
    alone = setting.alone(cost)
    optimum = local_optimum(cost, float(setting.terms.required_error_scale))
    used, losses = play.used, play.loss / alone
    surplus = float(play.paid.sum() / alone.sum())
    nothing = (play.paid == 0) & (not rule.gives_model)
    document = {
        "rule": rule.name,
        "title": rule.title,
        "source": rule.source,
        "needs": rule.needs,
        "gives_model": rule.gives_model,
        "asks": rule.asks,
        "converged": play.converged,
        "rounds": play.rounds,
        "samples": float(used.sum()),
        "samples_share": float(used.sum() / optimum.sum()),
        "contributors": play.contributors,
        "loss": {"mean": float(losses.mean()), "worst": float(losses.max())},
        "shut_out": int(nothing.sum()),
        "surplus": surplus,
        "cost_to_all": float(play.loss.sum() / alone.sum()) - surplus,
        "from_truth": play.from_truth,
        "agents": {
            "cost": cost.tolist(),
            "report": play.reports.tolist(),
            "samples": used.tolist(),
            "loss": losses.tolist(),
        },
        "history": play.history.columns(),
    }
    if isinstance(play, Learned):
        document["regret"] = {"largest": float(play.regret.max()), "bound": play.bound}
    return dict(written(document))


def _played(setting: Setting, names: Sequence[str] | None) -> Iterator[Rule]:
    return (rule for rule in setting.rules() if names is None or rule.name in names)
