"""Both trainings of a job, with checkpoints and results in one directory."""

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import torch

from ..files import alone, clear_torn, reason, write_whole
from ..mechanism import InputError
from ..progress import Report, silent
from .algorithm import check_every, train_federated, train_local
from .checkpoint import Checkpoint
from .engine import Machine
from .job import Job
from .summary import summary

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


def run(
    job: Job,
    machine: Machine,
    *,
    only: Literal["local", "federated"] | None = None,
    every: int = 1,
    output: Path | None = None,
    save_every: int = 1,
    report: Report = silent,
    note: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Train every agent alone and all together, and sum it up.

    ``output`` is a directory for ``summary.json``, the federated model (``model.pt``, a state dict)
    and the checkpoints; what is finished there is not done again, and is summed up with the rest.
    """
    check(every, save_every, output)
    about = machine.describe(job)
    wanted = {"local": only != "federated", "federated": only != "local"}
    with ExitStack() as stack:
        kept: dict[str, Checkpoint] = {}
        if output is not None:
            stack.enter_context(alone(output, wait=False))
            for kind in wanted:
                path = output / f"{kind}.checkpoint"
                whose = {"training": kind, **about, "epochs between tests": every}
                kept[kind] = Checkpoint(path, whose, save_every, note)
            finished = {kind: checkpoint.is_finished() for kind, checkpoint in kept.items()}
            wanted = {kind: wanted[kind] or finished[kind] for kind in wanted}
            for name in FILES:
                clear_torn(output / name)
        options: dict[str, Any] = {"every": every, "report": report}
        local = federated = None
        if wanted["local"]:
            local = train_local(job, machine, checkpoint=kept.get("local"), **options)
        if wanted["federated"]:
            federated = train_federated(job, machine, checkpoint=kept.get("federated"), **options)
        result = summary(about, job, federated, local)
        if output is not None:
            if federated is not None:
                model = io.BytesIO()
                torch.save(federated.weights, model)
                write_whole(output / "model.pt", model.getvalue())
            write_whole(output / "summary.json", json.dumps(result, indent=2).encode())
    return result
