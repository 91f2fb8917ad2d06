"""The trainings behind `fedfact.lab.collapse`: each done once, kept in a file, never done again.

A file is named after all that decides its numbers, so equal trainings are one training, whichever
rules they belong to, and no file can be taken for another's.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..files import clear_torn, read_text, write_whole
from ..mechanism import InputError
from ..progress import Report
from ..training import Checkpoint, Job, Machine, Score, train_federated, train_local
from .collapse_samples import Kind

PAUSE = 120.0
"""Seconds between two checkpoints, as in a study."""


@dataclass(frozen=True, eq=False)
class Training:
    """One training; ``about`` is all that tells it from any other."""

    kind: Kind
    job: Job
    about: dict[str, Any]
    path: Path

    @classmethod
    def plan(cls, kind: Kind, job: Job, machine: Machine, folder: Path) -> "Training":
        """The training of a job, to be kept in this folder."""
        about = {
            "training": kind,
            **machine.describe(job),
            "samples": [len(shard) for shard in job.shards],
        }
        about = json.loads(json.dumps(about))  # as it will be read: lists for tuples
        mark = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
        return cls(kind, job, about, folder / f"{kind}-seed{job.seed}-{mark}.json")

    @property
    def images(self) -> float:
        """About how many images go through it, for a bar to count."""
        recipe, steps = self.job.recipe, self.job.steps_per_epoch()
        if self.kind == "local":
            return recipe.epochs * float(sum(map(len, self.job.shards)))
        parts = (len(shard) / own for shard, own in zip(self.job.shards, steps, strict=True))
        return recipe.epochs * max(steps) * sum(parts)

    def kept(self) -> list[Score] | None:
        """The final test scores of each model, if it was trained before."""
        if not self.path.exists():
            return None
        text = read_text(self.path, "the file that `fedfact lab collapse` wrote")
        try:
            document = json.loads(text)
            scores = [Score(float(loss), float(right)) for loss, right in document["scores"]]
            models = 1 if self.kind == "federated" else self.job.agents
            sound = document["about"] == self.about and len(scores) == models
            if not sound or not np.isfinite(scores).all():
                raise ValueError
        except (KeyError, TypeError, ValueError, RecursionError):
            raise InputError(f"{self.path}: is damaged; delete it to train it again") from None
        return scores

    def run(self, machine: Machine, report: Report, note: Callable[[str], None]) -> list[Score]:
        """Train it and keep it. A checkpoint lies beside the file while it goes on."""
        job, start = self.job, time.monotonic()
        place = self.path.with_suffix(".checkpoint")
        clear_torn(place)
        checkpoint = Checkpoint(place, self.about, 1, note, pause=PAUSE)
        options: dict[str, Any] = {
            "every": job.recipe.epochs,
            "checkpoint": checkpoint,
            "report": report,
        }
        if self.kind == "local":
            scores = [curve.final for curve in train_local(job, machine, **options)]
        else:
            scores = [train_federated(job, machine, **options).curve.final]
        seconds = round(time.monotonic() - start, 3)
        document = {"about": self.about, "scores": scores, "seconds": seconds}
        write_whole(self.path, json.dumps(document).encode())
        self.clear()
        return scores

    def clear(self) -> None:
        """Remove what a finished training no longer needs, and what killed ones left."""
        clear_torn(self.path)
        self.path.with_suffix(".checkpoint").unlink(missing_ok=True)


def train_all(
    trainings: Mapping[Path, Training],
    kept: Mapping[Path, list[Score] | None],
    machine: Machine,
    report: Report,
    note: Callable[[str], None],
) -> dict[Path, list[Score]]:
    """The scores of all trainings, by their files; those that are kept are not done again."""
    scores = {path: found for path, found in kept.items() if found is not None}
    waiting = [training for path, training in trainings.items() if path not in scores]
    if scores:
        note(f"{len(scores)} of {len(trainings)} trainings are there already")
    total, before = sum(training.images for training in waiting), 0.0
    for training in waiting:
        progress = _part(report, before, training.images, total)
        scores[training.path] = training.run(machine, progress, note)
        before += training.images
    for training in trainings.values():
        training.clear()
    report("training", int(total), int(total), "images")
    return scores


def _part(report: Report, before: float, images: float, in_all: float) -> Report:
    """Reports of one training as a part of all."""

    def told(what: str, done: int, total: int, unit: str) -> None:
        report("training", int(before + images * done / max(total, 1)), int(in_all), unit)

    return told
