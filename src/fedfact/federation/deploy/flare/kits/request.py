"""A member's request for a certificate: it proves that somebody has a key, and says a name.

The key never leaves the member's directory. The request goes to the operator by a way by which the
operator can tell that it is the member's; it holds no secret.
"""

import re
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from .....errors import InputError
from .....io.files import alone, read_small, write_whole
from ....member.config import read_member_config
from ....member.preparation import close_directory
from .certificates import MOST_PEM, UNREADABLE, is_fit, make_key, strictly

TLS_KEY = "tls.key"
"""The member's key for connections, in its directory (600)."""

_ONE = re.compile(
    r"\s*-----BEGIN CERTIFICATE REQUEST-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE REQUEST-----\s*"
)


def make_request(config: Path) -> Path:
    """Write a member's request beside its config; made again, it is the same."""
    name, directory = read_member_config(config).name, config.parent
    close_directory(directory)
    path = directory / f"{name}.csr"
    with alone(directory, wait=True):
        key = make_key(directory / TLS_KEY)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        request = x509.CertificateSigningRequestBuilder().subject_name(subject)
        write_whole(path, request.sign(key, SHA256()).public_bytes(Encoding.PEM))
    return path


def read_request(path: Path, name: str) -> RSAPublicKey:
    """The key that a member of this name wants a certificate for, if it is surely its own."""
    data = read_small(path, MOST_PEM, f"the request that {name} made with federation request")
    text = data.decode("ascii", errors="replace")
    if not _ONE.fullmatch(text):
        raise InputError(f"{path}: is not one request for a certificate in PEM")
    try:
        with strictly():
            request = x509.load_pem_x509_csr(data)
            key, signed = request.public_key(), request.is_signature_valid
        names = [each.value for each in request.subject if each.oid == NameOID.COMMON_NAME]
    except UNREADABLE:
        raise InputError(f"{path}: is no request for a certificate that can be read") from None
    if not isinstance(key, RSAPublicKey) or not is_fit(key):
        raise InputError(f"{path}: its key cannot be used; take RSA of 2048 to 4096 bits")
    if not signed:
        raise InputError(f"{path}: whoever made it does not have the key")
    if names != [name]:
        raise InputError(
            f"{path}: is of {', '.join(map(repr, names)) or 'nobody'}, not of {name}; write "
            "NAME=REQUEST with the name that the request was made for"
        )
    return key
