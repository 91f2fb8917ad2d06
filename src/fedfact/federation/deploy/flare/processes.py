"""The server and the sites as children of a command in the foreground.

A child's output goes to ``flare.log`` in its workspace, beside FLARE's own logs. A child that is
told to end takes its jobs along; one whose command was killed ends by itself within a second, and
so do its jobs (see ``guard``). A new one waits for that: no file has to be removed by hand.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Literal

from ....errors import DeploymentError, InputError
from ....io.files import log_line, reason
from ....io.folders import make_folder
from .guard import command, end_with_below, only_one
from .job.environment import DIRECTORY
from .kits.certificates import SERVER
from .kits.kit import Kit
from .kits.paths import require_flare, site_workspace
from .presence import TAKEN
from .site.admission import why_not_admitted
from .workspace import write_server, write_site

_LOOK = 0.5
_ASK_AGAIN = 2.0
_SHORT, _PAUSE = 10.0, 3.0  # after a run shorter than this many seconds, wait so long


class FlareProcess:
    """A running server or site."""

    def __init__(
        self,
        kind: Literal["server", "client"],
        name: str,
        workspace: Path,
        directory: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        require_flare()
        self.workspace = workspace.absolute()
        self.name = name
        variables = {
            **os.environ,
            DIRECTORY: str(directory.absolute()),
            "NVFLARE_CLIENT_OUTCOME_WAIT_TIMEOUT": "5",
            **(environment or {}),
        }
        with _log(self.workspace / "flare.log") as log:
            self._process = subprocess.Popen(
                command(kind, str(self.workspace), self.name),
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


def start_server(directory: Path, environment: Mapping[str, str] | None = None) -> FlareProcess:
    """Start the server for the operator whose directory this is."""
    return FlareProcess("server", SERVER, write_server(directory), directory, environment)


def start_site(
    kit: Kit, directory: Path, environment: Mapping[str, str] | None = None
) -> FlareProcess:
    """Start the site of the member whose directory this is."""
    return FlareProcess("client", kit.member, write_site(directory, kit), directory, environment)


def run_site(
    kit: Kit,
    directory: Path,
    finished: Callable[[], bool] = lambda: False,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a site until the command is told to end or ``finished``; start it anew when it dies.

    One process at a time may do it in a directory. Where no server is yet, it waits for one; what
    trying again cannot mend is an error.
    """
    workspace = site_workspace(directory)
    make_folder(workspace)
    lock = only_one(
        workspace / "site.lock", f"{directory}: a join runs there already", "end that one first"
    )
    with lock, told_to_end() as told:
        while _await_server(kit, directory, told, finished):
            site, started = start_site(kit, directory, environment), time.monotonic()
            try:
                while site.is_running() and not finished() and not told.wait(_LOOK):
                    pass
            finally:
                site.stop()
            if site.wait() == TAKEN:
                raise DeploymentError(
                    f"{kit.server}: another site with this member's key and certificate is "
                    "connected there and keeps its place; end one of the two (member.log says "
                    "where it is)"
                )
            if time.monotonic() - started < _SHORT:
                told.wait(_PAUSE)


def _await_server(
    kit: Kit, directory: Path, told: threading.Event, finished: Callable[[], bool]
) -> bool:
    """Ask until the server lets this member in; False where the command is to end before."""
    said, log = None, directory / "member.log"
    while not told.is_set() and not finished():
        why = why_not_admitted(kit, directory, partial(log_line, log))
        if why is None:
            return True
        if why != said:
            log_line(log, f"{why}; trying again until it does")
            said = why
        told.wait(_ASK_AGAIN)
    return False


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
