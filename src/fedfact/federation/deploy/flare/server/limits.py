"""What a member's word cannot do at the server: speak for another, or end a job for all.

FLARE's server believes the name that a member gives of itself inside a message, and lets any
site's failure, or a result that cannot be read, end the job for everybody. Here a member that
fails, or says so, is lost to the job alone: the protocol knows what to do without it.
"""

import time
from typing import Any

from ..patches import patch

_SERVER = "nvflare.private.fed.server"


def impose() -> None:
    """Have FLARE's server, in this process, keep to it."""
    agent = f"{_SERVER}.server_command_agent:ServerCommandAgent"
    patch(f"{agent}._execute_command", ("self", "request"), _in_its_own_name)
    patch(f"{agent}._aux_communicate", ("self", "request"), _in_its_own_name)
    manager = f"{_SERVER}.client_manager:ClientManager"
    patch(f"{manager}._set_client_props", ("client", "fqcn", "fl_ctx"), _as_certified)
    failure = f"{_SERVER}.fed_server:FederatedServer.process_job_failure"
    patch(failure, ("self", "request"), _for_itself)
    start = ("replies", "client_sites", "command", "strict")
    patch(f"{_SERVER}.job_runner:check_client_replies", start, _without_it)
    result = ("self", "client", "task_name", "task_id", "result", "fl_ctx")
    runner = f"{_SERVER}.server_runner:ServerRunner"
    patch(f"{runner}._process_submission", result, _never_fatal)
    streams = "nvflare.fuel.f3.streaming.byte_streamer:ByteStreamer"
    ack = f"{streams}._ack_handler"
    patch(ack, ("message",), lambda theirs: staticmethod(_of_its_own_stream(theirs)))
    patch(f"{streams}._error_handler", ("self", "message"), _of_its_own_stream)
    job = "nvflare.fuel.f3.cellnet.cell:_is_server_job_cell"
    patch(job, ("my_info",), lambda theirs: _never)


def _in_its_own_name(process: Any) -> Any:
    """Refuse a request that says inside to be from another than the server has let through."""
    from nvflare.apis.fl_constant import ReservedKey
    from nvflare.apis.fl_context import FLContext
    from nvflare.apis.shareable import Shareable
    from nvflare.fuel.f3.cellnet.defs import MessageHeaderKey, ReturnCode
    from nvflare.fuel.f3.cellnet.utils import make_reply
    from nvflare.private.defs import CellMessageHeaderKeys

    def is_of(member: str, data: Any, client: Any) -> bool:
        if not isinstance(data, Shareable) or (client is not None and client.name != member):
            return False
        peer, props = data.get_peer_context(), data.get_peer_props()
        said = [peer.get_identity_name()] if isinstance(peer, FLContext) else []
        said += [props.get(ReservedKey.IDENTITY_NAME)] if isinstance(props, dict) else []
        return bool(said) and all(name == member for name in said)

    def checked(agent: Any, request: Any) -> Any:
        member = request.get_header(MessageHeaderKey.ORIGIN).partition(".")[0]
        if member != "server":
            client = agent._get_client(request.get_header(CellMessageHeaderKeys.TOKEN))
            if not is_of(member, request.payload, client):
                return make_reply(ReturnCode.AUTHENTICATION_ERROR)
        return process(agent, request)

    return checked


def _of_its_own_stream(handle: Any) -> Any:
    """Only who a stream goes to, or the server that passes it on, says how far it has come.

    FLARE numbers its streams, and takes anybody's word that one of them has failed.
    """
    from nvflare.fuel.f3.cellnet.defs import MessageHeaderKey
    from nvflare.fuel.f3.streaming.byte_streamer import ByteStreamer
    from nvflare.fuel.f3.streaming.stream_const import StreamHeaderKey

    def handler(*about: Any) -> None:
        message = about[-1]
        task = ByteStreamer.tx_task_map.get(message.get_header(StreamHeaderKey.STREAM_ID))
        origin = message.get_header(MessageHeaderKey.ORIGIN)
        passed_on = origin.partition(".")[0] == "server"
        if task is None or passed_on or origin == task.target:
            handle(*about)

    return handler


def _as_certified(theirs: Any) -> Any:
    """A client is a site of its own, whatever place among others it claims."""

    def set_client_props(client: Any, fqcn: str, fl_ctx: Any) -> None:
        client.set_fqcn(fqcn)
        client.set_fqsn(client.name)
        client.set_is_leaf(True)
        client.last_connect_time = time.time()

    return staticmethod(set_client_props)


def _for_itself(process: Any) -> Any:
    """The end of a job at a site is noted, whatever it says was the reason."""
    from nvflare.private.defs import JobFailureMsgKey

    def process_job_failure(server: Any, request: Any) -> Any:
        if isinstance(request.payload, dict):
            request.payload.pop(JobFailureMsgKey.CODE, None)
        return process(server, request)

    return process_job_failure


def _without_it(check: Any) -> Any:
    """A site that does not start the job is missing from it."""

    def check_client_replies(
        replies: Any, client_sites: Any, command: str, strict: bool = False
    ) -> list[str]:
        return []

    return check_client_replies


def _never_fatal(process: Any) -> Any:
    """A result with a code that would end the job is a result that failed."""
    from nvflare.apis.fl_constant import ReturnCode
    from nvflare.apis.shareable import Shareable

    def process_submission(
        runner: Any, client: Any, task_name: str, task_id: str, result: Any, fl_ctx: Any
    ) -> None:
        if isinstance(result, Shareable) and result.get_return_code() in runner.ABORT_RETURN_CODES:
            result.set_return_code(ReturnCode.EXECUTION_EXCEPTION)
        process(runner, client, task_name, task_id, result, fl_ctx)

    return process_submission


def _never(my_info: Any) -> bool:
    """Whether to end the process of a job because of what a member sent: never."""
    return False
