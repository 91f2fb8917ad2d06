"""The operator's side: one FLARE controller that runs the whole protocol.

It takes no arguments: the operator's directory, where everything durable lies, comes from the
environment of the server. A job may be ended and submitted anew at any time; the protocol goes on
from what the directory holds.
"""

import threading
from pathlib import Path
from typing import Literal

from nvflare.apis.client import Client
from nvflare.apis.event_type import EventType
from nvflare.apis.fl_constant import FLContextKey
from nvflare.apis.fl_context import FLContext
from nvflare.apis.impl.controller import Controller
from nvflare.apis.shareable import Shareable
from nvflare.apis.signal import Signal

from .....errors import FedfactError
from ....operator.session import Paused
from ....wire.transport import Stopped
from ..guard import hold
from ..job.environment import OPERATE, directory, entry_point
from .channel import FlareTransport
from .notice import Board, Outcome

_GATHER = 30.0  # seconds that the members of a job have to appear in it


class OperatorController(Controller):  # type: ignore[misc]
    """Hands the protocol a transport over the members of this job."""

    def __init__(self) -> None:
        super().__init__()
        self._transport: FlareTransport | None = None
        # What the protocol needs is imported while the members connect.
        threading.Thread(target=entry_point, args=(OPERATE,), daemon=True).start()

    def start_controller(self, fl_ctx: FLContext) -> None:
        """Nothing to prepare: ``control_flow`` does it all."""

    def stop_controller(self, fl_ctx: FLContext) -> None:
        """Nothing to put away."""

    def process_result_of_unknown_task(
        self,
        client: Client,
        task_name: str,
        client_task_id: str,
        result: Shareable,
        fl_ctx: FLContext,
    ) -> None:
        """Too late: the reply is not used, but its member is there."""
        if self._transport is not None:
            self._transport.heard(client.name)

    def handle_event(self, event_type: str, fl_ctx: FLContext) -> None:
        """Notice who asks for work and who is gone."""
        if self._transport is None:
            return
        if event_type == EventType.BEFORE_PROCESS_TASK_REQUEST:
            self._transport.heard(fl_ctx.get_peer_context().get_identity_name())
        elif event_type == EventType.CLIENT_DISCONNECTED:
            self._transport.lost(fl_ctx.get_prop(FLContextKey.DISCONNECTED_CLIENT_NAME))

    def control_flow(self, abort_signal: Signal, fl_ctx: FLContext) -> None:
        """Run the protocol from where it is to its end, or until the job is to end."""
        workspace, job = Path(fl_ctx.get_workspace().get_root_dir()), str(fl_ctx.get_job_id())
        board = Board(workspace)
        release = hold(workspace, "job")
        try:
            members = {client.name for client in fl_ctx.get_engine().get_clients()}
            self._transport = FlareTransport(self, fl_ctx, abort_signal, members, board)
            self._transport.gather(_GATHER)
            entry_point(OPERATE)(directory(), self._transport)
            board.report(Outcome(job, "done"))
        except Stopped:
            self.log_info(fl_ctx, "told to stop; the protocol goes on in the next job")
            board.report(Outcome(job, "stopped"))
        except Exception as error:
            self.log_exception(fl_ctx, "the protocol failed", fire_event=False)
            board.report(Outcome(job, _how(error), str(error)))
            self.system_panic("the protocol failed", fl_ctx)
        finally:
            release()


def _how(error: Exception) -> Literal["paused", "refused", "failed"]:
    """How the protocol has returned that raised this."""
    if isinstance(error, Paused):
        return "paused"
    return "refused" if isinstance(error, FedfactError) else "failed"
