"""Requests of members: made the same again, and read as what strangers send."""

import random

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

from fedfact.errors import InputError
from fedfact.federation.agreement.key_change import request_proof
from fedfact.federation.deploy.flare.kits.request import make_request, read_request
from fedfact.federation.wire.canonical import canonical, digest, read_canonical
from fedfact.federation.wire.keys import Key

OWN = Key(b"\1" * 32)
"""What the member signs with."""


@pytest.fixture(scope="module")
def good(kits):
    return kits.requests["oak"].read_bytes()


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def around(held, **changes):
    """A member's request that holds this request for a certificate."""
    tls = held if isinstance(held, str) else held.decode()
    signed = {"member": "oak", "key": OWN.public, "tls": tls}
    signature = request_proof(OWN, "oak", digest(tls.encode()))
    return canonical({"format": 1, **signed, "signature": signature} | changes)


def request_with(key, *names, **more):
    told = [x509.NameAttribute(NameOID.COMMON_NAME, name) for name in names]
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(told))
    for extension in more.get("extensions", ()):
        builder = builder.add_extension(extension, critical=True)
    algorithm = None if isinstance(key, ed25519.Ed25519PrivateKey) else SHA256()
    return builder.sign(key, algorithm).public_bytes(serialization.Encoding.PEM)


def test_made_again_a_request_is_the_same_and_the_key_stays(kits, good):
    place = kits.root / "oak"
    before = (place / "tls.key").read_bytes()
    assert make_request(place / "member.toml").read_bytes() == good
    assert (place / "tls.key").read_bytes() == before
    assert (place / "tls.key").stat().st_mode & 0o777 == 0o600
    assert place.stat().st_mode & 0o777 == 0o700
    assert b"PRIVATE" not in good


def test_a_key_that_others_may_read_is_refused(kits, tmp_path):
    for name in ("member.toml", "tls.key"):
        (tmp_path / name).write_bytes((kits.root / "oak" / name).read_bytes())
    (tmp_path / "tls.key").chmod(0o640)
    with pytest.raises(InputError, match="others may read this key"):
        make_request(tmp_path / "member.toml")
    assert not (tmp_path / "oak.request.json").exists()


OPENSSL = """\
-----BEGIN CERTIFICATE REQUEST-----
MIICnzCCAYcCAQAwMDELMAkGA1UEBhMCREUxEzARBgNVBAoMCk9hayBDbGluaWMx
DDAKBgNVBAMMA29hazCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBALbq
4qyaKyBMAis+OHiOBjCQ/cNMv07OujZg46yiviKM0hzcc3U1cjaQl6r5MPN51gAV
z4Wki+zhHYvhbsXHiBXJWuU22fnXhK5+430QN8bTcHo5N5s/X7ziioDbr9gA34cs
Sw6FWZOqNixMS4E3apTzGbd8ryLcthiFhONF9ck01HhzzSXICWEHoxtAtzv9FHm/
a6b1Mmd0/buadwqPaT6oKRZJZWEkXqT4/uIFYC5lMcFLdFCpnlqQj53YfKkhqqFN
hIzxBYOicTOrAJmd+L0k/KnXCNrzAhFLS8y6EGz3LH+R0GIB3dHamdEVRIs8axQ/
zincEmMZPp8mPkCOsZ0CAwEAAaAqMCgGCSqGSIb3DQEJDjEbMBkwFwYDVR0RBBAw
DoIMZXZpbC5leGFtcGxlMA0GCSqGSIb3DQEBCwUAA4IBAQCNgVP9tnAajuuuWdHB
iXBCkELU0OFzc/Xh3gMlX02zayvBfcbIAyMWMAA5fKiRTSD6hbOVqWyJhy9aAD0v
wbX8oOq4sPaNGhaKr99GIuUhSH8FKDGW4mt9VDrq6X6Z/Mn8TL9LTJp2zHjEx9Er
ChuwAKiel9+giLxDU2Su5w8Z+WKqSWk/p9bfFyiBZSkLDgkE1o6V/WccEWTnHXw8
jE5Y+QNEpAaJE5aYNJM6s6+jRK6eyZUiJsKW/0fBCxigMb22fg5hqy7LiVYhzH9S
Iw1SwF8RSXQkUyCS8Y2g93OdS8LhIWYIN8FCOQUo+bamivNi5Dp3GHui1mWYBeBK
j8BC
-----END CERTIFICATE REQUEST-----
"""
"""By ``openssl req -new -subj '/C=DE/O=Oak Clinic/CN=oak'``, with another host's name besides."""


def test_a_request_by_other_software_is_good(tmp_path, good):
    made = tmp_path / "oak.request.json"
    for text in (OPENSSL, OPENSSL.replace("\n", "\r\n"), f"\n{OPENSSL}\n"):
        made.write_bytes(around(text))
        said, connects = read_request(made, "oak")
        assert (said.key, connects.key_size) == (OWN.public, 2048)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda key: request_with(key, "elm"), "is of 'elm', not of oak"),
        (lambda key: request_with(key), "is of nobody, not of oak"),
        (lambda key: request_with(key, "oak", "elm"), "is of 'oak', 'elm', not of oak"),
        (lambda key: request_with(ec.generate_private_key(ec.SECP256R1()), "oak"), "take RSA"),
        (lambda key: request_with(ed25519.Ed25519PrivateKey.generate(), "oak"), "take RSA"),
        (lambda key: request_with(rsa.generate_private_key(65537, 1024), "oak"), "take RSA"),
        (lambda key: request_with(rsa.generate_private_key(3, 2048), "oak"), "take RSA"),
        (lambda key: request_with(key, "oak") * 2, "not one request"),
        (lambda key: b"see here:\n" + request_with(key, "oak"), "not one request"),
        (lambda key: request_with(key, "oak") + b" " * 20_000, "tls: string should have at most"),
        (lambda key: b"", "not one request"),
    ],
)
def test_what_is_no_request_of_this_member_is_refused(tmp_path, key, make, said):
    path = tmp_path / "oak.request.json"
    path.write_bytes(around(make(key)))
    with pytest.raises(InputError, match=said):
        read_request(path, "oak")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 2}, "a request of format 2, and this fedfact reads format 1"),
        ({"member": "elm"}, "is of 'elm', not of oak; write NAME=REQUEST"),
        ({"key": Key(b"\2" * 32).public}, "does not have the key that it names"),
        ({"tls": OPENSSL.replace("MIIC", "MIID")}, "does not have the key that it names"),
        ({"name": "oak"}, "name: extra inputs are not permitted"),
        ({"signature": "00" * 64}, "does not have the key that it names"),
        ({"more": "x" * 40_000}, "bytes; give the request"),
    ],
)
def test_what_the_member_did_not_sign_is_refused(tmp_path, changes, said):
    """Nobody is registered with a key that he does not have, or has his own certified for it."""
    path = tmp_path / "oak.request.json"
    path.write_bytes(around(OPENSSL, **changes))
    with pytest.raises(InputError, match=said):
        read_request(path, "oak")


def test_a_request_for_anothers_key_is_refused(tmp_path, key):
    """Whoever saw a member's key could else have it certified under a name of his own."""
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    der = x509.load_pem_x509_csr(request_with(key, "oak")).public_bytes(serialization.Encoding.DER)
    mine, wanted = (each.public_key().public_numbers().n.to_bytes(256) for each in (key, other))
    assert mine in der
    path = tmp_path / "oak.request.json"
    path.write_bytes(around(_pem(der.replace(mine, wanted))))
    with pytest.raises(InputError, match="does not have the TLS key"):
        read_request(path, "oak")


def test_what_else_a_request_wants_is_not_certified(kits, tmp_path, key):
    from fedfact.federation.deploy.flare.kits.certificates import Authority

    path = tmp_path / "oak.request.json"
    wanted = [x509.BasicConstraints(ca=True, path_length=None)]
    path.write_bytes(around(request_with(key, "oak", extensions=wanted)))
    authority, (_, connects) = Authority(kits.directory / "tls"), read_request(path, "oak")
    made = x509.load_pem_x509_certificate(authority.certify("oak", connects).encode())
    assert not made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert made.subject.rfc4514_string() == "O=fedfact,CN=oak"


@pytest.mark.parametrize("seed", range(4))
def test_mutated_requests_are_refused_in_words_or_are_the_same(tmp_path, good, seed):
    draw, path = random.Random(seed), tmp_path / "oak.request.json"
    tls = read_canonical(good)["tls"].encode()
    der = x509.load_pem_x509_csr(tls).public_bytes(serialization.Encoding.DER)
    path.write_bytes(good)
    same = read_request(path, "oak")[1].public_numbers()
    accepted = 0
    for _ in range(500):
        data = bytearray(der)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.2:
            del data[draw.randrange(len(data)) :]
        path.write_bytes(around(_pem(bytes(data))))
        try:
            _, found = read_request(path, "oak")
        except InputError:
            continue
        assert found.public_numbers() == same
        accepted += 1
    assert accepted <= 5  # a byte that was drawn as it is


def _pem(der):
    from base64 import encodebytes

    name = b"CERTIFICATE REQUEST-----\n"
    return b"-----BEGIN " + name + encodebytes(der) + b"-----END " + name
