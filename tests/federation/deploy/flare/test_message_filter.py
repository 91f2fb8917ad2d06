"""What passes the filter: a table of who says what to whom, and a FLARE that is not the one."""

import os
import subprocess
import sys
import types

import pytest

from fedfact.errors import DeploymentError
from fedfact.federation.deploy.flare.connections import Peer
from fedfact.federation.deploy.flare.job.environment import DIRECTORY
from fedfact.federation.deploy.flare.kits.certificates import ADMIN
from fedfact.federation.deploy.flare.message_filter import objection, stranger
from fedfact.federation.deploy.flare.patches import patch

SESSION = "_admin_7a0c5b0e-5a53-4d0b-8ac2-7d0f2c7be4a5"
CID, JOB = Peer("cid", "cid"), Peer("cid.J", "cid")
OWN_SITE, OWN_JOB = Peer("cid", inner=True), Peer("cid.J", inner=True)
OPERATOR = Peer(SESSION, ADMIN)
SERVER, PARENT = Peer("server", "server"), Peer("server", inner=True)


def message(origin, target, channel="task", topic="heart_beat", kind="req", **more):
    headers = {"origin": origin, "destination": target, "msg_type": kind}
    headers |= {"channel": channel, "topic": topic}
    return {**{f"cn__{key}": value for key, value in headers.items()}, **more}


def streamed(origin, target, channel, topic):
    inner = {"sm__ch": channel, "sm__tp": topic}
    return message(origin, target, "sm__STREAM", "sm__DATA", **inner)


PASSES = [
    ("server", CID, message("cid", "server", client_name="cid")),
    ("server", CID, message("cid", "server", "admin", "any", "reply")),
    ("server", CID, message("cid.J", "server.J", "server_command", "get_task")),
    ("server", JOB, streamed("cid.J", "server.J", "server_command", "submit_update")),
    ("server", JOB, streamed("cid.J", "server.J", "return_only", "anything:at all")),
    ("server", JOB, message("cid.J", "server", "cellnet.channel", "bye")),
    ("server", OPERATOR, message(SESSION, "server", "hci_channel", "command")),
    (
        "server",
        Peer("server.J", inner=True),
        message("server.J", "cid.J", "client_command", "abort"),
    ),
    ("server.J", PARENT, message("cid.J", "server.J", "server_command", "get_task")),
    ("cid", SERVER, message("server", "cid", "admin", "train.shutdown")),
    ("cid", OWN_JOB, message("cid.J", "cid", "admin", "train.notify_job_status")),
    ("cid", OWN_JOB, message("cid.J", "server.J", "server_command", "get_task")),
    (
        "cid.J",
        Peer("cid", inner=True),
        message("server.J", "cid.J", "aux_communication", "__end_run__"),
    ),
]

DROPPED = [
    ("server", CID, message("cid", "ann", "admin", "train.shutdown"), "from one member to another"),
    ("server", CID, message("cid", "ann", kind="reply"), "from one member to another"),
    ("server", CID, message("ann", "server"), "speaks for another"),
    ("server", CID, message("server", "ann"), "speaks for another"),
    ("server", CID, message("cidre", "server"), "speaks for another"),
    ("server", CID, message("cid", "server", client_name="ann"), "speaks for another"),
    ("server", CID, message("cid", "server", client_type="admin"), "wants to be more"),
    ("server", CID, message("cid", SESSION), "from one member to another"),
    ("server", CID, message("cid", "server", "hci_channel", "command"), "no site makes"),
    ("server", CID, message("cid", "server", "cellnet.channel", "bulk"), "no site makes"),
    ("server", CID, message("cid", "server.J"), "no site makes"),
    ("server", CID, message("cid", "server", kind="other", topic="x"), "no site makes"),
    ("server", CID, message("cid", "server", topic=["quit"]), "no site makes"),
    ("server", JOB, message("cid.J", "server.J", "server_command", "abort"), "no site makes"),
    ("server", JOB, streamed("cid.J", "server.J", "server_command", "abort"), "no site makes"),
    ("server", JOB, streamed("cid.J", "server", "task", "heart_beat"), "no site makes"),
    ("server", CID, {}, "without origin"),
    ("server", CID, message(["cid"], "server"), "without origin"),
    ("server", Peer("ann", "cid"), message("cid", "server"), "another's name"),
    ("server", Peer(SESSION, "cid"), message(SESSION, "server"), "another's name"),
    ("server", Peer("server", "cid"), message("server", "server"), "another's name"),
    ("server", OPERATOR, message(SESSION, "ann", "admin", "train.shutdown"), "speaks for itself"),
    ("server", OPERATOR, message("server", "server"), "speaks for itself"),
    ("server", Peer("cid", inner=True), message("cid", "server"), "of another machine"),
    ("server", Peer("server.J", inner=True), message("server", "ann"), "speaks for another"),
    ("cid", SERVER, message("ann", "cid", "admin", "train.shutdown"), "of another member"),
    ("cid", SERVER, message("cid", "cid", "admin", "train.shutdown"), "of another member"),
    ("cid", Peer("server", "ann"), message("server", "cid", "admin", "any"), "not the server"),
    ("cid.J", Peer("server", "ann"), message("server.J", "cid.J"), "not the server"),
    ("cid", SERVER, message("server", "ann"), "to another member"),
    ("server", CID, message("cid", "server", cn__conn_url="tcp://cid:1"), "asks for a connection"),
    ("cid", SERVER, message("server", "cid", cn__conn_url="tcp://x:1"), "asks for a connection"),
    ("server", Peer("cid"), message("cid", "server"), "no certificate"),
    ("server", Peer("server.evil"), message("server.evil", "ann"), "no certificate"),
    ("cid", Peer("cid.evil"), message("cid.evil", "cid"), "no certificate"),
    ("server", Peer("cid.evil", "cid"), message("cid.evil", "server"), "comes from elsewhere"),
    ("server", CID, message("cid.J", "server", topic="register"), "comes from elsewhere"),
    ("cid", Peer("ann", "ann"), message("server", "cid"), "not the server"),
    ("cid", Peer("ann", inner=True), message("server", "cid"), "of another machine"),
    ("cid.J", SERVER, message("ann.J", "cid.J", "client_command", "abort"), "of another member"),
]


@pytest.mark.parametrize(("own", "peer", "headers"), PASSES)
def test_what_honest_sites_need_passes(own, peer, headers):
    assert objection(own, peer, headers) is None
    assert stranger(own, peer) is None


@pytest.mark.parametrize(("own", "peer", "headers", "why"), DROPPED)
def test_the_rest_is_dropped_and_it_is_said_why(own, peer, headers, why):
    assert why in objection(own, peer, headers)


def theirs(one, two):
    return one, two


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("no_such_module:theirs", "No module named"),
        (f"{__name__}:none", "no attribute 'none'"),
        (f"{__name__}:PASSES", "not a callable"),
        (f"{__name__}:theirs", "takes one, two"),
    ],
)
def test_a_flare_that_is_not_as_expected_is_refused(place, words, monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, types.ModuleType(__name__))
    vars(sys.modules[__name__]).update(theirs=theirs, PASSES=PASSES)
    with pytest.raises(DeploymentError, match=words):
        patch(place, ("one",), lambda function: function)
    assert sys.modules[__name__].theirs is theirs


CHANGED = """
import sys
from nvflare.fuel.f3.cellnet.core_cell import CoreCell
CoreCell.process_message = lambda self, message: None
sys.argv = ["process_entry", "{kind}", "{parent}", *{words}]
import runpy
entry = "fedfact.federation.deploy.flare.process_entry"
runpy.run_module(entry, run_name="__main__", alter_sys=True)
"""
WORKER = "nvflare.private.fed.app.client.worker_process"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "words"),
    [("client", ["{kit}", "ann"]), ("server", ["{kit}", "server"]), ("job", [WORKER])],
)
def test_no_process_runs_with_a_flare_that_is_not_as_expected(tmp_path, kind, words):
    pytest.importorskip("nvflare")
    words = [word.format(kit=tmp_path) for word in words]
    code = CHANGED.format(kind=kind, parent=os.getpid(), words=words)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, DIRECTORY: str(tmp_path)},
    )
    assert done.returncode == 1
    assert done.stderr.startswith("fedfact: this NVIDIA FLARE is not the one that fedfact guards")
    assert "Traceback" not in done.stderr
