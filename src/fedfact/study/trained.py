"""The training of one arm with one seed: done once, kept in a file, never done again.

The file holds the test scores of every model at every test, and how many samples of each class
every agent used; and the words that tell this training from any other, so that it is never taken
for one of another study.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..data import Dataset, partition
from ..federation.columns import shorten
from ..files import clear_torn, write_whole
from ..mechanism import InputError
from ..progress import Report
from ..training import Checkpoint, Curve, Job, Machine, train_federated, train_local
from ..training.seeds import generator
from ..training.setup import network_of, scheme_of
from .arm import Arm
from .config import Study
from .directory import read_json
from .members import Members

PAUSE = 120.0
"""Seconds between two checkpoints: what a killed study loses at most, or an epoch if that is more.
"""


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

    local: list[Curve]
    federated: Curve
    labels: list[list[int]]
    images: int
    classes: list[str]
    seconds: dict[str, float]


def job_of(
    study: Study, arm: Arm, seed: int, members: Members, dataset: Dataset, data_dir: Path | None
) -> Job:
    """The training of an arm. Free riders use a part of the samples they agreed to and have."""
    labels = dataset.train.labels
    shards = partition(labels, members.dealt, arm.partition, generator(seed, "partition"))
    for k, (shard, used) in enumerate(zip(shards, members.samples, strict=True)):
        if used < len(shard):
            shards[k] = np.sort(generator(seed, "held back", k).permutation(shard)[:used])
    network, scheme = network_of(dataset, data_dir), scheme_of(study.dataset, arm.name, study.split)
    return Job(dataset, network, shards, study.recipe(), seed, scheme)


def about_study(study: Study, arm: Arm, seed: int) -> dict[str, Any]:
    """What the study says of a training: all that can be told without the data and the device."""
    return {
        "agents": study.agents,
        "partition": scheme_of(study.dataset, arm.name, study.split),
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
    report: Report,
    note: Callable[[str], None],
) -> Trained:
    """Train every agent alone, then all together.

    ``path`` is the file to keep it in; checkpoints lie beside it while the training goes on.
    """
    every, seconds = about["epochs between tests"], {}
    kept = {
        kind: Checkpoint(place, {"training": kind, **about}, 1, note, pause=PAUSE)
        for kind, place in checkpoints(path).items()
    }
    for checkpoint in kept.values():
        clear_torn(checkpoint.path)
        checkpoint.is_finished()  # another training's is refused now
    start = time.monotonic()
    local = train_local(job, machine, every=every, checkpoint=kept["local"], report=report)
    seconds["local"] = time.monotonic() - start
    start = time.monotonic()
    together = train_federated(
        job, machine, every=every, checkpoint=kept["federated"], report=report
    )
    seconds["federated"] = time.monotonic() - start
    data, classes = job.dataset.train, list(job.dataset.classes)
    labels = [
        np.bincount(data.labels[shard], minlength=len(classes)).tolist() for shard in job.shards
    ]
    trained = Trained(local, together.curve, labels, len(data), classes, seconds)
    write_whole(path, json.dumps({"about": about, **_document(trained)}).encode())
    clear_checkpoints(path)
    return trained


def checkpoints(path: Path) -> dict[str, Path]:
    """Where the state of a training is kept while it goes on."""
    return {kind: path.with_suffix(f".{kind}") for kind in ("local", "federated")}


def clear_checkpoints(path: Path) -> None:
    """Remove what a finished training no longer needs."""
    for place in checkpoints(path).values():
        place.unlink(missing_ok=True)


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
    path: Path, study: Study, about: dict[str, Any], members: Members | None
) -> Trained:
    """What was trained before, if it is the training ``about`` tells of, by these members."""
    try:
        kept = read_json(path, "delete it to train it again")
        said: dict[str, Any] = dict(kept["about"])
        trained = Trained(
            [_curve(rows) for rows in kept["local"]],
            _curve(kept["federated"]),
            [list(map(int, row)) for row in kept["labels"]],
            int(kept["images"]),
            list(map(str, kept["classes"])),
            {kind: float(kept["seconds"][kind]) for kind in ("local", "federated")},
        )
        data = str(said["data set"]).split()[0]
        sizes = {len(row) for row in trained.labels}
        if sizes != {len(trained.classes)} or len(trained.local) != len(trained.labels):
            raise ValueError
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise InputError(f"{path}: is damaged; delete it to train it again") from None
    here = {"data": study.dataset, **about}
    there = {"data": data, **said}
    if members is not None:
        here = {"samples used": members.samples.tolist(), **here}
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


def _curve(rows: list[list[Any]]) -> Curve:
    """A curve from its rows, refused where it is none."""
    points = [(int(epoch), float(loss), float(accuracy)) for epoch, loss, accuracy in rows]
    if not points or not np.isfinite(points).all():
        raise ValueError
    return Curve.from_rows(points)
