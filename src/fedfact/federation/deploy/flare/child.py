"""FLARE's server or site, as a child of our command.

FLARE's own script starts it in the background and starts it again when it fails. Here it belongs
to the command in the foreground: it ends with it, however that ends, and takes its jobs along.
"""

import os
import runpy
import signal
import sys
from pathlib import Path
from types import FrameType

from .guard import end_below, end_with_parent, hold
from .job.environment import directory
from .presence import guard_places, hear_of_others

_HEARTBEAT = 2  # seconds
_RETRY = 2


def main(kind: str, kit: Path, name: str, parent: int) -> None:
    """Become FLARE's process of this kind until told to end."""
    end_with_parent(parent=parent)
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which ends this
    hold(kit, "flare")
    settings = ["secure_train=true", "org=fedfact", "config_folder=config"]
    if kind == "client":
        _close_shell()
        _retry_soon()
        hear_of_others(directory() / "agent.log")
        settings += [f"uid={name}", f"heart_beat_interval={_HEARTBEAT}"]
    else:
        guard_places(directory() / "operator.log")
    module = f"nvflare.private.fed.app.{kind}.{kind}_train"
    sys.argv = [module, "-m", str(kit), "-s", f"fed_{kind}.json", "--set", *settings]
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
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
