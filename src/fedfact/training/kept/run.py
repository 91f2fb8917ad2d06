"""Both trainings of a job, with checkpoints and results in one directory."""

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from ...errors import InputError
from ...io.files import alone, clear_torn, reason, write_whole
from ...io.folders import refuse_links
from ...progress import Progress, silent
from ..algorithm import Federated, check_every
from ..engines.engine import Machine
from ..job import Job
from .summary import summary
from .training import Kind, Resumable

FILES = ("local.checkpoint", "federated.checkpoint", "model.pt", "summary.json")


def check(every: int, save_every: int, output: Path | None) -> None:
    """Refuse, before any work, what ``run`` could not do; make the directory of the results."""
    check_every(every)
    if save_every < 1:
        raise InputError(f"checkpoints are to be {save_every} epochs apart; take 1 or more")
    if output is None:
        return
    try:
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        raise InputError(
            f"{output}: cannot be written to ({reason(error)}); name another directory"
        ) from None
    for name in FILES:
        if (output / name).is_dir():
            raise InputError(f"{output / name}: is a directory; remove it, or name another one")
    refuse_links(output, FILES)


def run(
    job: Job,
    machine: Machine,
    *,
    only: Kind | None = None,
    every: int = 1,
    output: Path | None = None,
    save_every: int = 1,
    progress: Progress = silent,
    note: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Train every agent alone and all together, and sum it up.

    ``output`` is a directory for ``summary.json``, the federated model (``model.pt``, a state dict)
    and the checkpoints; what is finished there is not done again, and is summed up with the rest.
    """
    check(every, save_every, output)
    about = machine.describe(job)
    kinds: tuple[Kind, ...] = ("local", "federated")
    places = {} if output is None else {kind: output / f"{kind}.checkpoint" for kind in kinds}
    whose = {**about, "epochs between tests": every}
    training = Resumable(job, machine, whose, every, places, save_every, note=note)
    with ExitStack() as stack:
        if output is not None:
            stack.enter_context(alone(output, wait=False))
            for name in FILES:
                clear_torn(output / name)
        finished = training.finished()
        halves = {
            kind: training.train(kind, progress)
            for kind in kinds
            if only in (None, kind) or finished.get(kind)
        }
        local, together = halves.get("local"), halves.get("federated")
        federated = None
        if together is not None and together.weights is not None:
            federated = Federated(together.curves[0], together.weights)
        result = summary(about, job, federated, None if local is None else local.curves)
        if output is not None:
            if federated is not None:
                model = io.BytesIO()
                torch.save(federated.weights, model)
                write_whole(output / "model.pt", model.getvalue())
            write_whole(output / "summary.json", json.dumps(result, indent=2).encode())
    return result
