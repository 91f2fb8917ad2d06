"""Two machines with one member's key: who is there stays, and all who should know are told."""

import shutil
import time

import pytest

from fedfact.federation.deploy.flare.presence import _Heard, _plain
from fedfact.federation.deploy.flare.processes import start_site

from ..hostile_member import UNHEARD, Outside
from .conftest import ENVIRONMENT, is_good

TAKEN = 75


def test_an_address_is_one_whatever_the_server_says():
    assert _plain("192.0.2.7:4711") == "192.0.2.7"
    assert _plain("[2001:db8::1]:4711") == "2001:db8::1"
    for said in (None, 7, "", "x" * 10**6, "\x1b[31m:1", {"a": 1}, "192.0.2.7\n:1"):
        assert _plain(said) == "an unknown address"


def test_what_the_server_says_again_and_again_is_written_once(tmp_path):
    heard = _Heard(tmp_path / "member.log")
    for _ in range(100):
        heard.take({"wanted": "192.0.2.7:4711"})
        heard.take({"taken": "192.0.2.8:4711"})
        heard.take({"run": "id"})
    wanted, taken = (tmp_path / "member.log").read_text().splitlines()
    assert "a second site, at 192.0.2.7, has this member's key" in wanted
    assert "is connected already, from 192.0.2.8; it keeps its place" in taken


@pytest.mark.thorough
def test_a_copy_of_a_members_directory_does_not_push_it_out(federation):
    pytest.importorskip("nvflare")
    federation.start().wait_for_all()
    copy = federation.root / "copy"
    shutil.copytree(federation.root / "cid", copy, ignore=shutil.ignore_patterns("flare"))
    before = len((federation.root / "cid" / "received").read_text())
    second = start_site(federation.kit("cid"), copy, ENVIRONMENT)
    try:
        assert second.wait(90) == TAKEN
    finally:
        second.stop()
    told = (copy / "member.log").read_text()
    assert "key and certificate is connected already, from 127.0.0.1" in told
    assert "a second site, at 127.0.0.1," in (federation.root / "cid" / "member.log").read_text()
    noted = (federation.directory / "operator.log").read_text()
    assert "cid: a site at 127.0.0.1" in noted
    federation.wait_for_all()
    assert federation.supervisor.status.jobs == 1, "nothing happened to the first"
    assert not [found for found in federation.rounds() if "cid" not in found["reachable"]]
    assert len((federation.root / "cid" / "received").read_text()) > before
    federation.sites["cid"].stop()  # its place is free at once
    again = start_site(federation.kit("cid"), copy, ENVIRONMENT)
    federation.sites["cid"] = again
    deadline = time.monotonic() + 60
    while (
        not (copy / "flare" / "log.txt").exists()
        or "Successfully registered" not in (copy / "flare" / "log.txt").read_text()
    ):
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.thorough
def test_a_second_site_below_the_first_takes_nothing_from_it(federation):
    """Who has a member's key may connect as a process of that member, and is not heard."""
    pytest.importorskip("nvflare")
    federation.start().wait_for_all()
    job = federation.supervisor.status.job
    with Outside(federation.site("cid"), "cid.evil") as thief:
        assert thief.connected
        assert thief.register() != "ok"
        for topic in ("quit", "heart_beat"):
            assert thief.say("server", "task", topic, claims={"name": "cid"}) in UNHEARD
    with Outside(federation.site("cid"), f"cid.{job}", patience=6.0) as thief:
        assert not thief.connected  # cid's job is there
    seen = len(federation.rounds())
    federation.wait(lambda found: found["round"] > seen + 20)
    assert not [found for found in federation.rounds()[seen:] if not is_good(found, "cid")]
    assert federation.supervisor.status.jobs == 1
