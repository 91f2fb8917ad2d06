"""What a training came to, as one document."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from ..algorithm import Federated
from ..curve import TrainingCurve
from ..job import Job


def summary(
    about: dict[str, Any],
    job: Job,
    federated: Federated | None,
    local: Sequence[TrainingCurve] | None,
) -> dict[str, Any]:
    """Final and best scores, alone (each agent and the mean) and together, with all the curves.

    ``about`` says which training this was.
    """
    samples = [len(shard) for shard in job.shards]
    result: dict[str, Any] = {"job": about, "samples": samples}
    if local is not None:
        ends = [_ends(curve) for curve in local]
        means = {
            end: {key: mean(of_agent[end][key] for of_agent in ends) for key in ends[0][end]}
            for end in ("final", "best")
        }
        result["local"] = {**means, "agents": ends}
    if federated is not None:
        result["federated"] = _ends(federated.curve)
    return result


def _ends(curve: TrainingCurve) -> dict[str, Any]:
    """The last point and the one of lowest loss, and all of them."""
    return {
        "final": {"epoch": curve.epochs[-1], **curve.final._asdict()},
        "best": {"epoch": curve.best_epoch, **curve.best._asdict()},
        "curve": {
            "epoch": curve.epochs,
            "loss": [score.loss for score in curve.scores],
            "accuracy": [score.accuracy for score in curve.scores],
        },
    }
