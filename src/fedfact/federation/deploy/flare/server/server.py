"""The server of one supervisor: started when there is none, ended with it."""

import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from .....errors import DeploymentError
from ..kits.paths import read_address, server_workspace
from ..processes import FlareProcess, start_server

_SHORT = 10.0  # seconds; a server that ends sooner than that did not really start
_FALSE_STARTS = 3
_RELEASE = 6.0  # seconds for the last server to let go of the port


class Server:
    """Starts the server as often as needed, but not for ever in vain."""

    def __init__(self, directory: Path, environment: Mapping[str, str] | None = None) -> None:
        self._directory, self._environment = directory, environment
        self._process: FlareProcess | None = None
        self._started, self._false_starts = 0.0, 0
        self.starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.stop()

    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.is_running()

    def start(self) -> None:
        """Start it, when its port is free."""
        lasted = time.monotonic() - self._started
        self._false_starts = 0 if self.starts == 0 or lasted > _SHORT else self._false_starts + 1
        if self._false_starts == _FALSE_STARTS:
            raise DeploymentError(
                f"{server_workspace(self._directory)}: the server ends as soon as it is started; "
                "see flare.log there"
            )
        self._await_port()
        self._process = start_server(self._directory, self._environment)
        self._started = time.monotonic()
        self.starts += 1

    def _await_port(self) -> None:
        """Wait until the server that was killed before has let go of the port."""
        server = read_address(self._directory)
        address = ("127.0.0.1" if server.host == "localhost" else "", server.port)
        deadline = time.monotonic() + _RELEASE
        while not _is_free(address):
            if time.monotonic() > deadline:
                raise DeploymentError(
                    f"port {server.port} is taken by another program; end that, or make kits with "
                    "another port"
                )
            time.sleep(0.1)


def _is_free(address: tuple[str, int]) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError:
            return False
    return True
