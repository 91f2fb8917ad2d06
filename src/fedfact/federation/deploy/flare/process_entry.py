"""All processes of ours that FLARE runs in, as children of a command in the foreground.

FLARE's own script starts a server or site in the background and starts it again when it fails.
Here it belongs to the command: it ends with it, however that ends, and takes its jobs along. FLARE
starts the process of a job, which starts here as well; so from its first instruction each process
watches its parent, and none runs FLARE without its filter (see ``message_filter``).
"""

import os
import runpy
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from .guard import command, end_below, end_with_parent, hold

_HEARTBEAT = 2  # seconds
_RETRY = 2
_APP = "nvflare.private.fed.app"
_JOBS = {f"{_APP}.client.worker_process": "client", f"{_APP}.server.runner_process": "server"}


def main(kind: str, parent: int, words: Sequence[str]) -> None:
    """Be a server, a site, a job of one of these, or the operator's session, until told to end."""
    end_with_parent(parent)
    from ....errors import FedfactError

    try:
        if kind == "session":
            _session(Path(words[0]))
        elif kind == "job":
            _job(words)
        else:
            _site_or_server(kind, Path(words[0]), words[1])
    except FedfactError as error:
        sys.exit(f"fedfact: {error}")


def _site_or_server(kind: str, workspace: Path, name: str) -> None:
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which ends this
    hold(workspace, "flare")
    members = set[str]()
    _keep_places(kind, members)
    _guard(kind)
    if kind == "server":
        members |= _admitted()
    settings = ["secure_train=true", "org=fedfact", "config_folder=config"]
    if kind == "client":
        _close_shell()
        _retry_soon()
        settings += [f"uid={name}", f"heart_beat_interval={_HEARTBEAT}"]
    words = ["-m", str(workspace), "-s", f"fed_{kind}.json", "--set", *settings]
    _run(f"{_APP}.{kind}.{kind}_train", words)


def _job(words: Sequence[str]) -> None:
    module, *arguments = words
    _guard(_JOBS[module])
    _run(module, arguments)


def _session(workspace: Path) -> None:
    _guard("client")
    from .server.admin_session import answer

    answer(workspace)
    os._exit(0)  # whatever threads FLARE has left


def _keep_places(kind: str, members: set[str]) -> None:
    """See that a member is of this season, and in one place; before the filter, which then sees who
    comes first."""
    from .job.environment import directory
    from .presence import guard_places, hear_of_others

    if kind == "client":
        hear_of_others(directory() / "member.log")
        return
    from .invited import let_in_only

    log = directory() / "operator.log"
    guard_places(log)
    let_in_only(members, log)


def _admitted() -> set[str]:
    """Who may connect to this server; nothing is read where FLARE is not as expected."""
    from ...operator.members import Membership
    from .job.environment import directory

    return Membership.of(directory()).admitted


def _guard(kind: str) -> None:
    from .job.contents import take_settings_only
    from .message_filter import install_filter
    from .patches import patch

    install_filter()
    take_settings_only()
    launcher = "nvflare.app_common.job_launcher.process_launcher"
    patch(f"{launcher}:spawn_process", ("cmd_args", "env"), _through_this_entry)
    if kind == "server":
        from .server.limits import impose
        from .server.stalling import let_nobody_stall

        impose()
        let_nobody_stall()


def _through_this_entry(spawn: Any) -> Any:
    """FLARE's command for the process of a job, made into one of ours, which imports what this one
    does: FLARE would add a folder of the job's."""

    def spawn_process(cmd_args: list[str], env: dict[str, str]) -> Any:
        from ....errors import DeploymentError

        try:
            at = cmd_args.index("-m")
            module, *arguments = cmd_args[at + 1 :]
        except ValueError:
            module = ""
        if module not in _JOBS:
            raise DeploymentError(f"FLARE would start {cmd_args[:4]}, which is no job of ours")
        own = {**env, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        return spawn(command("job", module, *arguments), own)

    return spawn_process


def _run(module: str, words: Sequence[str]) -> None:
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end(number: int, frame: FrameType | None) -> None:
    end_below(os.getpid())
    os._exit(128 + number)


def _close_shell() -> None:
    """Answer no request to read files: FLARE asks for rights only where the server says so."""
    from nvflare.private.fed.client.client_req_processors import ClientRequestProcessors
    from nvflare.private.fed.client.shell_cmd import ShellCommandProcessor

    processors = ClientRequestProcessors.request_processors
    processors[:] = [each for each in processors if not isinstance(each, ShellCommandProcessor)]


def _retry_soon() -> None:
    """Look for a server that is away every other second; FLARE would do it every ten."""
    from nvflare.fuel.f3.sfm import conn_manager

    conn_manager.MAX_WAIT = _RETRY


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
