"""The server and the sites as children of a command in the foreground.

A child's output goes to ``flare.log`` in its kit, beside FLARE's own logs. A child that is told to
end takes its jobs along; one whose command was killed ends by itself within a second, and so
do its jobs (see ``guard``). A new one waits for that: no file has to be removed by hand.
"""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Literal

from ....errors import InputError
from ....io.files import read_text, reason
from .guard import command, end_with_below, only_one
from .job.environment import DIRECTORY
from .kits.lock_down import keep_jobs
from .kits.paths import require_flare

_LOOK = 0.5
_SHORT, _PAUSE = 10.0, 3.0  # after a run shorter than this many seconds, wait so long


class FlareProcess:
    """A running server or site."""

    def __init__(
        self,
        kind: Literal["server", "client"],
        kit: Path,
        directory: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        require_flare()
        self.kit = kit.absolute()
        self.name = _name(self.kit, kind)
        variables = {
            **os.environ,
            DIRECTORY: str(directory.absolute()),
            "NVFLARE_CLIENT_OUTCOME_WAIT_TIMEOUT": "5",
            **(environment or {}),
        }
        with _log(self.kit / "flare.log") as log:
            self._process = subprocess.Popen(
                command(kind, str(self.kit), self.name),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=variables,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, when it has ended."""
        return self._process.wait(timeout)

    def stop(self) -> None:
        """End it and its jobs; the jobs go on elsewhere."""
        if self.is_running():
            end_with_below(self.pid)
        self._process.wait()


def start_server(
    kit: Path, directory: Path, environment: Mapping[str, str] | None = None
) -> FlareProcess:
    """Start the server for the operator whose directory this is."""
    keep_jobs(kit.absolute())
    return FlareProcess("server", kit, directory, environment)


def start_site(
    kit: Path, directory: Path, environment: Mapping[str, str] | None = None
) -> FlareProcess:
    """Start the site of the agent whose directory this is."""
    return FlareProcess("client", kit, directory, environment)


def run_site(
    kit: Path,
    directory: Path,
    finished: Callable[[], bool] = lambda: False,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a site until the command is told to end or ``finished``; start it anew when it dies.

    One process at a time may do it for a kit.
    """
    _name(kit, "client")
    lock = only_one(
        kit / "site.lock", f"{kit}: a join runs with this kit already", "end that one first"
    )
    with lock, told_to_end() as told:
        while not told.is_set() and not finished():
            site, started = start_site(kit, directory, environment), time.monotonic()
            try:
                while site.is_running() and not finished() and not told.wait(_LOOK):
                    pass
            finally:
                site.stop()
            if time.monotonic() - started < _SHORT:
                told.wait(_PAUSE)


@contextmanager
def told_to_end() -> Iterator[threading.Event]:
    """Set when SIGTERM or SIGINT comes, instead of what these do otherwise."""
    told = threading.Event()

    def tell(number: int, frame: FrameType | None) -> None:
        told.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _log(path: Path) -> IO[bytes]:
    try:
        return path.open("ab")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({reason(error)})") from None


def _name(kit: Path, kind: str) -> str:
    """Whose kit it is, by what it says itself."""
    path = kit / "startup" / f"fed_{kind}.json"
    wanted = "the directory of a kit that fedfact federation init made"
    try:
        settings = json.loads(read_text(path, wanted))
        return "server" if kind == "server" else str(settings["client"]["fqsn"])
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: is damaged; give {wanted}") from None
