"""Where a process connects to, and who is at the other end of its connections.

FLARE connects to wherever a message tells it to, in the clear, and fetches from there what a
message says it holds. Here a process connects to its parent and to the server that its settings
name, and to nothing else; who is at the other end is known by the certificate, or by the one line
that FLARE has between the processes of one machine.
"""

from dataclasses import dataclass
from typing import Any

from .patches import patch

_CONNECTOR = "nvflare.fuel.f3.cellnet.connector_manager:ConnectorManager._get_connector"
_OF_CONNECTOR = (
    *("self", "url", "active", "internal", "adhoc", "secure"),
    *("conn_resources", "listener_scheme", "listener_resources"),
)
_FETCH = "nvflare.fuel.utils.fobs.decomposers.via_downloader:ViaDownloaderDecomposer"
_LISTENER = "nvflare.fuel.f3.drivers.tcp_driver:TcpStreamServer"

_SILENT = 10.0  # seconds that a new connection has to show its certificate

_inner: set[str] = set()
"""Handles of the listener for this process's children, and of the connector to its parent."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The other end of a connection: the cell it says it is, and whom its certificate names.

    Between the processes of one machine there are no certificates: ``inner`` is the parent that
    this process was started by, or a child that found the listener made for children.
    """

    cell: str
    certified: str | None = None
    inner: bool = False


def peer_of(cell: str, connection: Any) -> Peer:
    """Who is at the other end of FLARE's connection, and says it is this cell."""
    inner = connection.connector.handle in _inner
    return Peer(cell, None if inner else certified_name(connection), inner)


def certified_name(connection: Any) -> str | None:
    """Whom the certificate at the other end names; None within a machine."""
    name: str | None = connection.get_conn_properties().get("peer_cn")
    return name


def guard_connections() -> None:
    """Have FLARE, in this process, keep to it."""
    patch(_CONNECTOR, _OF_CONNECTOR, _configured_only)
    fetched = ("self", "fobs_ctx", "ref")
    patch(f"{_FETCH}._download_from_remote_cell", fetched, lambda theirs: _fetch_nothing)
    patch(f"{_LISTENER}.get_request", ("self",), _without_handshake)
    served = ("self", "request", "client_address")
    patch(f"{_LISTENER}.finish_request", served, _handshake_first)


def _configured_only(connect: Any) -> Any:
    """Neither listen nor connect because a message says so; and know the lines that are inner."""

    def get_connector(
        manager: Any, url: str, active: bool, internal: bool, adhoc: bool, *given: Any, **named: Any
    ) -> Any:
        if adhoc:
            return None
        made = connect(manager, url, active, internal, adhoc, *given, **named)
        if internal and made is not None:
            _inner.add(made.handle)
        return made

    return get_connector


def _fetch_nothing(self: Any, fobs_ctx: Any, ref: Any) -> Any:
    """In place of asking the cell that a message names, for as long as that cell likes."""
    raise RuntimeError("a message that does not hold what it brings")


def _without_handshake(accept: Any) -> Any:
    """Take a connection without waiting for its certificate, which would keep all others out."""

    def get_request(server: Any) -> Any:
        if server.ssl_context:
            server.socket.do_handshake_on_connect = False
        return accept(server)

    return get_request


def _handshake_first(serve: Any) -> Any:
    """Wait for the certificate on the connection's own thread, and not for ever."""

    def finish_request(server: Any, request: Any, client_address: Any) -> None:
        if server.ssl_context:
            request.settimeout(_SILENT)
            try:
                request.do_handshake()
            except OSError:
                return  # no certificate of ours, or none in time
            request.settimeout(None)
        serve(server, request, client_address)

    return finish_request
