"""Kits as others send them: what is no kit is refused by name, and nothing is written."""

import copy
import json
import os
import random
import shutil
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from fedfact.errors import InputError
from fedfact.federation.deploy.flare.kits import certificates
from fedfact.federation.deploy.flare.kits.certificates import Authority, read_key
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.site import joining
from fedfact.federation.deploy.flare.site.joining import take_kit
from fedfact.federation.wire.canonical import canonical

CASES = 1500  # for each of the seeds


@pytest.fixture
def oak(kits, tmp_path):
    """A member's directory before it joins for the first time."""
    for name in ("member.toml", "tls.key"):
        (tmp_path / name).write_bytes((kits.root / "oak" / name).read_bytes())
    (tmp_path / "tls.key").chmod(0o600)
    return tmp_path


@pytest.fixture(scope="module")
def good(kits):
    return json.loads(kits.kits["oak"].read_bytes())


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """The authority of another consortium."""
    return Authority(tmp_path_factory.mktemp("other"))


def refusal(oak, document):
    """Why a kit is refused; that nothing was written."""
    kit, before = oak / "oak.kit.json", {*oak.iterdir(), oak / "oak.kit.json"}
    kit.write_bytes(document if isinstance(document, bytes) else canonical(document))
    with pytest.raises(InputError) as refused:
        take_kit(kit, oak / "member.toml")
    assert set(oak.iterdir()) == before
    assert str(refused.value).startswith(f"{kit}: ")
    return str(refused.value)


def test_a_kit_holds_no_secret_and_is_taken(kits, oak):
    kit = take_kit(kits.kits["oak"], oak / "member.toml")
    assert (kit.member, str(kit.server)) == ("oak", "localhost:28107")
    assert "PRIVATE" not in kits.kits["oak"].read_text()
    assert (oak / "season-1/terms.json").read_bytes() == (
        kits.directory / "season-1/terms.json"
    ).read_bytes()
    changed = kit.model_copy(update={"terms": kit.terms.model_copy(update={"name": "x"})})
    (oak / "changed.kit.json").write_bytes(changed.encoded())
    with pytest.raises(InputError, match="is of another federation than the kit"):
        take_kit(oak / "changed.kit.json", oak / "member.toml")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("components",), [], "components: extra inputs are not permitted"),
        (("server", "scheme"), "grpc", "server.scheme: extra inputs are not permitted"),
        (("terms", "code"), "x", "terms.code: extra inputs are not permitted"),
        (("format",), 2, "a kit of format 2, and this fedfact reads format 1"),
        (("format",), True, "format: input should be a valid integer"),
        (("member",), "../oak", "member: string should match pattern"),
        (("member",), "elm", "is of elm, and member.toml says name = 'oak'"),
        (("server", "host"), "a b", "server.host: value error, 'a b' is no host name"),
        (("server", "host"), "-oProxyCommand=x", "is no host name"),
        (("server", "host"), "evil:1/", "is no host name"),
        (("server", "port"), 0, "server.port: input should be greater than or equal to 1"),
        (("server", "port"), 65536, "server.port: input should be less than or equal to 65535"),
        (("server", "port"), "80", "server.port: input should be a valid integer"),
        (("certificate",), "", "certificate: value error, is not one certificate"),
        (("certificate",), "x" * 20_000, "certificate: string should have at most 16384"),
        (("authority",), None, "authority: input should be a valid string"),
        (("terms", "format"), 9, "terms.format: input should be less than or equal to 1"),
    ],
)
def test_what_has_no_place_in_a_kit_is_refused_by_name(oak, good, path, value, said):
    changed = copy.deepcopy(good)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert said in refusal(oak, changed)


@pytest.mark.parametrize("field", ["format", "member", "server", "authority", "certificate"])
def test_what_a_kit_lacks_is_refused_by_name(oak, good, field):
    assert f"{field}: field required" in refusal(oak, {k: good[k] for k in good if k != field})


def test_a_certificate_for_somebody_else_is_refused(oak, good, kits, other):
    own = read_key(oak / "tls.key").public_key()
    theirs = read_key(kits.root / "elm" / "tls.key").public_key()
    authority = Authority(kits.directory / "tls")
    more = [(x509.BasicConstraints(ca=True, path_length=None), True)]
    able_to_certify = authority._sign(certificates._subject("oak"), own, 9, more)
    for certificate, said in (
        (authority.certify("oak", theirs), "is for another key than the member's"),
        (authority.certify("elm", own), "is not for oak"),
        (authority.certify("operator@fedfact.org", own), "is not for oak"),
        (authority.certify("server", own), "is not for oak"),
        (able_to_certify, "says more than a member's does, or less"),
        (other.certify("oak", own), "was not issued by the authority beside it"),
        (authority.pem, "is for another key"),
        (good["certificate"] * 2, "is not one certificate"),
        (f"look:\n{good['certificate']}", "is not one certificate"),
    ):
        assert said in refusal(oak, {**good, "certificate": certificate})
    assert "was not issued by" in refusal(oak, {**good, "authority": other.pem})


def test_an_authority_with_a_key_that_flare_cannot_use_is_refused(oak, good):
    key = ec.generate_private_key(ec.SECP256R1())
    own = read_key(oak / "tls.key").public_key()
    name, now = certificates._AUTHORITY, datetime.now(UTC)
    root, leaf = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(name)
        .public_key(public)
        .serial_number(7)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, certificates.SHA256())
        for subject, public in ((name, key.public_key()), (certificates._subject("oak"), own))
    )
    changed = {"authority": certificates._pem(root), "certificate": certificates._pem(leaf)}
    assert "was not issued by the authority" in refusal(oak, {**good, **changed})


@pytest.mark.parametrize(
    ("days", "said"), [(-1, "has expired, it on "), (-360, "has expired, it on ")]
)
def test_a_certificate_whose_time_is_over_is_refused(oak, good, kits, monkeypatch, days, said):
    monkeypatch.setattr(certificates, "VALID_DAYS", days)
    monkeypatch.setattr(certificates, "_SKEW", timedelta(days=1000))
    own = read_key(oak / "tls.key").public_key()
    late = Authority(kits.directory / "tls").certify("oak", own)
    assert said in refusal(oak, {**good, "certificate": late})


def test_a_certificate_of_tomorrow_is_refused(oak, good, kits, monkeypatch):
    monkeypatch.setattr(certificates, "_SKEW", timedelta(days=-2))
    own = read_key(oak / "tls.key").public_key()
    early = Authority(kits.directory / "tls").certify("oak", own)
    assert "is not valid yet, it from " in refusal(oak, {**good, "certificate": early})


def test_what_is_no_plain_file_of_a_kits_size_is_refused(oak, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no plain file; give the kit"):
        read_kit(tmp_path / "pipe")
    assert "bytes; give the kit" in refusal(oak, b" " * 300_000)
    with pytest.raises(InputError, match="is a directory; name the kit"):
        read_kit(tmp_path)


@pytest.fixture
def quick(oak, monkeypatch):
    """The member's key is read once: to check it takes longer than all the rest."""
    key = read_key(oak / "tls.key")
    monkeypatch.setattr(joining, "read_key", lambda path: key)
    return key.public_key()


VALUES = (
    None, True, 0, -1, 2**63, 2**70, 1.5, "", "\0", "x" * 70_000, "../../etc/passwd", "ü", [], {},
    {"path": "subprocess.Popen"}, {"()": "os.system"}, [[[[]]]], "$(id)", "oak", 8002,
)  # fmt: skip


def spots(document, path=()):
    """Where the values of a document are."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield (*path, key)
            yield from spots(value, (*path, key))


def mutated(draw, good, sound):
    """A kit of which something is not as it was."""
    document = copy.deepcopy(good)
    path = draw.choice(list(spots(document)))
    at = document
    for key in path[:-1]:
        at = at[key]
    how = draw.randrange(6)
    if how == 0:
        at[path[-1]] = copy.deepcopy(draw.choice(VALUES))
    elif how == 1:
        at[draw.choice(("path", "class", "args", "x", "__class__", "()"))] = draw.choice(VALUES)
    elif how == 2:
        del at[path[-1]]
    elif how == 3:
        at[path[-1] + draw.choice((" ", "s", "\0"))] = at.pop(path[-1])
    elif how == 4:
        document[draw.choice(("certificate", "authority"))] = draw.choice(sound)
    else:
        data = bytearray(canonical(document))
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        return bytes(data)
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_kits_are_refused_in_words_and_nothing_is_written(
    oak, quick, good, kits, other, seed
):
    """But for terms, a host and a port, which an operator may set as it likes."""
    draw, taken = random.Random(seed), []
    of_elm = json.loads(kits.kits["elm"].read_bytes())["certificate"]
    sound = [other.pem, other.certify("oak", quick), of_elm]
    kit, before = oak / "oak.kit.json", {*oak.iterdir(), oak / "oak.kit.json"}
    original = canonical(good)
    for _ in range(CASES):
        data = mutated(draw, good, sound)
        if data == original:
            continue
        kit.write_bytes(data)
        try:
            found = take_kit(kit, oak / "member.toml")
        except InputError as error:
            words = str(error)
        else:
            words = f"{kit}: "
            taken.append(found)
            shutil.rmtree(oak / f"season-{found.terms.season}")
        assert words.startswith(f"{kit}: ")
        assert len(words) < 2000
        assert set(oak.iterdir()) == before
    for each in taken:
        assert each.member == "oak"
        assert (each.authority, each.certificate) == (good["authority"], good["certificate"])
    assert len(taken) < CASES / 10


@pytest.mark.parametrize("seed", range(2))
def test_mutated_certificates_are_refused_in_words(oak, quick, good, seed):
    draw = random.Random(seed)
    head, *lines, foot = good["certificate"].splitlines()
    der = b64decode("".join(lines))
    for _ in range(300):
        data = bytearray(der)
        at = draw.randrange(len(data))
        data[at] = (data[at] + draw.randrange(1, 256)) % 256
        text = b64encode(data).decode()
        rows = [text[k : k + 64] for k in range(0, len(text), 64)]
        refusal(oak, {**good, "certificate": "\n".join([head, *rows, foot, ""])})
