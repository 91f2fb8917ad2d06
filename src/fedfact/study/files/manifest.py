"""On what a study was run: versions, commit, hardware, time. Not part of its results."""

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...errors import InputError
from ...training import Machine
from .directory import read_json

_LIBRARIES = ("numpy", "scipy", "torch", "scikit-learn", "pyarrow", "matplotlib")


def manifest(
    path: Path,
    command: str,
    machine: Machine,
    seeds: list[int],
    seconds: dict[str, dict[str, float]],
    *,
    now: bool,
    same: bool,
) -> dict[str, Any]:
    """The manifest; ``seconds`` are those of each training.

    Where nothing was trained ``now``, what the last manifest in ``path`` says of the machine stays;
    so does its command where the finished study is the ``same``, and ``trained_by`` tells it where
    it is not.
    """
    made = {
        "command": command,
        "fedfact": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        **{name: _version(name) for name in _LIBRARIES},
        "device": machine.arithmetic,
        "hardware": _hardware(machine),
        "seeds": seeds,
        "seconds": seconds,
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    last = {} if now else _last(path)
    kept = {**made, **last, "seeds": seeds, "seconds": seconds}
    if last and not same:
        kept |= {"trained_by": last.get("trained_by", last.get("command")), "command": command}
    return kept


def _last(path: Path) -> dict[str, Any]:
    """What a manifest says, or nothing if it is none."""
    try:
        last = read_json(path)
    except InputError:
        return {}
    return last if isinstance(last, dict) else {}


def _version(library: str) -> str | None:
    """Of a library, where it is installed: a study can be run without those that draw."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None


def _hardware(machine: Machine) -> dict[str, Any]:
    there: dict[str, Any] = {"system": platform.platform(), "processors": os.cpu_count()}
    if machine.device == "cuda":
        import torch

        there["gpu"] = torch.cuda.get_device_name()
    return there


def _commit() -> str | None:
    """The commit of our own source, marked where the source differs from it; None without git."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        changed = subprocess.run([*git, "status", "--porcelain", "."], capture_output=True)
    except OSError:
        return None
    if head.returncode:
        return None
    return head.stdout.strip() + (" with changes" if changed.stdout else "")
