"""The training of one arm with one seed: done once, kept in a file, never done again.

The file holds the test scores of every model at every test, and how many samples of each class
every agent used; and the words that tell this training from any other, so that it is never taken
for one of another study.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import MOST_SAMPLES
from ...data import Dataset, partition
from ...data.registry import SETS
from ...errors import InputError
from ...io.columns import shorten
from ...progress import Progress
from ...training import Job, Machine, TrainingCurve, kept
from ...training.kept import Kind, Resumable
from ...training.seeds import generator
from ...training.setup import assemble
from ..config.agents import StudyAgents
from ..config.arm import Arm
from ..config.study import Study

KINDS: tuple[Kind, ...] = ("local", "federated")


@dataclass(frozen=True)
class Trained:
    """What is kept of a training.

    Attributes:
        local, federated: test scores of each agent alone, and of all together.
        labels: how many samples of each class each agent used.
        images: how many training images there were to share.
        classes: what the classes are called.
        seconds: how long each half took.
    """

    local: list[TrainingCurve]
    federated: TrainingCurve
    labels: list[list[int]]
    images: int
    classes: list[str]
    seconds: dict[str, float]


def job_of(
    study: Study, arm: Arm, seed: int, agents: StudyAgents, dataset: Dataset, data_dir: Path | None
) -> Job:
    """The training of an arm. Free riders use a part of the samples they agreed to and have."""
    labels = dataset.train.labels
    shards = partition(labels, agents.dealt, arm.partition, generator(seed, "partition"))
    for k, (shard, used) in enumerate(zip(shards, agents.samples, strict=True)):
        if used < len(shard):
            shards[k] = np.sort(generator(seed, "held back", k).permutation(shard)[:used])
    return assemble(dataset, shards, study.recipe(), seed, arm.name, data_dir, study.split)


def about_study(study: Study, arm: Arm, seed: int) -> dict[str, Any]:
    """What the study says of a training: all that can be told without the data and the device."""
    return {
        "agents": study.agents,
        "partition": SETS[study.dataset].scheme(arm.name, study.split),
        "seed": seed,
        **study.recipe().describe(),
        "epochs between tests": study.training.test_every,
    }


def about_job(job: Job, machine: Machine, every: int) -> dict[str, Any]:
    """All that tells a training from any other."""
    return {**machine.describe(job), "epochs between tests": every}


def train(
    job: Job,
    machine: Machine,
    path: Path,
    about: dict[str, Any],
    progress: Progress,
    note: Callable[[str], None],
) -> Trained:
    """Train every agent alone, then all together.

    ``path`` is the file to keep it in; checkpoints lie beside it while the training goes on.
    """
    every, places = about["epochs between tests"], checkpoints(path)
    training = Resumable(job, machine, about, every, places, pause=kept.PAUSE, note=note)
    training.finished()  # another training's is refused now
    local, together = (training.train(kind, progress) for kind in KINDS)
    seconds: dict[str, float] = {"local": local.seconds, "federated": together.seconds}
    data, classes = job.dataset.train, list(job.dataset.classes)
    labels = [
        np.bincount(data.labels[shard], minlength=len(classes)).tolist() for shard in job.shards
    ]
    trained = Trained(local.curves, together.curves[0], labels, len(data), classes, seconds)
    kept.keep(path, about, _document(trained))
    clear(path)
    return trained


def checkpoints(path: Path) -> dict[Kind, Path]:
    """Where the state of a training is kept while it goes on."""
    return {kind: path.with_suffix(f".{kind}") for kind in KINDS}


def clear(path: Path) -> None:
    """Remove what a finished training no longer needs, and what killed ones left."""
    kept.clear(path, checkpoints(path))


def _document(trained: Trained) -> dict[str, Any]:
    return {
        "local": [curve.rows() for curve in trained.local],
        "federated": trained.federated.rows(),
        "labels": trained.labels,
        "images": trained.images,
        "classes": trained.classes,
        "seconds": trained.seconds,
    }


def read_trained(
    path: Path, study: Study, about: dict[str, Any], agents: StudyAgents | None
) -> Trained:
    """What was trained before, if it is the training ``about`` tells of, by these agents."""
    said, content = kept.read_kept(path, "fedfact run")
    try:
        trained = Trained(
            [_curve(rows) for rows in content["local"]],
            _curve(content["federated"]),
            [list(map(_count, row)) for row in content["labels"]],
            _count(content["images"]),
            list(map(str, content["classes"])),
            {kind: _seconds(content["seconds"][kind]) for kind in KINDS},
        )
        data = str(said["data set"]).split()[0]
        sizes = {len(row) for row in trained.labels}
        if sizes != {len(trained.classes)} or len(trained.local) != len(trained.labels):
            raise ValueError
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        raise kept.damaged(path) from None
    here = {"data": study.dataset, **about}
    there = {"data": data, **said}
    if agents is not None:
        here = {"samples used": agents.samples.tolist(), **here}
        there["samples used"] = [sum(row) for row in trained.labels]
    for name, value in here.items():
        value = list(value) if isinstance(value, tuple) else value
        if there.get(name) != value:
            found, wanted = (shorten(str(each), 60) for each in (there.get(name), value))
            raise InputError(
                f"{path}: is of another training ({name}: {found} there, {wanted} here); "
                "name another directory with -o, or delete this one to start anew"
            )
    return trained


def _count(said: Any) -> int:
    """How many of something there were; refused where there cannot be so many."""
    if type(said) is not int or not 0 <= said <= MOST_SAMPLES:
        raise ValueError
    return said


def _seconds(said: Any) -> float:
    if not math.isfinite(seconds := float(said)):
        raise ValueError
    return seconds


def _curve(rows: list[tuple[int, float, float]]) -> TrainingCurve:
    """A curve from its rows, refused where it is none."""
    curve = TrainingCurve.from_rows(rows)
    if not curve.epochs:
        raise ValueError
    return curve
