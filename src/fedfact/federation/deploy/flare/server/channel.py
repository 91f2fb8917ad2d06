"""The transport over FLARE: one task of its own for each member asked.

FLARE's sites ask the server for work, many times a second. A task waits at the server until its
member asks, goes out, and its result comes back on another thread. The deadline is kept here: when
it has passed, the task is cancelled and the member counts as silent. Any later request for work
shows that it is there again, done with what it was late with, and it may be asked anew.
"""

import threading
import time
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from nvflare.apis.controller_spec import ClientTask, Task
from nvflare.apis.fl_context import FLContext
from nvflare.apis.impl.controller import Controller
from nvflare.apis.signal import Signal

from ....wire.transport import Failure, Stopped
from ..job.payload import pack, unpack
from .notice import Board

_LOOK = 0.1  # seconds between looks at the abort signal and the notices


class FlareTransport:
    """Asks the members that take part in one job."""

    def __init__(
        self,
        controller: Controller,
        fl_ctx: FLContext,
        abort: Signal,
        members: set[str],
        board: Board,
    ) -> None:
        self._controller, self._fl_ctx, self._abort = controller, fl_ctx, abort
        self._board, self._job = board, str(fl_ctx.get_job_id())
        self._members = frozenset(members)
        self._silent = set(members)  # until something is heard from them
        self._gone: set[str] = set()
        self._to_end = False
        self._changed = threading.Condition()

    def heard(self, member: str) -> None:
        """The member has asked for work: it may be asked."""
        if member in self._silent:
            with self._changed:
                self._silent.discard(member)
                self._gone.discard(member)
                self._changed.notify_all()

    def lost(self, member: str) -> None:
        """The member's process in this job is known to have ended."""
        with self._changed:
            self._silent.add(member)
            self._gone.add(member)
            self._changed.notify_all()

    def reachable(self) -> set[str]:
        """Members that may be asked now: one that timed out may not, until it is heard again."""
        with self._changed:
            return set(self._members - self._silent)

    def wait_for(self, members: AbstractSet[str], timeout: float) -> AbstractSet[str]:
        """Wait for those that are slow. Only the next job reaches those that this one has lost, and
        those that came too late for it."""
        self._read_notice()
        self._wait(lambda: not members & self._members & self._silent - self._gone, timeout)
        with self._changed:
            return members & self._gone & (members if self._to_end else self._members)

    def gather(self, timeout: float) -> None:
        """Wait until all members of the job have been heard from, at most so long."""
        self._wait(lambda: not self._silent - self._gone, timeout)

    def ask(
        self, kind: str, requests: Mapping[str, bytes], timeout: float
    ) -> dict[str, bytes | Failure]:
        """Send each named member its request; return when all have answered or time is up.

        Told to end the job, it stops here, before anything is sent: between two rounds.
        """
        self._read_notice()
        if self._to_end:
            raise Stopped
        asked = self.reachable() & requests.keys()
        answers: dict[str, bytes | Failure] = {
            member: Failure("unreachable", "not in this job, or not heard from since it timed out")
            for member in requests.keys() - asked
        }
        tasks = {member: self._send(kind, member, requests[member], answers) for member in asked}
        try:
            self._wait(lambda: tasks.keys() <= answers.keys() | self._gone, timeout)
        finally:
            late = self._close(asked, answers, f"no reply to {kind} in {timeout:g} seconds")
            for member in late:
                self._controller.cancel_task(tasks[member], fl_ctx=self._fl_ctx)
        return {member: answers[member] for member in requests}

    def _close(self, asked: set[str], answers: dict[str, bytes | Failure], words: str) -> set[str]:
        """Take no more answers: whoever has given none by now is late, and silent."""
        with self._changed:
            late = asked - answers.keys()
            for member in late:
                answers[member] = (
                    Failure("unreachable", "its process has ended")
                    if member in self._gone
                    else Failure("timeout", words)
                )
            self._silent |= late
        return late

    def _send(
        self, kind: str, member: str, request: bytes, answers: dict[str, bytes | Failure]
    ) -> Task:
        def received(client_task: ClientTask, fl_ctx: FLContext) -> None:
            answer = unpack(client_task.result)
            client_task.result = None  # it may be large, and FLARE keeps the task for a while
            with self._changed:
                answers.setdefault(member, answer)
                self._changed.notify_all()

        task = Task(name=kind, data=pack(request), result_received_cb=received)
        self._controller.send(task=task, fl_ctx=self._fl_ctx, targets=[member])
        return task

    def _wait(self, until: Callable[[], bool], timeout: float) -> None:
        deadline = time.monotonic() + timeout
        with self._changed:
            while not until():
                if self._abort.triggered:
                    raise Stopped
                left = deadline - time.monotonic()
                if left <= 0:
                    return
                self._changed.wait(min(left, _LOOK))
                self._read_notice()

    def _read_notice(self) -> None:
        notice = self._board.news(self._job)
        if notice is not None:
            self._to_end = self._to_end or notice.end
            for member in notice.gone:
                self.lost(member)
