"""Asking members over FLARE: replies, failures, deadlines."""

import socket
import ssl
import statistics

import psutil
import pytest

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough


def test_all_members_answer_and_a_round_is_quick(running):
    first = running.wait_for_all()["round"]
    running.wait(lambda found: found["round"] >= first + 20)
    seconds = [found["seconds"] for found in running.rounds()[first:]]
    assert statistics.median(seconds) < 0.2


def test_a_member_is_sent_its_own_request_and_no_other(running):
    running.wait_for_all()
    for member in ("ann", "bob", "cid"):
        received = (running.root / member / "received").read_text().splitlines()
        assert set(received) == {f"train to {member}"}


def test_of_an_exception_the_operator_learns_its_class_and_nobody_else_anything(running):
    words = "the data of ann cannot be read"
    (running.root / "ann" / "fail").write_text(words)
    found = running.wait(lambda found: isinstance(found["answers"]["ann"], list))
    assert found["answers"]["ann"] == ["error", "failed"]
    said = (running.root / "ann" / "member.log").read_text()
    assert f"failed in train: ValueError: {words}\n" in said
    assert "| Traceback" in said
    assert found["answers"]["bob"] == "bob did train"
    (running.root / "ann" / "fail").unlink()
    running.wait_for_all()
    for path in (running.root / "operator").rglob("*"):
        assert not path.is_file() or words.encode() not in path.read_bytes(), path


def test_of_a_refusal_the_operator_learns_no_words(running):
    words = "patient 17 has no age"
    (running.root / "ann" / "refuse").write_text(words)
    found = running.wait(lambda found: isinstance(found["answers"]["ann"], list))
    assert found["answers"]["ann"] == ["error", "refused"]
    (running.root / "ann" / "refuse").unlink()
    running.wait_for_all()
    for path in (running.root / "operator").rglob("*"):
        assert not path.is_file() or words.encode() not in path.read_bytes(), path


def test_a_late_member_is_passed_over_and_comes_back_when_it_is_done(running):
    (running.directory / "timeout").write_text("0.7")
    running.wait(lambda found: found["timeout"] == 0.7)
    (running.root / "bob" / "slow").write_text("3")
    late = running.wait(lambda found: isinstance(found["answers"].get("bob"), list))
    assert late["answers"]["bob"] == ["timeout", "no reply to train in 0.7 seconds"]
    assert 0.7 <= late["seconds"] < 1.2
    next_one = running.wait(lambda found: found["round"] > late["round"])
    assert next_one["reachable"] == ["ann", "cid"]
    assert next_one["seconds"] < 0.6
    back = running.wait_for_all()
    assert running.supervisor.status.jobs == 1
    assert sum(found["seconds"] for found in running.rounds()[late["round"] : back["round"]]) > 2
    (running.directory / "timeout").unlink()


def test_a_large_model_passes(running):
    (running.root / "cid" / "big").write_text("30000000")
    found = running.wait(lambda found: found["answers"].get("cid") == 30_000_000)
    assert found["answers"]["ann"] == "ann did train"
    (running.root / "cid" / "big").unlink()
    running.wait_for_all()


def test_everything_listens_on_the_loopback_interface_only(running):
    listening = [
        connection.laddr
        for process in psutil.Process().children(recursive=True)
        for connection in process.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
    assert running.port in {address.port for address in listening}
    assert {address.ip for address in listening} == {"127.0.0.1"}


def test_without_a_certificate_there_is_no_connection(running):
    context = ssl.create_default_context(cafile=running.directory / "tls" / "authority.crt")
    context.check_hostname = False  # its name there is "server", whatever the machine is called

    def talk():
        with (
            socket.create_connection(("127.0.0.1", running.port), timeout=10) as plain,
            context.wrap_socket(plain, server_hostname="localhost") as secured,
        ):
            secured.sendall(b"hello")
            return secured.recv(1)

    with pytest.raises(ssl.SSLError, match=r"certificate required|EOF occurred"):
        talk()
