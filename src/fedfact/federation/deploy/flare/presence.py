"""A member is in one place at a time.

FLARE lets whoever comes last with a member's key and certificate take the place of the one there,
so that two copies of a member's directory push each other out and neither is told. Here the
first keeps its place, as long as it can be heard; both and the operator are told who and where.

The server says it to the two sites in frames of its own, which hold an address and nothing else.
"""

import ipaddress
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....io.files import log_line
from .connections import certified_name
from .guard import end_below
from .patches import patch

TAKEN = 75
"""How a site's process ends whose place another one has."""

_MANAGER = "nvflare.fuel.f3.sfm.conn_manager:ConnManager"
_FRAME = 7575  # of FLARE's channels, which it numbers from 1, the one for this
_SILENT = 10.0  # seconds without a sign, of which a site gives one every two: it is gone
_GIVE_UP = 15.0  # seconds of refusals after which a site ends
_AGAIN = 60.0  # seconds until the same is written down again


def guard_places(log: Path) -> None:
    """At the server: let no second site in where one is, and note it for the operator."""
    written = _Rarely(log)

    def one_place(admit: Any) -> Any:
        from nvflare.fuel.f3.comm_error import CommError
        from nvflare.fuel.f3.sfm.constants import HandshakeKeys

        def update_endpoint(self: Any, sfm_conn: Any, data: dict[str, Any]) -> None:
            name = data.get(HandshakeKeys.ENDPOINT_NAME)
            there = _who_is_there(self, name, sfm_conn)
            if there is None:
                admit(self, sfm_conn, data)
                return
            old_address, new_address = _address(there.conn), _address(sfm_conn.conn)
            written.add(
                str(name),
                f"{certified_name(there.conn)}: a site at {new_address} has the key and "
                f"certificate of the one that is connected from {old_address}, and was not let in",
            )
            sfm_conn.send_data(_FRAME, 1, {"taken": old_address}, b"")
            there.send_data(_FRAME, 1, {"wanted": new_address}, b"")
            sfm_conn.conn.close()
            raise CommError(CommError.BAD_DATA, f"{name} is connected already")

        return update_endpoint

    patch(f"{_MANAGER}.update_endpoint", ("self", "sfm_conn", "data"), one_place)


def hear_of_others(log: Path) -> None:
    """At a site: note what the server says of another one with the same key."""
    from nvflare.fuel.f3.message import MessageReceiver

    heard = _Heard(log)

    class Receiver(MessageReceiver):  # type: ignore[misc]  # FLARE has no types
        def process_message(self, endpoint: Any, connection: Any, app: int, message: Any) -> None:
            if endpoint.name == "server" and certified_name(connection) == "server":
                heard.take(message.headers)

    def with_receiver(begin: Any) -> Any:
        def begin_hearing(self: Any, *given: Any, **named: Any) -> None:
            begin(self, *given, **named)
            self.register_message_receiver(_FRAME, Receiver())

        return begin_hearing

    made_of = ("self", "local_endpoint", "identity_resolver")
    patch(f"{_MANAGER}.__init__", made_of, with_receiver)


class _Heard:
    """What a site was told; after a while without a place its process ends."""

    def __init__(self, log: Path) -> None:
        self._written = _Rarely(log)
        self._first = self._last = 0.0

    def take(self, said: Mapping[str, Any]) -> None:
        if "wanted" in said:
            self._written.add(
                "wanted",
                f"a second site, at {_plain(said['wanted'])}, has this member's key and "
                "certificate; it was not let in. If that is not you, tell the operator",
            )
        elif "taken" in said:
            self._refused(_plain(said["taken"]))

    def _refused(self, address: str) -> None:
        now = time.monotonic()
        if now - self._last > _SILENT:
            self._first = now
        self._last = now
        self._written.add(
            "taken",
            f"a site with this member's key and certificate is connected already, from {address}; "
            "it keeps its place, and this one is not let in",
        )
        if now - self._first > _GIVE_UP:
            end_below(os.getpid())
            os._exit(TAKEN)


class _Rarely:
    """Lines of a log, each but once in a while: who floods a server floods no log."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._when: dict[str, float] = {}

    def add(self, about: str, line: str) -> None:
        if time.monotonic() - self._when.get(about, -_AGAIN) >= _AGAIN:
            self._when[about] = time.monotonic()
            log_line(self._log, line)


def _who_is_there(manager: Any, name: object, new: Any) -> Any:
    """The connection of this member's site, or of its job, if it has another one and was heard of
    lately.

    Only who has the member's certificate learns of it.
    """
    there = manager.sfm_endpoints.get(name) if isinstance(name, str) else None
    if there is None or certified_name(new.conn) != str(name).partition(".")[0]:
        return None
    lately = time.time() - _SILENT
    others = [each for each in there.connections if each is not new and each.last_activity > lately]
    return others[0] if others else None


def _address(connection: Any) -> str:
    return str(connection.get_conn_properties().get("peer_addr", "unknown"))


def _plain(said: object) -> str:
    """An address, whatever the server sent."""
    host = str(said)[:64].rpartition(":")[0].strip("[]")
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return "an unknown address"
