"""Whether the server of a kit lets its member in, before FLARE is started, and if not why.

FLARE would try for ever and say nothing of it. What may mend itself, such as a server that is not
up yet, is told and tried again; what cannot, such as the kit of another consortium, is an error.
"""

import socket
import ssl
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from .....errors import DeploymentError
from .....io.files import reason
from ..invited import NOT_INVITED
from ..kits.kit import Kit
from ..kits.request import TLS_KEY
from ..kits.validity import ending

_PATIENCE = 5.0  # seconds
_SAID_AT_ONCE = 0.5
_EXPIRED, _NOT_YET = 10, 9  # what OpenSSL says of certificates


def why_not_admitted(
    kit: Kit,
    directory: Path,
    warn: Callable[[str], None] = lambda words: None,
    now: datetime | None = None,
) -> str | None:
    """Why the server does not let the member in now, though it may later; None if it does.

    ``warn`` is told of a certificate of the server's that ends soon.
    """
    where, own = str(kit.server), _own_side(kit, directory)
    try:
        with (
            socket.create_connection((kit.server.host, kit.server.port), _PATIENCE) as line,
            own.wrap_socket(line, server_hostname=kit.server.host) as secured,
        ):
            end = datetime.fromtimestamp(_end_of(secured), UTC)
            if _is_turned_away(secured):
                raise DeploymentError(
                    f"{where}: the server lets in the members of its season only, and {kit.member} "
                    "is none of them; ask the operator whether you are invited to the next, and "
                    "join with the kit of that"
                )
            if (words := ending("the server's", end, "tell the operator", now)) is not None:
                warn(words)
            return None
    except ssl.SSLCertVerificationError as error:
        raise DeploymentError(f"{where}: {_of_server(error)}") from None
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError):
        return f"{where}: the server ends the connection at once"
    except ssl.SSLError as error:
        raise DeploymentError(f"{where}: {_of_member(error)}") from None
    except TimeoutError:
        return f"{where}: nobody answers there yet"
    except (OSError, UnicodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "no host name"
        return f"{where}: nobody answers there yet ({why})"


def _is_turned_away(line: ssl.SSLSocket) -> bool:
    """Whether the server says at once, and before it ends the connection, that it is not for us."""
    line.settimeout(_SAID_AT_ONCE)
    try:
        return line.recv(len(NOT_INVITED)) == NOT_INVITED
    except OSError:
        return False


def _end_of(line: ssl.SSLSocket) -> float:
    """When the server's certificate ends."""
    certificate = line.getpeercert()
    assert certificate is not None
    return ssl.cert_time_to_seconds(str(certificate["notAfter"]))


def _own_side(kit: Kit, directory: Path) -> ssl.SSLContext:
    """The member's side of the connection, as FLARE has it.

    In this version of TLS the server says before the connection stands whether it takes the member.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the server is who has the authority's certificate for one
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cadata=kit.authority)
    with tempfile.NamedTemporaryFile("w", suffix=".crt") as certificate:
        certificate.write(kit.certificate)
        certificate.flush()
        context.load_cert_chain(certificate.name, directory / TLS_KEY)
    return context


def _of_server(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code == _EXPIRED:
        return "the server's certificate has expired; tell the operator"
    if error.verify_code == _NOT_YET:
        return "the server's certificate is not valid yet; set this machine's clock"
    return (
        "the server there is not that of this kit's consortium; ask the operator for a kit, or "
        "join with the one that belongs to it"
    )


def _of_member(error: ssl.SSLError) -> str:
    if error.reason is not None and "EXPIRED" in error.reason:
        return "the server says that this member's certificate has expired; ask for another kit"
    if error.reason is not None and "ALERT" in error.reason:
        return (
            "the server does not take this kit's certificate; ask the operator for a kit of its "
            f"consortium ({error.reason.lower().replace('_', ' ')})"
        )
    return "what answers there is no server of a federation; ask the operator for the address"
