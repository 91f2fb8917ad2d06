"""Keys and certificates of a consortium: who may connect, and as what.

The operator's own authority certifies the server, the operator's session and each member. FLARE
takes a process for whom the common name of its certificate says, and lets whoever has a role in it
administer; it signs with RSA keys only. Of a request nothing but the public key is taken over.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NewType

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .....errors import InputError
from .....io.files import read_small, write_whole

VALID_DAYS = 360
"""For so long a certificate lets its owner connect; each season has new ones."""

AUTHORITY_DAYS = 3650
MOST_PEM = 16_384  # bytes of a key, certificate or request; ours have some 2,000

SERVER = "server"
"""The server's name in its certificate; no member can be called so."""

ADMIN = "operator@fedfact.org"
"""The operator's name in FLARE; it stands in its certificate only."""

_ADMINISTRATOR = "project_admin"
_ORG = "fedfact"
_BITS, _MOST_BITS = 2048, 4096
_SKEW = timedelta(hours=1)  # by which clocks may differ

UNREADABLE = (
    ValueError,
    TypeError,
    UnsupportedAlgorithm,
    CryptographyDeprecationWarning,
    x509.InvalidVersion,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)
"""What comes of certificates and requests that are damaged, or odd."""

Pem = NewType("Pem", str)


@contextmanager
def strictly() -> Iterator[None]:
    """Take for unreadable what the library only warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CryptographyDeprecationWarning)
        yield


def make_key(path: Path) -> RSAPrivateKey:
    """The key in this file, which only its owner may read; drawn now if there is none."""
    if not path.exists():
        drawn = generate_private_key(public_exponent=65537, key_size=_BITS)
        pem = drawn.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        write_whole(path, pem, private=True)
    return read_key(path)


def read_key(path: Path) -> RSAPrivateKey:
    """The key in a file; refused where others may read it."""
    data = read_small(path, MOST_PEM, "a TLS key that fedfact made")
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise InputError(f"{path}: others may read this key (mode {mode:o}); chmod 600 it")
    try:
        key = serialization.load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey) or not is_fit(key.public_key()):
        raise InputError(f"{path}: is no TLS key that fedfact made; restore it")
    return key


def is_fit(key: object) -> bool:
    """Whether FLARE can use the key, and nobody can break it."""
    return (
        isinstance(key, RSAPublicKey)
        and _BITS <= key.key_size <= _MOST_BITS
        and key.public_numbers().e == 65537
    )


def same_key(one: RSAPublicKey, other: object) -> bool:
    """Whether two public keys are one."""
    return isinstance(other, RSAPublicKey) and one.public_numbers() == other.public_numbers()


def read_certificate(pem: str) -> x509.Certificate:
    """The one certificate that a text is, written as we write them, all of it read already."""
    try:
        with strictly():
            found = x509.load_pem_x509_certificate(pem.encode("ascii"))
            parts = found.public_key(), found.subject, found.extensions
            valid = found.not_valid_before_utc < found.not_valid_after_utc
        same = pem == _pem(found) and valid and None not in parts
    except UNREADABLE:
        same = False
    if not same:
        raise InputError("is not one certificate in PEM, with nothing around it")
    return found


def objection(
    certificate: x509.Certificate,
    authority: x509.Certificate,
    name: str,
    now: datetime | None = None,
) -> str | None:
    """Why this is no certificate of that authority for a member of that name; None if it is."""
    now = now or datetime.now(UTC)
    try:
        certificate.verify_directly_issued_by(authority)
        authority.verify_directly_issued_by(authority)
        wanted = _extensions(_rsa(certificate), _rsa(authority), ExtendedKeyUsageOID.CLIENT_AUTH)
    except (*UNREADABLE, InvalidSignature):
        return "was not issued by the authority beside it"
    if certificate.subject != _subject(name):
        return f"is not for {name}"
    if [(each.value, each.critical) for each in certificate.extensions] != wanted:
        return "says more than a member's does, or less"
    for each, what in ((authority, "the authority"), (certificate, "it")):
        if each.not_valid_after_utc < now:
            return f"has expired, {what} on {each.not_valid_after_utc:%Y-%m-%d}"
        if each.not_valid_before_utc > now:
            return f"is not valid yet, {what} from {each.not_valid_before_utc:%Y-%m-%d} on"
    return None


class Authority:
    """The operator's authority, whose key stays in one folder with those of its own processes.

    To ``renew`` is to certify the server's key and the session's anew, and the authority's own
    where it would end before a new certificate does. Keys and names stay: who holds an older
    certificate of the authority's takes those that it issues now, and the other way round.
    """

    def __init__(self, folder: Path, now: datetime | None = None, *, renew: bool = False) -> None:
        self._now = now or datetime.now(UTC)
        self._key = make_key(folder / "authority.key")
        path = folder / "authority.crt"
        if not path.exists():
            write_whole(path, self._root().encode())
        self._read(path)
        if renew and self.certificate.not_valid_after_utc < self._now + timedelta(days=VALID_DAYS):
            write_whole(path, self._root().encode())
            self._read(path)
        for name in (SERVER, ADMIN):
            own = folder / f"{own_name(name)}.crt"
            if renew or not own.exists():
                key = make_key(own.with_suffix(".key")).public_key()
                write_whole(own, self.certify(name, key).encode())

    def _read(self, path: Path) -> None:
        self.certificate = read_own(path, "the authority's certificate")
        self.pem = _pem(self.certificate)
        if not same_key(self._key.public_key(), self.certificate.public_key()):
            key = path.with_suffix(".key").name
            raise InputError(f"{path.parent}: {key} is not that of {path.name}; restore it")

    def certify(self, name: str, key: RSAPublicKey) -> Pem:
        """A certificate by which the owner of this key connects under this name."""
        oid = ExtendedKeyUsageOID
        purpose = oid.SERVER_AUTH if name == SERVER else oid.CLIENT_AUTH
        extensions = _extensions(key, _rsa(self.certificate), purpose)
        return self._sign(_subject(name), key, VALID_DAYS, extensions)

    def _root(self) -> Pem:
        key = self._key.public_key()
        usage = _usage(digital_signature=True, key_cert_sign=True, crl_sign=True)
        extensions: list[_Extension] = [
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (usage, True),
            (x509.SubjectKeyIdentifier.from_public_key(key), False),
        ]
        return self._sign(_AUTHORITY, key, AUTHORITY_DAYS, extensions)

    def _sign(
        self,
        subject: x509.Name,
        key: RSAPublicKey,
        days: int,
        extensions: "list[_Extension]",
    ) -> Pem:
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(_AUTHORITY)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - _SKEW)
            .not_valid_after(self._now + timedelta(days=days))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return _pem(builder.sign(self._key, SHA256()))


def read_own(path: Path, what: str) -> x509.Certificate:
    """A certificate in the operator's own folder."""
    try:
        return read_certificate(read_small(path, MOST_PEM, what).decode())
    except (InputError, UnicodeDecodeError):
        raise InputError(f"{path}: is not {what}; restore it") from None


def own_name(name: str) -> str:
    """What the files of the server's or the session's key and certificate are called."""
    return "server" if name == SERVER else "admin"


_Extension = tuple[x509.ExtensionType, bool]  # and whether it is critical
_AUTHORITY = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fedfact authority")])


def _subject(name: str) -> x509.Name:
    told = [(NameOID.COMMON_NAME, name), (NameOID.ORGANIZATION_NAME, _ORG)]
    if name == ADMIN:
        told.append((NameOID.UNSTRUCTURED_NAME, _ADMINISTRATOR))
    return x509.Name([x509.NameAttribute(oid, text) for oid, text in told])


def _extensions(
    key: RSAPublicKey, issuer: RSAPublicKey, purpose: x509.ObjectIdentifier
) -> list[_Extension]:
    """What a certificate may be used for, and by whose key."""
    return [
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (_usage(digital_signature=True, key_encipherment=True), True),
        (x509.ExtendedKeyUsage([purpose]), False),
        (x509.SubjectKeyIdentifier.from_public_key(key), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), False),
    ]


def _rsa(certificate: x509.Certificate) -> RSAPublicKey:
    key = certificate.public_key()
    if not isinstance(key, RSAPublicKey):
        raise TypeError("a key that FLARE cannot use")
    return key


def _usage(**allowed: bool) -> x509.KeyUsage:
    names = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
        "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    )  # fmt: skip
    return x509.KeyUsage(**{name: allowed.get(name, False) for name in names})


def _pem(certificate: x509.Certificate) -> Pem:
    return Pem(certificate.public_bytes(serialization.Encoding.PEM).decode())
