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
import torch

from ..data import Dataset, partition
from ..files import clear_torn, write_whole
from ..mechanism import InputError
from ..progress import Report
from ..training import Checkpoint, Curve, Job, Machine, train_federated, train_local
from ..training.seeds import generator
from ..training.setup import network_of
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
    shards = partition(labels, members.agreed, arm.partition, generator(seed, "partition"))
    for k, (shard, used) in enumerate(zip(shards, members.samples, strict=True)):
        if used < len(shard):
            shards[k] = np.sort(generator(seed, "held back", k).permutation(shard)[:used])
    scheme = f"{arm.name}, split by {study.split}" if study.dataset == "ham10000" else arm.name
    return Job(dataset, network_of(dataset, data_dir), shards, study.recipe(), seed, scheme)


def train(
    job: Job,
    machine: Machine,
    path: Path,
    every: int,
    report: Report,
    note: Callable[[str], None],
) -> Trained:
    """Train every agent alone, then all together, or read what was trained before.

    ``path`` is the file to keep it in; checkpoints lie beside it while the training goes on.
    """
    about = {
        **job.describe(),
        "arithmetic": machine.arithmetic,
        "torch": torch.__version__,
        "epochs between tests": every,
    }
    if path.exists():
        return read_trained(path, about)
    kept, seconds = {}, {}
    for kind in ("local", "federated"):
        place = path.with_suffix(f".{kind}")
        clear_torn(place)
        kept[kind] = Checkpoint(place, {"training": kind, **about}, 1, note, pause=PAUSE)
        kept[kind].is_finished()  # another training's checkpoint is refused now
    start = time.monotonic()
    local = train_local(job, machine, every=every, checkpoint=kept["local"], report=report)
    seconds["local"] = time.monotonic() - start
    start = time.monotonic()
    together = train_federated(
        job, machine, every=every, checkpoint=kept["federated"], report=report
    )
    seconds["federated"] = time.monotonic() - start
    train, classes = job.dataset.train, list(job.dataset.classes)
    labels = [
        np.bincount(train.labels[shard], minlength=len(classes)).tolist() for shard in job.shards
    ]
    trained = Trained(local, together.curve, labels, len(train), classes, seconds)
    write_whole(path, json.dumps({"about": about, **_document(trained)}).encode())
    for checkpoint in kept.values():
        checkpoint.path.unlink(missing_ok=True)
    return trained


def _document(trained: Trained) -> dict[str, Any]:
    return {
        "local": [curve.rows() for curve in trained.local],
        "federated": trained.federated.rows(),
        "labels": trained.labels,
        "images": trained.images,
        "classes": trained.classes,
        "seconds": trained.seconds,
    }


def read_trained(path: Path, about: dict[str, Any] | None = None) -> Trained:
    """What was trained before; with ``about``, only if it is the same training."""
    kept = read_json(path)
    for name, value in (about or {}).items():
        there = kept["about"].get(name)
        if there != (list(value) if isinstance(value, tuple) else value):
            raise InputError(
                f"{path}: is of another training ({name}: {there} there, {value} here); name "
                "another directory with -o, or delete this one to start anew"
            )
    return Trained(
        [Curve.from_rows(map(tuple, rows)) for rows in kept["local"]],
        Curve.from_rows(map(tuple, kept["federated"])),
        kept["labels"],
        kept["images"],
        kept["classes"],
        kept["seconds"],
    )
