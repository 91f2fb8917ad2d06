"""A member's request to be let in: its id, the key it signs with, and the one it connects with.

Whoever made it has both keys, which never leave the member's directory. It goes to the operator by
a way by which the operator can tell that it is the member's; it holds no secret.
"""

import re
from pathlib import Path
from typing import Annotated

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from pydantic import Field

from .....errors import InputError
from .....io.files import alone, read_small, write_whole
from ....agreement.key_change import is_requested, request_proof
from ....member.config import read_member_config
from ....member.files import MemberFiles
from ....member.preparation import close_directory
from ....wire.canonical import digest
from ....wire.document import FORMAT, Hash, Name, Signature, Stored
from .certificates import MOST_PEM, UNREADABLE, is_fit, make_key, strictly

TLS_KEY = "tls.key"
"""The member's key for connections, in its directory (600)."""

_MOST_REQUEST = 2 * MOST_PEM

_ONE = re.compile(
    r"\s*-----BEGIN CERTIFICATE REQUEST-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE REQUEST-----\s*"
)


class Request(Stored):
    """What a member sends: its key, a request for a certificate, and its signature on both."""

    member: Name
    key: Hash
    tls: Annotated[str, Field(max_length=MOST_PEM)]
    signature: Signature

    @property
    def tls_hash(self) -> str:
        """What the signature covers of the request for a certificate."""
        return digest(self.tls.encode())


def make_request(config: Path) -> Path:
    """Write a member's request beside its config; made again, it is the same."""
    name, directory = read_member_config(config).name, config.parent
    close_directory(directory)
    path = directory / f"{name}.request.json"
    with alone(directory, wait=True):
        key, connects = MemberFiles(directory).key, make_key(directory / TLS_KEY)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        request = x509.CertificateSigningRequestBuilder().subject_name(subject)
        tls = request.sign(connects, SHA256()).public_bytes(Encoding.PEM).decode()
        signature = request_proof(key, name, digest(tls.encode()))
        said = Request(format=FORMAT, member=name, key=key.public, tls=tls, signature=signature)
        write_whole(path, said.encoded())
    return path


def read_request(path: Path, name: str) -> tuple[Request, RSAPublicKey]:
    """A member's request, and the key that it connects with, if its keys are surely its own."""
    data = read_small(path, _MOST_REQUEST, f"the request that {name} made with federation request")
    try:
        said = Request.read(data)
        if said.member != name:
            raise InputError(
                f"is of {said.member!r}, not of {name}; write NAME=REQUEST with the name that the "
                "request was made for"
            )
        if not is_requested(said.key, name, said.tls_hash, said.signature):
            raise InputError("whoever made it does not have the key that it names")
        return said, _read_csr(said.tls, name)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read_csr(text: str, name: str) -> RSAPublicKey:
    if not _ONE.fullmatch(text):
        raise InputError("holds not one request for a certificate in PEM")
    try:
        with strictly():
            request = x509.load_pem_x509_csr(text.encode())
            key, signed = request.public_key(), request.is_signature_valid
        names = [each.value for each in request.subject if each.oid == NameOID.COMMON_NAME]
    except UNREADABLE:
        raise InputError("its request for a certificate cannot be read") from None
    if not isinstance(key, RSAPublicKey) or not is_fit(key):
        raise InputError("its TLS key cannot be used; take RSA of 2048 to 4096 bits")
    if not signed:
        raise InputError("whoever made it does not have the TLS key")
    if names != [name]:
        said = ", ".join(map(repr, names)) or "nobody"
        raise InputError(f"its request for a certificate is of {said}, not of {name}")
    return key
