"""Many trainings in one folder: each done once, kept in a file, never done again.

A file is named after all that decides its numbers, so equal trainings are one training, and no file
can be taken for another's.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...arrays import LARGEST
from ...progress import Progress, part_of
from ..engines.engine import Machine
from ..evaluate import Score
from ..job import Job
from .training import PAUSE, Kind, Resumable, clear, damaged, keep, read_kept


@dataclass(frozen=True, eq=False)
class Planned:
    """One training of a ``command``; ``about`` is all that tells it from any other."""

    kind: Kind
    job: Job
    about: dict[str, Any]
    path: Path
    command: str

    @classmethod
    def plan(cls, kind: Kind, job: Job, machine: Machine, folder: Path, command: str) -> "Planned":
        """The training of a job, to be kept in this folder."""
        about = {
            "training": kind,
            **machine.describe(job),
            "samples": [len(shard) for shard in job.shards],
        }
        about = json.loads(json.dumps(about))  # as it will be read: lists for tuples
        mark = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
        return cls(kind, job, about, folder / f"{kind}-seed{job.seed}-{mark}.json", command)

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
        about, content = read_kept(self.path, self.command)
        try:
            scores = [Score(float(loss), float(right)) for loss, right in content["scores"]]
            models = 1 if self.kind == "federated" else self.job.agents
            sound = about == self.about and len(scores) == models
            if not sound or not all(
                0 <= s.loss <= LARGEST and 0 <= s.accuracy <= 1 for s in scores
            ):
                raise ValueError
        except (KeyError, TypeError, ValueError, OverflowError):
            raise damaged(self.path) from None
        return scores

    def run(self, machine: Machine, progress: Progress, note: Callable[[str], None]) -> list[Score]:
        """Train it and keep it. A checkpoint lies beside the file while it goes on."""
        every, places = self.job.recipe.epochs, self._places()
        training = Resumable(self.job, machine, self.about, every, places, pause=PAUSE, note=note)
        training.finished()  # removes what killed writers left
        half = training.train(self.kind, progress)
        scores = [curve.final for curve in half.curves]
        keep(self.path, self.about, {"scores": scores, "seconds": round(half.seconds, 3)})
        self.clear()
        return scores

    def clear(self) -> None:
        """Remove what a finished training no longer needs, and what killed ones left."""
        clear(self.path, self._places())

    def _places(self) -> dict[Kind, Path]:
        return {self.kind: self.path.with_suffix(".checkpoint")}


def train_all(
    trainings: Mapping[Path, Planned],
    before: Mapping[Path, list[Score] | None],
    machine: Machine,
    progress: Progress,
    note: Callable[[str], None],
) -> dict[Path, list[Score]]:
    """The scores of all trainings, by their files; those that are kept are not done again."""
    scores = {path: found for path, found in before.items() if found is not None}
    waiting = [training for path, training in trainings.items() if path not in scores]
    if scores:
        note(f"{len(scores)} of {len(trainings)} trainings are there already")
    total, done = sum(training.images for training in waiting), 0.0
    for training in waiting:
        part = part_of(progress, "training", done, training.images, total)
        scores[training.path] = training.run(machine, part, note)
        done += training.images
    for training in trainings.values():
        training.clear()
    progress("training", int(total), int(total), "images")
    return scores
