"""A member's kit: one file with all that it needs to know of the consortium, and no secret.

It says where the server is, whom to take for the server, that the operator takes the member, and to
what terms. A member believes it because of the way it came by; what may be in it is read strictly,
and none of it names a class, a file or a command.
"""

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from pydantic import AfterValidator, Field

from .....errors import InputError
from .....io.files import read_small
from ....agreement.terms import Published
from ....wire.document import Document, Name, Stored
from .certificates import MOST_PEM, SERVER, objection, read_certificate, same_key

MOST_KIT = 262_144  # bytes; those of a federation on digits have some 5,000

_MOST_WORDS = 500
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*")


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise InputError(f"{text!r} is no host name; give the one that members reach the server by")
    return text


def _certificate(text: str) -> str:
    read_certificate(text)
    return text


_Pem = Annotated[str, Field(max_length=MOST_PEM), AfterValidator(_certificate)]


class Address(Document):
    """Where members reach the server."""

    host: Annotated[str, AfterValidator(_host)]
    port: Annotated[int, Field(ge=1, le=65535)]

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class OwnAddress(Stored):
    """The same, as the operator keeps it."""

    server: Address


class Kit(Stored):
    """What a member is sent."""

    member: Name
    server: Address
    authority: _Pem
    certificate: _Pem
    terms: Published

    def check(self, name: str, key: RSAPublicKey, now: datetime | None = None) -> None:
        """Refuse a kit that is not for the member of this name and key, or whose time is over."""
        certificate, authority = map(read_certificate, (self.certificate, self.authority))
        if self.member != name:
            raise InputError(f"is of {self.member}, and member.toml says name = {name!r}")
        if not same_key(key, certificate.public_key()):
            raise InputError(
                "its certificate is for another key than the member's; send the operator the "
                "request that fedfact federation request writes, for a kit of your own"
            )
        if (why := objection(certificate, authority, name, now)) is not None:
            raise InputError(f"its certificate {why}; ask the operator for another kit")
        self.terms.checked()


def read_kit(path: Path) -> Kit:
    """The kit in a file."""
    if path.is_dir():
        raise InputError(f"{path}: is a directory; name the kit, a file such as oak.kit.json")
    data = read_small(path, MOST_KIT, "the kit that the operator sent")
    try:
        return Kit.read(data, MOST_KIT)
    except InputError as error:
        raise InputError(f"{path}: {brief(error)}; ask the operator for the kit again") from None


def brief(error: InputError) -> str:
    """What is wrong with a kit, without all of what it quotes: that is as long as it likes."""
    words = str(error)
    return words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]}…"


def check_members(members: list[str]) -> None:
    """Refuse names that certificates, or some file systems, could not keep apart."""
    lower = [member.lower() for member in members]
    if SERVER in lower:
        raise InputError(f"a member cannot be called {SERVER!r}; name it otherwise")
    twice = next((name for name in members if lower.count(name.lower()) > 1), None)
    if twice is not None:
        raise InputError(f"{twice!r} is named twice as a member; give each a name of its own")
