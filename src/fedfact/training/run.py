"""Both trainings of a job, with checkpoints and results in one directory."""

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import torch

from ..files import write_whole
from ..mechanism import InputError
from ..progress import Report, silent
from .algorithm import train_federated, train_local
from .checkpoint import Checkpoint
from .engine import Machine
from .job import Job
from .summary import summary

FILES = ("local.checkpoint", "federated.checkpoint", "model.pt", "summary.json")


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
    and the checkpoints; what is finished there is not done again.
    """
    if save_every < 1:
        raise InputError(f"checkpoints are to be {save_every} epochs apart; take 1 or more")
    checkpoints: dict[str, Checkpoint] = {}
    if output is not None:
        _make_directory(output)
        about = {**job.describe(), "arithmetic": machine.arithmetic, "epochs between tests": every}
        for kind in ("local", "federated"):
            path = output / f"{kind}.checkpoint"
            checkpoints[kind] = Checkpoint(path, {"training": kind, **about}, save_every, note)
    options: dict[str, Any] = {"every": every, "report": report}
    local = federated = None
    if only != "federated":
        local = train_local(job, machine, checkpoint=checkpoints.get("local"), **options)
    if only != "local":
        federated = train_federated(
            job, machine, checkpoint=checkpoints.get("federated"), **options
        )
    result = summary(job, machine, federated, local)
    if output is not None:
        if federated is not None:
            model = io.BytesIO()
            torch.save(federated.weights, model)
            write_whole(output / "model.pt", model.getvalue())
        write_whole(output / "summary.json", json.dumps(result, indent=2).encode())
    return result


def _make_directory(output: Path) -> None:
    """Make the directory of the results, or say now why they could not be written in the end."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise InputError(
            f"{output}: cannot be written to ({reason}); name another directory"
        ) from None
    for name in FILES:
        if (output / name).is_dir():
            raise InputError(f"{output / name}: is a directory; remove it, or name another one")
        for torn in output.glob(f".{name}.*"):  # left by a process that was killed while it wrote
            torn.unlink()
