"""The member's side: FLARE hands over a task, the member's own code answers it.

This is the one class that a member's site lets a job build (see ``workspace``). It takes no
arguments: which member answers, and with what code, is the member's own affair.
"""

import os
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

from nvflare.apis.event_type import EventType
from nvflare.apis.executor import Executor
from nvflare.apis.fl_context import FLContext
from nvflare.apis.shareable import Shareable
from nvflare.apis.signal import Signal

from .....errors import FedfactError
from .....io.files import log_line
from ....wire.transport import Failure
from ..guard import hold
from ..job.environment import DIRECTORY, OPEN_MEMBER, directory, entry_point
from ..job.payload import pack, pack_error, unpack


class MemberExecutor(Executor):  # type: ignore[misc]
    """Opens the member when the first task comes and lets it answer this and all others."""

    def __init__(self) -> None:
        super().__init__()
        self._handle: Callable[[str, bytes], bytes] | None = None
        self._release: Callable[[], None] = lambda: None
        # PyTorch is imported while FLARE waits for its connections.
        threading.Thread(target=entry_point, args=(OPEN_MEMBER,), daemon=True).start()

    def handle_event(self, event_type: str, fl_ctx: FLContext) -> None:
        """At the start take the workspace for this job; at the end let go of it."""
        if event_type == EventType.START_RUN:
            self._release = hold(Path(fl_ctx.get_workspace().get_root_dir()), "job")
        elif event_type == EventType.END_RUN:
            self._release()

    def execute(
        self, task_name: str, shareable: Shareable, fl_ctx: FLContext, abort_signal: Signal
    ) -> Shareable:
        """The member's reply.

        Of an exception the operator learns only whether the member refused or failed; the words,
        which may be about its data, stay in ``member.log``.
        """
        request = unpack(shareable)
        if isinstance(request, Failure):
            return pack_error(request.detail)
        try:
            if self._handle is None:
                self._handle = entry_point(OPEN_MEMBER)(directory())
            return pack(self._handle(task_name, request))
        except Exception as error:
            words = f"the member gave no answer to {task_name}; see member.log"
            self.log_error(fl_ctx, words, fire_event=False)
            return pack_error(_told(task_name, error, opened=self._handle is not None))


def _told(task: str, error: Exception, *, opened: bool) -> str:
    """The class of a failure, once its words are in the member's own log.

    A member that could be opened has told of its refusal there itself.
    """
    log = Path(os.environ.get(DIRECTORY, "")) / "member.log"
    if isinstance(error, FedfactError):
        if not opened:
            log_line(log, f"refused {task}: {error}")
        return "refused"
    log_line(log, f"failed in {task}: {type(error).__name__}: {error}")
    for line in "".join(traceback.format_exception(error)).splitlines():
        log_line(log, f"| {line}")
    return "failed"
