"""Who may say what to whom: a site hears the server only, and each member speaks for itself.

FLARE's cells pass messages on from site to site, believe what a message says of its origin, and
ask for rights only where the sender says so. What can be relied on is the certificate at the other
end of a connection. So in each process the same filter sees every connection and every message
before FLARE does, and drops what may not pass:

- the server takes from a member's connection what that member's own cells say to the server, of
  the few kinds that sites need, and passes nothing on from one member to another;
- a site takes from its connection to the server what the server says, and nothing of others;
- between the processes of one machine, which have no certificates, only those of one family
  speak (see ``connections`` for which these are).

It is installed before FLARE runs. With a FLARE that it was not built for, nothing runs.
"""

import logging
from collections.abc import Mapping
from typing import Any

from .connections import Peer, guard_connections, peer_of
from .kits.certificates import ADMIN, SERVER
from .kits.paths import require_flare
from .patches import patch

_SERVER = "server"
_ADMIN_CELL = "_admin_"
_CELL, _STREAM = "cn__", "sm__"  # what FLARE puts before the names of its headers
_STREAMED = (_STREAM + "STREAM", _STREAM + "DATA")
_ANSWER = "return_only"
_BYE = ("cellnet.channel", "bye")

_TO_SERVER = {
    ("task", "challenge"),
    ("task", "register"),
    ("task", "quit"),
    ("task", "heart_beat"),
    ("task", "report_job_failure"),
    _BYE,
}
_TO_JOB = {
    ("server_command", "get_task"),
    ("server_command", "submit_update"),
    ("aux_communication", "__sync_runner__"),
    ("aux_communication", "__job_heartbeat__"),
    ("aux_communication", "__task_check__"),
    (_STREAM + "STREAM", _STREAM + "ACK"),
    (_STREAM + "STREAM", _STREAM + "ERROR"),
}

_log = logging.getLogger("fedfact.message_filter")


def stranger(own: str, peer: Peer) -> str | None:
    """Why a peer may not connect to the cell ``own`` under the name it gives; None if it may."""
    if peer.inner:
        kin = _family(peer.cell) == _family(own)
        return None if kin else "a cell of another machine on this one"
    if peer.certified is None:
        return "shows no certificate"
    if _family(own) != _SERVER:
        is_server = (peer.cell, peer.certified) == (_SERVER, SERVER)
        return None if is_server else "connected to what is not the server"
    if peer.certified == ADMIN:
        return None if peer.cell.startswith(_ADMIN_CELL) else "the operator's session is no site"
    return None if _family(peer.cell) == peer.certified else "goes by another's name"


def objection(own: str, peer: Peer, headers: Mapping[str, Any]) -> str | None:
    """Why the cell ``own`` takes no such message from this peer; None if it does."""
    origin, target = headers.get(_CELL + "origin"), headers.get(_CELL + "destination")
    if not isinstance(origin, str) or not isinstance(target, str):
        return "a message without origin or destination"
    if _CELL + "conn_url" in headers:
        return "asks for a connection"
    why = stranger(own, peer)
    if why is not None:
        return why
    if _family(own) != _SERVER:
        return _objection_of_site(_family(own), peer, origin, target)
    if peer.inner:
        forged = own == _SERVER and origin != peer.cell
        return "a job that speaks for another" if forged else None
    if peer.certified == ADMIN:
        forged = origin != peer.cell or target != _SERVER
        return "the operator's session speaks for itself, to the server" if forged else None
    return _objection_to_member(str(peer.certified), origin, target, headers)


def _objection_of_site(site: str, peer: Peer, origin: str, target: str) -> str | None:
    known = {_SERVER, site} if peer.inner else {_SERVER}
    if _family(origin) not in known:
        return "a message of another member"
    return None if _family(target) in {_SERVER, site} else "a message to another member"


def _objection_to_member(
    member: str, origin: str, target: str, headers: Mapping[str, Any]
) -> str | None:
    if _family(origin) != member or headers.get("client_name", member) != member:
        return "a member that speaks for another"
    if headers.get("client_type", "regular") != "regular":
        return "a member that wants to be more"
    if _family(target) != _SERVER:
        return "a message from one member to another"
    if headers.get(_CELL + "msg_type") in {"reply", "return"}:
        return None  # of use only to the one that asked
    kind = (headers.get(_CELL + "channel"), headers.get(_CELL + "topic"))
    allowed = _TO_SERVER if target == _SERVER else _TO_JOB
    if kind == _STREAMED and target != _SERVER:
        kind = (headers.get(_STREAM + "ch"), headers.get(_STREAM + "tp"))
        if kind[0] == _ANSWER:
            return None
    if not all(isinstance(word, str) for word in kind) or kind not in allowed:
        return "a request that no site makes"
    if target == _SERVER and origin != member and kind != _BYE:
        return "a site's request that comes from elsewhere"  # a second one with its key
    return None


def _family(cell: str) -> str:
    """The site, or the server, that a cell belongs to: ``ann`` for ``ann.JOB``."""
    return cell.partition(".")[0]


def install_filter() -> None:
    """From now on FLARE takes, in this process, only what nothing is to be said against."""
    require_flare()
    cell = "nvflare.fuel.f3.cellnet.core_cell:CoreCell.process_message"
    patch(cell, ("self", "endpoint", "connection", "app_id", "message"), _filtered)
    manager = "nvflare.fuel.f3.sfm.conn_manager:ConnManager.update_endpoint"
    patch(manager, ("self", "sfm_conn", "data"), _known_only)
    guard_connections()


def _filtered(take: Any) -> Any:
    told: set[tuple[str, str]] = set()

    def process_message(
        cell: Any, endpoint: Any, connection: Any, app_id: int, message: Any
    ) -> None:
        own = cell.my_info.fqcn
        if connection is not None and endpoint.name != own:
            peer = peer_of(endpoint.name, connection)
            headers = message.headers if isinstance(message.headers, dict) else {}
            why = objection(own, peer, headers)
            if why is not None:
                who = peer.certified or _family(peer.cell)
                if (who, why) not in told:  # once: whoever floods the server floods no log
                    told.add((who, why))
                    _log.warning("%s: dropped from %s: %s", own, who, why)
                return
        take(cell, endpoint, connection, app_id, message)

    return process_message


def _known_only(admit: Any) -> Any:
    from nvflare.fuel.f3.cellnet.fqcn import FQCN
    from nvflare.fuel.f3.comm_error import CommError
    from nvflare.fuel.f3.sfm.constants import HandshakeKeys

    def update_endpoint(manager: Any, sfm_conn: Any, data: dict[str, Any]) -> None:
        name = data.get(HandshakeKeys.ENDPOINT_NAME)
        why = "gives no name"
        if isinstance(name, str):
            name = data[HandshakeKeys.ENDPOINT_NAME] = FQCN.normalize(name)
            why = stranger(manager.local_endpoint.name, peer_of(name, sfm_conn.conn)) or ""
        if why:
            sfm_conn.conn.close()
            raise CommError(CommError.BAD_DATA, f"not let in: {why}")
        admit(manager, sfm_conn, data)

    return update_endpoint
