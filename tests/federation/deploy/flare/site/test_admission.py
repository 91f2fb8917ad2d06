"""What a member is told of a server that does not let it in."""

import socket
import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from fedfact.errors import DeploymentError
from fedfact.federation.deploy.flare.kits import certificates
from fedfact.federation.deploy.flare.kits.certificates import Authority, make_key
from fedfact.federation.deploy.flare.kits.kit import Address, read_kit
from fedfact.federation.deploy.flare.site.admission import why_not_admitted


@contextmanager
def listening(serve):
    """A server on a free port that does this with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def accept():
            try:
                line, _ = listener.accept()
                with line:
                    serve(line)
            except OSError:
                pass

        thread = threading.Thread(target=accept)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def with_tls(folder, trusted=None):
    """A server with the certificate in this folder that takes members of that authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.crt", folder / "server.key")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(trusted or folder / "authority.crt")

    def serve(line):
        with context.wrap_socket(line, server_side=True):
            pass

    return serve


@pytest.fixture
def at(kits):
    """The kit of a member whose server is on this port."""
    kit = read_kit(kits.kits["oak"])
    return lambda port, host="localhost": kit.model_copy(
        update={"server": Address(host=host, port=port)}
    )


@pytest.fixture
def oak(kits):
    return kits.root / "oak"


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    folder = tmp_path_factory.mktemp("other")
    Authority(folder)
    return folder


def test_its_own_server_lets_it_in(kits, at, oak):
    with listening(with_tls(kits.directory / "tls")) as port:
        assert why_not_admitted(at(port), oak) is None


def test_where_nobody_is_yet_it_may_try_again(at, oak):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert why_not_admitted(at(port), oak) == (
        f"localhost:{port}: nobody answers there yet (connection refused)"
    )
    assert "nowhere.invalid:1: nobody answers there yet (" in why_not_admitted(
        at(1, "nowhere.invalid"), oak
    )
    with listening(lambda line: None) as port:
        assert "localhost" in why_not_admitted(at(port), oak)


@pytest.mark.parametrize("trusts", ["ours", "other"])
def test_the_server_of_another_consortium_is_an_error(kits, at, oak, other, trusts):
    trusted = (kits.directory / "tls" if trusts == "ours" else other) / "authority.crt"
    with (
        listening(with_tls(other, trusted)) as port,
        pytest.raises(DeploymentError, match="is not that of this kit's consortium"),
    ):
        why_not_admitted(at(port), oak)


def test_a_server_that_does_not_take_the_member_is_an_error(kits, at, oak, other):
    with (
        listening(with_tls(kits.directory / "tls", other / "authority.crt")) as port,
        pytest.raises(DeploymentError, match="does not take this kit's certificate"),
    ):
        why_not_admitted(at(port), oak)


def test_a_member_that_says_it_is_the_server_is_not_believed(kits, at, oak, tmp_path):
    authority = Authority(kits.directory / "tls")
    (tmp_path / "server.crt").write_text(
        authority.certify("elm", make_key(tmp_path / "server.key").public_key())
    )
    with (
        listening(with_tls(tmp_path, kits.directory / "tls" / "authority.crt")) as port,
        pytest.raises(DeploymentError, match="is not that of this kit's consortium"),
    ):
        why_not_admitted(at(port), oak)


def test_certificates_whose_time_is_over_are_told(kits, at, oak, tmp_path, monkeypatch):
    authority, tls = Authority(kits.directory / "tls"), kits.directory / "tls"
    own = make_key(oak / "tls.key").public_key()
    key = make_key(tmp_path / "server.key").public_key()
    monkeypatch.setattr(certificates, "VALID_DAYS", -1)
    monkeypatch.setattr(certificates, "_SKEW", timedelta(days=9))
    (tmp_path / "server.crt").write_text(authority.certify("server", key))
    late = authority.certify("oak", own)
    with (
        listening(with_tls(tmp_path, tls / "authority.crt")) as port,
        pytest.raises(DeploymentError, match="the server's certificate has expired"),
    ):
        why_not_admitted(at(port), oak)
    with (
        listening(with_tls(tls)) as port,
        pytest.raises(DeploymentError, match="this member's certificate has expired"),
    ):
        why_not_admitted(at(port).model_copy(update={"certificate": late}), oak)


def test_a_server_whose_certificate_ends_soon_is_told_of(kits, at, oak):
    for days, said in ((290, 0), (310, 1)):
        warned, now = [], datetime.now(UTC) + timedelta(days=days)
        with listening(with_tls(kits.directory / "tls")) as port:
            assert why_not_admitted(at(port), oak, warned.append, now) is None
        assert len(warned) == said
    assert warned[0].startswith("the server's certificate ends on ")
    assert warned[0].endswith("in 49 days; tell the operator")


def test_another_program_is_an_error(at, oak):
    def speak(line):
        line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        line.recv(1000)

    with (
        listening(speak) as port,
        pytest.raises(DeploymentError, match="no server of a federation; ask the operator"),
    ):
        why_not_admitted(at(port), oak)
