"""How a supervised federation stands: for the live view, and in a file for other commands."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from .....errors import InputError
from .....io.files import alone, read_text, reason, write_json
from ..kits.paths import server_workspace

_CLOCK = 2.0  # seconds by which the system may err in when a process began


@dataclass(frozen=True, slots=True)
class Status:
    """``registered``: members whose sites answer; ``working``: those that take part in the job.

    ``left_out``: those whose sites could not run it. ``state`` is FLARE's word for the job, such as
    RUNNING or FINISHED:COMPLETED; ``jobs`` counts how many there were.
    """

    server: bool = False
    registered: frozenset[str] = frozenset()
    working: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    job: str | None = None
    state: str = "none yet"
    jobs: int = 0


def supervise_lock(directory: Path) -> Path:
    """What the process that supervises a directory holds."""
    return server_workspace(directory) / "supervise.lock"


def write_status(directory: Path, status: Status) -> None:
    """Leave word of how things stand, and which process sees to them."""
    document = {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in asdict(status).items()
    }
    own = psutil.Process()
    write_json(_path(directory), {"pid": own.pid, "since": own.create_time(), **document})


def read_status(directory: Path) -> tuple[psutil.Process | None, Status] | None:
    """The process that supervises this directory now, and what it said last; None if none does.

    Where what was said last is not of a process that runs, which one does it cannot be told.
    """
    lock = supervise_lock(directory)
    if not lock.exists():
        return None
    try:
        with alone(lock, wait=False):
            return None
    except OSError as error:
        raise InputError(f"{lock}: cannot be read ({reason(error)})") from None
    except InputError:
        pass
    try:
        said = json.loads(read_text(_path(directory), "what start wrote"))
        pid, since = int(said.pop("pid")), float(said.pop("since"))
        for name in ("registered", "working", "left_out"):
            said[name] = frozenset(said[name])
        return _process(pid, since), Status(**said)
    except (OSError, ValueError, KeyError, TypeError):
        return None, Status()


def _process(pid: int, since: float) -> psutil.Process | None:
    """The process of this number, if it is the one that began then and no later one."""
    try:
        found = psutil.Process(pid)
        return found if abs(found.create_time() - since) < _CLOCK else None
    except psutil.Error:
        return None


def _path(directory: Path) -> Path:
    return server_workspace(directory) / "status.json"
