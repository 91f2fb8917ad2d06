"""The server lets in the members of its season only.

A certificate outlives the season it was made for, and a member that retires keeps its own. So the
server looks at whom a certificate names when a connection stands, before FLARE hears of it.
"""

import time
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.x509.oid import NameOID

from ....io.files import log_line
from .kits.certificates import ADMIN
from .patches import patch

NOT_INVITED = b"fedfact: not invited\n"
"""What the server says, on the connection itself, to a member that it does not let in."""

_LISTENER = "nvflare.fuel.f3.drivers.tcp_driver:TcpStreamServer"
_AGAIN = 60.0  # seconds until the same is written down again


def let_in_only(members: AbstractSet[str], log: Path) -> None:
    """At the server, before ``guard_connections``: end all other connections, and note them.

    ``members`` may be filled until the server listens.
    """
    written = dict[str, float]()

    def invited_only(serve: Any) -> Any:
        def finish_request(self: Any, request: Any, client_address: Any) -> None:
            if self.ssl_context:
                name = named_by(request.getpeercert(binary_form=True))
                if name != ADMIN and name not in members:
                    _refuse(request, name, str(client_address[0]))
                    return
            serve(self, request, client_address)

        return finish_request

    def _refuse(request: Any, name: str, address: str) -> None:
        if time.monotonic() - written.get(name, -_AGAIN) >= _AGAIN:
            written[name] = time.monotonic()
            line = f"{name}: not invited to this season, and not let in; it came from {address}"
            log_line(log, line)
        request.sendall(NOT_INVITED)

    served = ("self", "request", "client_address")
    patch(f"{_LISTENER}.finish_request", served, invited_only)


def named_by(certificate: bytes | None) -> str:
    """Whom a certificate names; nobody where there is none."""
    if certificate is None:
        return ""
    subject = x509.load_der_x509_certificate(certificate).subject
    names = subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else ""
