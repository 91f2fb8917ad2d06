"""What kits let in: no strangers, no other class, no code."""

import json
import shutil
import subprocess
import sys
import time

import pytest

from fedfact.errors import InputError
from fedfact.federation.deploy.flare.job.definition import write_job
from fedfact.federation.deploy.flare.server.admin import Console

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


def provision(*arguments, **options):
    from fedfact.federation.deploy.flare.kits import provision

    return provision.provision(*arguments, **options)


def outcome(federation, folder, patience=40):
    """How a job ends that a dishonest operator hands in."""
    deadline = time.monotonic() + patience
    with Console(federation.kits.admin) as console:
        job = console.submit(folder)
        while time.monotonic() < deadline:
            state = console.state(job)
            if state.startswith("FINISHED"):
                return state
            time.sleep(0.2)
    raise AssertionError("the job does not end")


def change(path, do):
    document = json.loads(path.read_text())
    do(document)
    path.write_text(json.dumps(document))


def test_a_site_of_another_federation_is_refused(federation, tmp_path):
    """Same names, same port, another authority."""
    other = provision(tmp_path / "other", "test", ["ann", "bob", "cid"], port=federation.port)
    shutil.move(federation.kits.members["cid"], tmp_path / "away")
    shutil.copytree(other.members["cid"], federation.kits.members["cid"])
    federation.start(patience=8)
    found = federation.wait(lambda found: len(found["reachable"]) == 2)
    assert found["reachable"] == ["ann", "bob"]
    assert federation.supervisor.status.registered == {"ann", "bob"}
    assert not (federation.root / "cid" / "received").exists()


def test_a_class_that_is_not_on_the_list_is_not_built(running, tmp_path):
    folder = write_job(tmp_path / "job", ["ann", "bob", "cid"], 3)

    def other(document):
        document["executors"][0]["executor"]["path"] = f"nvflare.app_common.np.{TRAINER}"

    change(folder / "member" / "config" / "config_fed_client.json", other)
    kit, deadline = running.kits.members["ann"], time.monotonic() + 60
    with Console(running.kits.admin) as console:
        job = console.submit(folder)
        while "allow_list" not in (log := (kit / "flare.log").read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        console.abort(job)  # a member that fails ends no job for the others
    assert f"{TRAINER}' at config path" in log
    assert "is not in allow_list" in log


def test_code_that_comes_with_a_job_is_refused(federation, tmp_path):
    """By the sites, even where the operator has the server let it pass."""
    rights = federation.kits.server / "local" / "authorization.json"
    change(rights, lambda document: document["permissions"].update(project_admin="any"))
    federation.start().wait_for_all()
    folder = write_job(tmp_path / "job", ["ann", "bob", "cid"], 3)
    proof = tmp_path / "ran"
    code = folder / "member" / "custom"
    code.mkdir()
    (code / "intruder.py").write_text(f"open({str(proof)!r}, 'w').close()\n")

    def intrude(document):
        document["executors"][0]["executor"]["path"] = "intruder.Intruder"

    change(folder / "member" / "config" / "config_fed_client.json", intrude)
    assert outcome(federation, folder) == "FINISHED:FAILED_TO_RUN"
    log = (federation.kits.server / "flare.log").read_text()
    for member in ("ann", "bob", "cid"):
        assert f"{member}: NVFLARE_ERROR: BYOC not permitted" in log
    assert not proof.exists()
    words = [sys.executable, "-c", SHOW, federation.kits.admin]
    said = subprocess.run(words, capture_output=True, text=True, timeout=150).stdout
    assert "ssl_private_key" in (federation.kits.members["ann"] / FILE).read_text()
    assert "invalid_request" in said or "no_reply" in said
    assert "ssl_private_key" not in said


def test_private_keys_are_for_their_owners_only(running):
    keys = [*running.directory.rglob("*.key"), *running.directory.glob("authority/*/state/*")]
    assert len(keys) >= 6
    assert {path.stat().st_mode & 0o777 for path in keys} == {0o600}


def test_members_can_be_added_and_kits_are_left_alone(tmp_path):
    first = provision(tmp_path, "test", ["ann"], port=20001)
    kit = (first.members["ann"] / "startup" / "client.crt").read_bytes()
    second = provision(tmp_path, "test", ["ann", "bob"], port=20001)
    assert (second.members["ann"] / "startup" / "client.crt").read_bytes() == kit
    authority = [path / "startup" / "rootCA.pem" for path in second.members.values()]
    assert authority[0].read_bytes() == authority[1].read_bytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"members": []}, "name at least one"),
        ({"members": ["a b"]}, "cannot name a member"),
        ({"members": ["ann", "Ann"]}, "named twice"),
        ({"members": ["server"]}, "cannot name a member"),
        ({"name": "../x"}, "cannot name a federation"),
        ({"host": "no host"}, "is no host name"),
        ({"port": 0}, "is no port"),
    ],
)
def test_names_that_cannot_be_are_refused(tmp_path, change, words):
    arguments = {"name": "test", "members": ["ann"], "host": "localhost", "port": 20001, **change}
    with pytest.raises(InputError, match=words):
        provision(tmp_path / "new", **arguments)
    assert not (tmp_path / "new").exists()
