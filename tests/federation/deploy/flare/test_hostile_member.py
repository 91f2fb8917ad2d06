"""A member's own process, with its own certificate and any message it likes, against real sites.

Each test ends with a look at the others: they work in the same job as before, and missed nothing.
"""

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack
from pathlib import Path

import pytest

from fedfact.federation.deploy.flare.kits.certificates import ADMIN
from fedfact.federation.deploy.flare.kits.request import TLS_KEY

from ..hostile_member import UNHEARD, Inside, Outside
from .conftest import ENVIRONMENT, MEMBERS, Federation, is_good

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough

HERE = Path(__file__).parent
HOSTILE = {
    **ENVIRONMENT,
    "PYTHONPATH": os.pathsep.join([str(HERE.parent), ENVIRONMENT["PYTHONPATH"]]),
    "FEDFACT_OPEN_MEMBER": "stub_hostile:open_member",
}
LOGIN = """
import os, sys
from nvflare.fuel.flare_api.flare_api import new_secure_session
try:
    session = new_secure_session(sys.argv[2], sys.argv[1], timeout=5.0)
    print("in", session.get_connected_client_list(), flush=True)
except BaseException as error:
    print("refused", error, flush=True)
os._exit(0)
"""
NOT_READABLE = "deadbeef"


class Besieged(Federation):
    """Ann and bob keep their word; cid runs a site as they do, and is hostile; dan runs none."""

    def __init__(self, root):
        super().__init__(root, members=(*MEMBERS, "dan"))

    def start(self):
        self.start_site("cid", HOSTILE)
        super().start(("ann", "bob"), patience=15)
        self.wait_for_all()
        self.job = self.supervisor.status.job
        self.inside = Inside(self.root / "cid")
        return self

    def close(self):
        self.inside.close()
        super().close()

    def unharmed(self, count=20):
        """Ann and bob answer in each of the next rounds, and in the same job."""
        deadline, seen = time.monotonic() + 60, len(self.rounds())
        while len(self.rounds()) < seen + count:
            assert time.monotonic() < deadline, (self.rounds()[-1], self.supervisor.status)
            time.sleep(0.1)
        for found in self.rounds()[seen:]:
            assert is_good(found, "ann"), found
            assert is_good(found, "bob"), found
        assert self.supervisor.status.job == self.job
        return True


@pytest.fixture(scope="module")
def besieged(tmp_path_factory):
    made = Besieged(tmp_path_factory.mktemp("besieged")).start()
    yield made
    made.close()


@pytest.fixture(params=["inside", "outside"])
def hostile(request, besieged):
    """In the job of its site, or a process of its own in the place of its site."""
    if request.param == "inside":
        yield besieged.inside
        return
    with Outside(besieged.site("dan")) as member:
        assert member.connected
        yield member


FORGED = [{}, {"origin": "server"}, {"origin": "ann"}, {"client_name": "ann"}]


@pytest.mark.parametrize("forged", FORGED)
def test_it_commands_no_other_site(besieged, hostile, forged):
    for topic in ("train.shutdown", "train.restart", "train.abort", "train.check_status"):
        assert hostile.command("ann", topic, forged, job_id=besieged.job) in UNHEARD
    for topic in ("abort", "abort_task", "show_stats"):
        target = f"ann.{besieged.job}"
        assert hostile.say(target, "client_command", topic, headers=forged) in UNHEARD
    assert besieged.unharmed()


@pytest.mark.parametrize("target", ["ann", "ann.{job}", "server", "server.{job}"])
def test_it_looks_into_no_other_process_and_ends_none(besieged, hostile, target):
    target = target.format(job=besieged.job)
    for topic in ("peers", "process_info", "config_vars", "stop", "stop_cell", "change_root"):
        assert hostile.say(target, "_net_manager", topic, body="", plain=True) in UNHEARD
    for channel, topic in (("cellnet.channel", "bulk"), ("download_service__", "any")):
        assert hostile.say(target, channel, topic) in UNHEARD
    if target not in ("server",):  # there it says goodbye for itself
        assert hostile.say(target, "cellnet.channel", "bye") in UNHEARD
    assert besieged.unharmed()


@pytest.mark.parametrize("streamed", [False, True])
def test_it_commands_no_job(besieged, hostile, streamed):
    job = f"server.{besieged.job}"
    commands = ("abort", "shutdown", "server_state", "app_command", "show_stats", "reset_errors")
    for command in commands:
        assert hostile.say(job, "server_command", command, streamed=streamed) in UNHEARD
    dead = {"inside": {"fl_client": "ann", "__fl_client__": "ann", "client": "ann"}}
    assert hostile.say(job, "server_command", "handle_dead_job", **dead) in UNHEARD
    for topic in ("update_run_status", "heartbeat", "get_clients"):
        about = {"plain": True, "body": {"execution_error": True}}
        forged = {"job_id": besieged.job}
        told = hostile.say("server", "server_parent_listener", topic, headers=forged, **about)
        assert told in UNHEARD
    panic = {"_event_type": "_fatal_system_error", "_timestamp": time.time(), "_event_id": "x"}
    claims = {"name": "cid", "job": besieged.job}
    for target in (job, "server", "ann", f"ann.{besieged.job}"):
        for topic in ("fed.event", "__end_run__", "RM.RELIABLE_REQUEST", "ObjectStreamer.Request"):
            more = {"inside": panic, "claims": claims, "streamed": streamed}
            assert hostile.say(target, "aux_communication", topic, **more) in UNHEARD
    assert besieged.unharmed()


def test_it_takes_and_gives_no_task_in_the_name_of_another(besieged):
    hostile, job = besieged.inside, f"server.{besieged.job}"
    claims = {"name": "ann", "job": besieged.job}
    for command in ("get_task", "submit_update"):
        assert hostile.say(job, "server_command", command, claims=claims) in UNHEARD
    for topic in ("__job_heartbeat__", "__task_check__", "__sync_runner__"):
        assert hostile.say(job, "aux_communication", topic, claims=claims) in UNHEARD
    for forged in FORGED[1:]:
        own = {"claims": {"name": "cid", "job": besieged.job}, "headers": forged}
        assert hostile.say(job, "server_command", "get_task", **own) in UNHEARD
    assert besieged.unharmed()


def test_nothing_it_answers_ends_the_job(besieged):
    """Results that cannot be read, or say that the job is to end; failures; streams gone wrong."""
    hostile, job = besieged.inside, f"server.{besieged.job}"
    own = {"name": "cid", "job": besieged.job}
    for streamed in (False, True):
        hostile.say(job, "server_command", "submit_update", raw=NOT_READABLE, streamed=streamed)
        for code in ("RUN_MISMATCH", "TASK_UNKNOWN", "UNSAFE_JOB"):
            result = {"inside": {"__rc__": code}, "claims": own, "streamed": streamed}
            hostile.say(job, "server_command", "submit_update", **result)
    wrong = {"sm__id": 1, "sm__em": "no", "sm__et": "BlobSizeError", "sm__ri": "evil"}
    for topic in ("sm__ERROR", "sm__ACK"):
        hostile.say(job, "sm__STREAM", topic, headers=wrong)
    for code in (101, 102, 103, 104, 9):
        failed = {"job_id": besieged.job, "code": code, "reason": "evil"}
        hostile.say("server", "task", "report_job_failure", plain=True, body=failed)
    assert besieged.unharmed()


NAMES = ["ann", "ann.{job}", "server", "server.{job}", "_admin_{uuid}", "bob.evil"]


@pytest.mark.parametrize("name", NAMES)
def test_it_connects_under_no_other_name(besieged, name):
    name = name.format(job=besieged.job, uuid=uuid.uuid4())
    with Outside(besieged.site("dan"), name, patience=6.0) as hostile:
        assert not hostile.connected
    assert besieged.unharmed()


def test_it_makes_nobody_connect_to_it(besieged, hostile):
    """FLARE connects to wherever a message says, in the clear, and believes whoever is there."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(3)
        lure = {"from": "x", "conn_url": f"tcp://127.0.0.1:{listener.getsockname()[1]}"}
        job = f"server.{besieged.job}"
        said = [
            hostile.say("server", "task", "challenge", headers=lure),
            hostile.say(job, "server_command", "get_task", headers=lure),
        ]
        with pytest.raises(TimeoutError):
            listener.accept()
    assert UNHEARD.issuperset(said)
    assert besieged.unharmed()


def test_it_logs_no_other_out(besieged, hostile):
    for forged in ({"client_name": "ann"}, {"origin": "ann"}, {"origin": "ann", "__token__": "x"}):
        for topic in ("quit", "heart_beat", "register", "challenge"):
            assert hostile.say("server", "task", topic, headers=forged, claims={}) in UNHEARD
    assert besieged.unharmed()
    assert {"ann", "bob"} <= besieged.supervisor.status.registered


def test_it_is_not_admitted_as_operator(besieged, tmp_path):
    admin = tmp_path / "admin"
    shutil.copytree(besieged.admin, admin)
    settings = admin / "startup" / "fed_admin.json"
    document, site = json.loads(settings.read_text()), besieged.site("dan")
    document["admin"]["client_cert"] = str(site / "startup" / "client.crt")
    document["admin"]["client_key"] = str(site.parent / TLS_KEY)
    settings.write_text(json.dumps(document))
    for user in ("dan", ADMIN):
        words = [sys.executable, "-c", LOGIN, str(admin), user]
        said = subprocess.run(words, capture_output=True, text=True, timeout=100).stdout
        assert "refused" in said
        assert " in " not in f" {said} "
    assert besieged.unharmed()


def test_a_connection_that_says_nothing_keeps_nobody_out(besieged):
    with ExitStack() as stack:
        lines = [socket.create_connection(("127.0.0.1", besieged.port)) for _ in range(20)]
        for line in lines:
            stack.enter_context(line)
        with Outside(besieged.site("dan")) as hostile:
            assert hostile.connected
        for line in lines:
            line.settimeout(30)
            assert line.recv(1) == b""  # it is put out
    assert besieged.unharmed()


LONG = 2 << 20  # bytes of a request, which FLARE sends in pieces of 1 MiB


def test_it_cuts_off_no_model_that_others_are_sent(besieged):
    """FLARE takes anybody's word that what it sends has not arrived, and numbers what it sends."""
    told = {"big": str(LONG), "timeout": "5"}  # it cuts itself off as well
    for name, words in told.items():
        (besieged.directory / name).write_text(words)
    try:
        seen = len(besieged.rounds())
        assert besieged.inside.cut_streams(besieged.job, 15) > 100
        found = besieged.rounds()[seen:]
    finally:
        for name in told:
            (besieged.directory / name).unlink()
    assert len(found) > 3
    assert not [each for each in found if not (is_good(each, "ann") and is_good(each, "bob"))]
    assert besieged.unharmed()


def test_it_keeps_nobody_waiting_by_not_reading(besieged):
    """FLARE's server would wait for it with all its threads."""
    with Outside(besieged.site("dan")) as hostile:
        assert hostile.register() == "ok"
        seen = len(besieged.rounds())
        hostile.flood(1500)
        assert besieged.unharmed(40)
    slowest = max(besieged.rounds()[seen:], key=lambda found: found["seconds"])
    assert slowest["seconds"] < 5, slowest


def test_it_has_a_few_connections_at_a_time(besieged):
    site = besieged.site("dan")
    context = ssl.create_default_context(cafile=site / "startup" / "rootCA.pem")
    context.check_hostname = False
    context.load_cert_chain(site / "startup" / "client.crt", site.parent / TLS_KEY)
    with ExitStack() as stack:
        put_out = 0
        for _ in range(10):
            line = socket.create_connection(("127.0.0.1", besieged.port))
            line = stack.enter_context(context.wrap_socket(stack.enter_context(line)))
            line.settimeout(3)
            try:
                put_out += line.recv(1) == b""
            except TimeoutError:
                continue  # the server has it, and has nothing to say
        assert put_out == 4
    assert besieged.unharmed()


@pytest.fixture
def unguarded(tmp_path, monkeypatch):
    """The same members, on FLARE as it is."""
    path = os.pathsep.join([str(HERE / "unguarded"), HOSTILE["PYTHONPATH"]])
    monkeypatch.setitem(ENVIRONMENT, "PYTHONPATH", path)
    monkeypatch.setitem(HOSTILE, "PYTHONPATH", path)
    made = Besieged(tmp_path).start()
    yield made
    made.close()


def test_without_the_filter_it_is_heard(unguarded):
    """That what is sent here would do harm: each attack of the tests above, once."""
    hostile, job = unguarded.inside, unguarded.job
    with socket.create_server(("127.0.0.1", 0)) as listener:
        lure = {"from": "x", "conn_url": f"tcp://127.0.0.1:{listener.getsockname()[1]}"}
        hostile.say(f"server.{job}", "server_command", "get_task", headers=lure)
        listener.settimeout(20)
        listener.accept()[0].close()
    assert hostile.say("ann", "_net_manager", "peers", body="", plain=True, timeout=5.0) == "ok"
    assert hostile.command("ann", "train.check_status", timeout=5.0) == "ok"
    assert hostile.command("ann", "train.shutdown", timeout=5.0) == "ok"
    assert unguarded.sites["ann"].wait(30) is not None


def test_registering_as_something_else_harms_nobody(federation):
    """A place below another's, or a role that it does not have: the next job runs all the same."""
    site = federation.site("cid")
    federation.start(("ann", "bob"), patience=3)
    federation.wait(lambda found: set(found["reachable"]) == {"ann", "bob"})
    for kind in ("relay", "admin"):
        with Outside(site) as hostile:
            assert hostile.register(kind) != "ok"
    with Outside(site) as hostile:
        assert hostile.register(__fqsn__="ann", __is_leaf__=False) == "ok"
        assert federation.supervisor.status.jobs == 1
        federation.start_site("bob")
        federation.wait(
            lambda found: (
                is_good(found, "ann") and is_good(found, "bob") and len(found["reachable"]) == 2
            )
        )
