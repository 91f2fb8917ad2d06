"""What the operator's command runs: the server, and one job after another until all is settled.

FLARE ends a job when a site's process dies, forgets it when the server dies, and lets nobody join
a job that runs. The protocol can be stopped and taken up again at any time, so each of these costs
only a new job: it is submitted as soon as the last one has let go of the operator's directory.
"""

import threading
import time
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

from .....errors import DeploymentError, InputError
from .....io.folders import make_folder
from ....operator.directory import read_invitation
from ....operator.session import Paused
from ..guard import only_one
from ..job.definition import write_job
from ..kits.paths import server_workspace
from ..processes import told_to_end
from ..workspace import write_admin
from .admin import Admin, Unavailable
from .attendance import Attendance
from .notice import Board
from .server import Server
from .status import Status, supervise_lock, write_status

_LOOK = 0.5
_SETTLE = 5.0  # seconds for the sites to put the last job away


def supervise(
    directory: Path,
    quorum: int,
    finished: Callable[[], bool],
    progress: Callable[[], int],
    **options: Any,
) -> bool:
    """Supervise in the foreground of a command until the protocol is over; whether it is.

    It is not where SIGTERM or SIGINT came first.
    """
    with told_to_end() as told:
        Supervisor(directory, quorum, finished, progress, stop=told, **options).run()
    return finished()


class Supervisor:
    """Keeps the protocol going until ``finished`` says that it is over, or ``stop`` is set.

    ``progress`` is a number that grows as the protocol gets on: after ``tries`` jobs in a row in
    which it did not, ``run`` gives up. A job is submitted when all members are there, or after
    ``patience`` seconds when a quorum of them is; ``members``, where those are not all invited.
    ``missing`` are members that are all that the protocol still waits for, once it has come so far:
    jobs are then for them, and ``run`` returns when ``patience`` is over without any of them, or
    when one that was there could not be helped.
    ``show`` is called at every look, about twice a second; the last status is in ``status`` too.
    """

    def __init__(
        self,
        directory: Path,
        quorum: int,
        finished: Callable[[], bool],
        progress: Callable[[], int],
        *,
        members: AbstractSet[str] | None = None,
        missing: Callable[[], AbstractSet[str]] = frozenset,
        stop: threading.Event | None = None,
        show: Callable[[Status], None] = lambda status: None,
        patience: float = 60.0,
        tries: int = 5,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory, self._workspace = directory, server_workspace(directory)
        self._members, self._quorum = set(members or read_invitation(directory)[1]), quorum
        self._finished, self._progress, self._show = finished, progress, show
        self._missing = missing
        self._patience, self._tries = patience, tries
        self._server = Server(directory, environment)
        self._board, self._attendance = Board(self._workspace), Attendance(self._members)
        self._stop = stop or threading.Event()
        self.status = Status()

    def run(self) -> None:
        """Until the protocol is over. One process at a time may do it for a directory."""
        stuck, reached = 0, self._progress()
        make_folder(self._workspace)
        lock = only_one(
            supervise_lock(self._directory),
            f"{self._directory}: a start runs there already",
            "see fedfact federation status, or end it with stop",
        )
        with lock, Admin(write_admin(self._directory)) as admin, self._server:
            write_status(self._directory, self.status)
            while self._gather(admin):
                outcome, now = self._run_job(admin), self._progress()
                stuck, reached = (0, now) if now > reached else (stuck + 1, reached)
                if self._missing() and (stuck == self._tries or (stuck and outcome == "done")):
                    break  # those who were there could not be helped
                if stuck == self._tries and not self._over():
                    raise DeploymentError(
                        f"{self._directory}: the protocol did not get on in {stuck} jobs; see "
                        f"{self._workspace / 'flare.log'} for why, then start it again"
                    )
            self._put_away(admin)

    def _over(self) -> bool:
        return self._stop.is_set() or self._finished()

    def _gather(self, admin: Admin) -> bool:
        """Wait for all members, or for a quorum of them when patience is at its end; whether there
        is anything left to do for which members are there."""
        deadline = time.monotonic() + self._patience
        while not self._over():
            self._look(admin)
            missing = self._missing()
            wanted = (missing or self._members) - self._attendance.left_out
            there = self.status.registered & wanted
            late = time.monotonic() >= deadline
            if missing and not there and (late or not wanted):
                return False
            if there == wanted or (late and len(there) >= (1 if missing else self._quorum)):
                return True
            self._stop.wait(_LOOK)
        return False

    def _run_job(self, admin: Admin) -> str:
        """Submit a job and watch until the protocol has returned in it, or it is lost; how."""
        members = sorted(self._members - self._attendance.left_out)
        quorum = 1 if self._missing() else self._quorum
        folder = write_job(admin.workspace / "job", members, quorum)
        try:
            job = admin.submit(folder)
        except Unavailable:
            return "lost"
        self._tell(job=job, state="SUBMITTED", jobs=self.status.jobs + 1)
        self._attendance.begin(job)
        starts, before = self._server.starts, self._progress()
        while not self._stop.is_set() and self._board.outcome(job) is None:
            self._look(admin)
            if self._server.starts != starts or self.status.state.startswith("FINISHED"):
                break
            notice = self._attendance.news()
            if notice is not None:
                self._board.say(notice)
            self._stop.wait(_LOOK)
        self._attendance.close(got_on=self._progress() > before)
        outcome = self._board.outcome(job)
        if outcome is None:
            return "lost"
        if outcome.how in ("paused", "refused"):
            raise (Paused if outcome.how == "paused" else InputError)(outcome.words)
        return outcome.how

    def _look(self, admin: Admin) -> None:
        """See how things stand; start the server where there is none."""
        if not self._server.is_running():
            admin.close()
            self._server.start()
        job = self.status.job
        try:
            sites = admin.jobs()
            state = self.status.state if job is None else admin.state(job)
        except Unavailable:
            self._tell(server=False)
            return
        self._attendance.look(sites, running=state == "RUNNING")
        self._tell(
            server=True,
            registered=frozenset(name for name, jobs in sites.items() if "?" not in jobs),
            working=frozenset(name for name, jobs in sites.items() if job in jobs),
            left_out=frozenset(self._attendance.left_out),
            state=state,
        )

    def _tell(self, **changes: Any) -> None:
        before, self.status = self.status, replace(self.status, **changes)
        if self.status != before:
            write_status(self._directory, self.status)
        self._show(self.status)

    def _put_away(self, admin: Admin) -> None:
        """Have the sites end the last job, so that none is found in it later."""
        job, deadline = self.status.job, time.monotonic() + _SETTLE
        try:
            if job is not None and self._board.outcome(job) is None:
                admin.abort(job)
            while self._server.is_running() and time.monotonic() < deadline:
                if not any(admin.jobs().values()):
                    return
                time.sleep(_LOOK / 2)
        except Unavailable:
            return
