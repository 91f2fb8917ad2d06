"""A training that is done once and kept in a file, never to be done again.

While it goes on, each half (every agent alone, and all together) has a checkpoint, from which a
training that was killed goes on. What is kept when it is over is a JSON document, with the words
that tell this training from any other beside it: no file is ever taken for another training's.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError
from ...io import limits
from ...io.files import clear_torn, reason, write_whole
from ...io.regular import read_bytes
from ...progress import Progress, silent
from ..agent import Weights
from ..algorithm import train_federated, train_local
from ..checkpoint import Checkpoint
from ..curve import TrainingCurve
from ..engines.engine import Machine
from ..job import Job

Kind = Literal["local", "federated"]
"""Every agent alone, or all together."""

PAUSE = 120.0
"""Seconds between two checkpoints of a training that is kept: what a kill loses at most, or an
epoch if that is more."""

_AGAIN = "delete it to train it again"


@dataclass(frozen=True)
class Half:
    """One kind of training, done: its test scores, how long it took, and the server's model.

    There is a curve for each agent alone, and a single one for all together.
    """

    curves: list[TrainingCurve]
    seconds: float
    weights: Weights | None = None


@dataclass(frozen=True, eq=False)
class Resumable:
    """The trainings of a job, each with a checkpoint at its place if it has one.

    ``about`` is all that tells the job's training from any other, and ``every`` the epochs between
    two tests.
    """

    job: Job
    machine: Machine
    about: dict[str, Any]
    every: int
    places: Mapping[Kind, Path]
    save_every: int = 1
    pause: float = 0.0
    note: Callable[[str], None] = lambda text: None

    def finished(self) -> dict[Kind, bool]:
        """Which trainings are over; what killed writers left is removed, another's is refused."""
        for place in self.places.values():
            clear_torn(place)
        return {kind: self._checkpoint(kind).is_finished() for kind in self.places}

    def train(self, kind: Kind, progress: Progress = silent) -> Half:
        """Train from the start, or from the checkpoint; a finished training is read from it."""
        checkpoint = self._checkpoint(kind) if kind in self.places else None
        options: dict[str, Any] = {
            "every": self.every,
            "checkpoint": checkpoint,
            "progress": progress,
        }
        start = time.monotonic()
        if kind == "local":
            curves = train_local(self.job, self.machine, **options)
            return Half(curves, time.monotonic() - start)
        together = train_federated(self.job, self.machine, **options)
        return Half([together.curve], time.monotonic() - start, together.weights)

    def _checkpoint(self, kind: Kind) -> Checkpoint:
        about = {"training": kind, **self.about}
        return Checkpoint(self.places[kind], about, self.save_every, self.note, pause=self.pause)


def keep(path: Path, about: dict[str, Any], content: dict[str, Any]) -> None:
    """Write what a finished training came to, whole or not at all."""
    write_whole(path, json.dumps({"about": about, **content}).encode())


def read_kept(path: Path, command: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What tells a kept training from others, and what it came to; ``command`` wrote it."""
    try:
        data = read_bytes(path, limits.KEPT)
    except OSError as error:
        wanted = f"give the file that `{command}` wrote"
        raise InputError(f"{path}: cannot be read ({reason(error)}); {wanted}") from None
    try:
        content = dict(json.loads(data))
        return dict(content.pop("about")), content
    except (KeyError, TypeError, ValueError, RecursionError):
        raise damaged(path) from None


def damaged(path: Path) -> InputError:
    """The refusal of a file that is not what was kept."""
    return InputError(f"{path}: is damaged; {_AGAIN}")


def clear(path: Path, places: Mapping[Kind, Path]) -> None:
    """Remove what a finished training no longer needs, and what killed ones left."""
    clear_torn(path)
    for place in places.values():
        place.unlink(missing_ok=True)
