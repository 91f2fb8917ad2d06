"""The operator's line to the running server: who is there, submit, look, abort."""

import json
import select
import subprocess
from pathlib import Path
from typing import Any, Self

from ..guard import command

_PATIENCE = 20.0  # seconds for an answer
_END = 2.0


class Unavailable(Exception):  # noqa: N818  (no error: ask again)
    """The server does not answer now; it may later."""


class Admin:
    """A session with the server (see ``admin_session``), opened when it is needed, always closed.

    Whatever goes wrong is ``Unavailable``: the caller looks whether the server runs, and asks anew.
    """

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace.absolute()
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            process.communicate(timeout=_END)  # it logs out when there is nothing more to read
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

    def registered(self) -> set[str]:
        """Members whose sites are connected, or were a moment ago."""
        return set(self._ask("registered"))

    def jobs(self) -> dict[str, set[str]]:
        """The jobs that each connected site runs; '?' for a site that does not answer."""
        found: dict[str, set[str]] = {}
        for member, job in self._ask("jobs"):
            found.setdefault(member, set()).update({job} - {""})
        return found

    def submit(self, folder: Path) -> str:
        """Hand in a job; its id."""
        return str(self._ask("submit", str(folder.absolute())))

    def state(self, job: str) -> str:
        """FLARE's word for how far a job is, such as RUNNING or FINISHED:COMPLETED."""
        return str(self._ask("state", job))

    def abort(self, job: str) -> None:
        """End a job, if it is not over."""
        self._ask("abort", job)

    def _ask(self, *request: str) -> Any:
        if self._process is None:
            self._process = self._open()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
            line = process.stdout.readline() if ready else ""
        except OSError:
            line = ""
        if not line:
            process.kill()
            self.close()
            raise Unavailable("the server does not answer; see flare/admin/admin.log")
        return json.loads(line)

    def _open(self) -> subprocess.Popen[str]:
        with (self.workspace / "admin.log").open("ab") as log:
            return subprocess.Popen(
                command("session", str(self.workspace)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
