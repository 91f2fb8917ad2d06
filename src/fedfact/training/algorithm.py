"""Algorithm 1, federated training, and what it is compared with: every agent alone."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..progress import Progress, silent
from .agent import Weights
from .checkpoint import Checkpoint
from .curve import TrainingCurve
from .engines.engine import Machine
from .evaluate import Score
from .job import Job


@dataclass(frozen=True)
class Federated:
    """What federated training gives: the server's model, and its test scores on the way."""

    curve: TrainingCurve
    weights: Weights


def train_federated(
    job: Job,
    machine: Machine,
    *,
    every: int = 1,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
) -> Federated:
    """Algorithm 1: rounds of h local steps and an average, until the E epochs are over.

    They are over when the agent with the most batches has done them; an agent with fewer goes on
    cycling its data until then. The last round is shorter where h does not divide the steps. The
    server's model is tested at the first average after every ``every`` epochs, and at the end.
    """
    check_every(every)
    n, h, per_epoch = job.agents, job.recipe.local_steps, max(job.steps_per_epoch())
    total = job.recipe.epochs * per_epoch
    images = _images(job, [total] * n)
    saved = checkpoint.load() if checkpoint else None
    if checkpoint and saved and saved["finished"]:
        with checkpoint.restoring():
            weights = _weights_like(job.initial_model().state_dict(), saved["weights"])
            return Federated(_curves([saved["curve"]], 1, ended=True)[0], weights)
    with machine.engine(job, [total] * n) as engine:
        done, curve = 0, TrainingCurve()
        if checkpoint and saved:
            with checkpoint.restoring():
                engine.restore(saved["engine"])
                done, curve = _within(saved["done"], total), TrainingCurve.from_rows(saved["curve"])
        while done < total:
            progress("federated", _images(job, [done] * n), images, "images")
            steps = min(h, total - done)
            engine.distribute()
            engine.update([steps] * n)
            engine.average()
            before, done = done // per_epoch, done + steps
            epoch = done // per_epoch
            if epoch // every > before // every or done == total:
                curve.add(epoch, _sound(engine.test(), "the federated model", epoch))
            if checkpoint and checkpoint.is_due(before, epoch) and done < total:
                state = engine.state(models=False)
                checkpoint.save(
                    {"finished": False, "done": done, "curve": curve.rows(), "engine": state}
                )
        weights = engine.weights()
    if checkpoint:
        checkpoint.save({"finished": True, "curve": curve.rows(), "weights": weights})
    progress("federated", images, images, "images")
    return Federated(curve, weights)


def train_local(
    job: Job,
    machine: Machine,
    *,
    every: int = 1,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
) -> list[TrainingCurve]:
    """Every agent alone: the same first weights, optimiser, schedule and number of epochs.

    Every agent does E epochs of its own data, however many batches that is, and its model is tested
    after every ``every`` epochs, and at the end.
    """
    check_every(every)
    epochs, h, per_epoch = job.recipe.epochs, job.recipe.local_steps, job.steps_per_epoch()
    total = _images(job, [epochs * steps for steps in per_epoch])
    saved = checkpoint.load() if checkpoint else None
    if checkpoint and saved and saved["finished"]:
        with checkpoint.restoring():
            return _curves(saved["curves"], job.agents, ended=True)
    with machine.engine(job, [epochs * steps for steps in per_epoch]) as engine:
        first, curves = 0, [TrainingCurve() for _ in per_epoch]
        if checkpoint and saved:
            with checkpoint.restoring():
                engine.restore(saved["engine"])
                first = _within(saved["epoch"], epochs)
                curves = _curves(saved["curves"], job.agents)
        for epoch in range(first + 1, epochs + 1):
            for done in range(0, max(per_epoch), h):
                at = [(epoch - 1) * steps + min(done, steps) for steps in per_epoch]
                progress("local", _images(job, at), total, "images")
                engine.update([min(h, max(steps - done, 0)) for steps in per_epoch])
            if epoch % every == 0 or epoch == epochs:
                scores = engine.test_agents()
                for number, (curve, score) in enumerate(zip(curves, scores, strict=True)):
                    curve.add(epoch, _sound(score, f"the model of agent {number}", epoch))
            if checkpoint and checkpoint.is_due(epoch - 1, epoch) and epoch < epochs:
                rows, state = [curve.rows() for curve in curves], engine.state(models=True)
                checkpoint.save(
                    {"finished": False, "epoch": epoch, "curves": rows, "engine": state}
                )
    if checkpoint:
        checkpoint.save({"finished": True, "curves": [curve.rows() for curve in curves]})
    progress("local", total, total, "images")
    return curves


def _within(done: Any, total: int) -> int:
    """How far a training had come, of so many steps or epochs; refused where it cannot be."""
    if type(done) is not int or not 0 <= done < total:
        raise ValueError
    return done


def _curves(rows: Sequence[Any], models: int, *, ended: bool = False) -> list[TrainingCurve]:
    """A saved curve for each model; where they ended, none is empty."""
    curves = [TrainingCurve.from_rows(points) for points in rows]
    if len(curves) != models or (ended and not all(curve.epochs for curve in curves)):
        raise ValueError
    return curves


def _weights_like(own: Weights, saved: Any) -> Weights:
    """Saved weights, if they are of a network of this kind."""
    shapes = {name: (value.shape, value.dtype) for name, value in own.items()}
    if {name: (value.shape, value.dtype) for name, value in saved.items()} != shapes:
        raise ValueError
    weights: Weights = saved
    return weights


def check_every(every: int) -> None:
    """Refuse tests that are to come at no epoch."""
    if every < 1:
        raise InputError(f"tests are to be {every} epochs apart; take 1 or more")


def _sound(score: Score, whose: str, epoch: int) -> Score:
    """The score, if it is one."""
    if not math.isfinite(score.loss):
        raise InputError(
            f"the loss of {whose} is {score.loss} after {epoch} epochs: the training diverged; "
            "take a lower learning rate or fewer local steps"
        )
    return score


def _images(job: Job, steps: Iterable[int]) -> int:
    """The images the agents have seen after so many steps each."""
    images = 0
    for taken, per_epoch, shard in zip(steps, job.steps_per_epoch(), job.shards, strict=True):
        epochs, rest = divmod(taken, per_epoch)
        images += epochs * len(shard) + rest * job.recipe.batch
    return images
