"""What is let in: no strangers, no other class, no code."""

import json
import subprocess
import sys
import time

import psutil
import pytest

from fedfact.federation.deploy.flare import workspace
from fedfact.federation.deploy.flare.job.definition import write_job
from fedfact.federation.deploy.flare.server.admin import Admin

from .conftest import MEMBERS, Federation

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough

FILE = "startup/fed_client.json"
SHOW = f"""
import os, sys
from nvflare.fuel.flare_api.flare_api import new_secure_session
session = new_secure_session("operator@fedfact.org", sys.argv[1])
print(session.do_command("cat ann {FILE}"), flush=True)
session.close()
os._exit(0)
"""
TRAINER = "np_trainer.NPTrainer"


def outcome(federation, folder, patience=40):
    """How a job ends that a dishonest operator hands in."""
    deadline = time.monotonic() + patience
    with Admin(federation.admin) as admin:
        job = admin.submit(folder)
        while time.monotonic() < deadline:
            state = admin.state(job)
            if state.startswith("FINISHED"):
                return state
            time.sleep(0.2)
    raise AssertionError("the job does not end")


def change(path, do):
    document = json.loads(path.read_text())
    do(document)
    path.write_text(json.dumps(document))


def test_a_site_of_another_federation_is_refused(federation, tmp_path):
    """Same names, same port, another authority; it does not even look."""
    other = Federation(tmp_path / "other", port=federation.port)
    federation.start(["ann", "bob"], patience=8)
    other.start_site("cid")
    try:
        found = federation.wait(lambda found: len(found["reachable"]) == 2)
        assert found["reachable"] == ["ann", "bob"]
        assert federation.supervisor.status.registered == {"ann", "bob"}
        assert not (other.root / "cid" / "received").exists()
    finally:
        other.close()


def test_a_class_that_is_not_on_the_list_is_not_built(running, tmp_path):
    folder = write_job(tmp_path / "job", ["ann", "bob", "cid"], 3)

    def other(document):
        document["executors"][0]["executor"]["path"] = f"nvflare.app_common.np.{TRAINER}"

    change(folder / "member" / "config" / "config_fed_client.json", other)
    with running.submitted(folder, "is not in allow_list") as log:
        assert f"{TRAINER}' at config path" in log


def test_code_that_comes_with_a_job_is_refused(federation, tmp_path, monkeypatch):
    """By the sites, even where the operator has the server let it pass."""
    monkeypatch.setitem(workspace._RIGHTS, "byoc", "any")
    federation.start([]).wait_for_server()
    monkeypatch.undo()
    for member in MEMBERS:
        federation.start_site(member)
    federation.wait_for_all()
    folder = write_job(tmp_path / "job", ["ann", "bob", "cid"], 3)
    proof = tmp_path / "ran"
    code = folder / "member" / "custom"
    code.mkdir()
    (code / "intruder.py").write_text(f"open({str(proof)!r}, 'w').close()\n")

    def intrude(document):
        document["executors"][0]["executor"]["path"] = "intruder.Intruder"

    change(folder / "member" / "config" / "config_fed_client.json", intrude)
    assert outcome(federation, folder) == "FINISHED:FAILED_TO_RUN"
    log = (federation.server / "flare.log").read_text()
    for member in ("ann", "bob", "cid"):
        assert f"{member}: refused: a job brings settings, and no code" in log
        assert not [*(federation.root / member / "flare").rglob("custom")]
    assert not proof.exists()
    words = [sys.executable, "-c", SHOW, federation.admin]
    said = subprocess.run(words, capture_output=True, text=True, timeout=150).stdout
    assert "ssl_private_key" in (federation.root / "ann" / "flare" / FILE).read_text()
    assert "invalid_request" in said or "no_reply" in said
    assert "ssl_private_key" not in said


def test_a_jobs_process_imports_from_nowhere_but_its_site_does(running):
    """FLARE would add ``custom`` of the job to the path, whether there is such a folder or not."""
    for site in running.sites.values():
        [job] = psutil.Process(site.pid).children()
        assert "fedfact.federation.deploy.flare.process_entry" in job.cmdline()
        own = psutil.Process(site.pid).environ().get("PYTHONPATH")
        assert job.environ()["PYTHONPATH"] == own


def test_private_keys_are_for_their_owners_only(running):
    keys = [*running.directory.rglob("*.key"), *running.root.glob("*/tls.key")]
    names = {path.name for path in keys}
    assert names == {"operator.key", "authority.key", "server.key", "admin.key", "tls.key"}
    assert {path.stat().st_mode & 0o777 for path in keys} == {0o600}
    of_members = {(running.root / member / "tls.key").read_bytes() for member in MEMBERS}
    assert len(of_members) == 3
    for path in running.directory.rglob("*"):
        assert not path.is_file() or path.read_bytes() not in of_members
