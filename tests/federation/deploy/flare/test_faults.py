"""Processes killed with SIGKILL, and what becomes of the rounds."""

import time

import psutil
import pytest

from fedfact.errors import InputError
from fedfact.federation.deploy.flare.guard import is_alive

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough


def without(member):
    return lambda found: member not in found["reachable"] and len(found["reachable"]) == 2


def family(pid):
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def kill(processes):
    for process in processes:
        process.kill()
    wait_until_dead(processes)


def wait_until_dead(processes, patience=8):
    deadline = time.monotonic() + patience
    while any(is_alive(process) for process in processes):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_job_process_of_a_site_is_killed(federation):
    federation.start().wait_for_all()
    kill(family(federation.sites["bob"].pid)[1:])
    federation.wait_for_all()
    assert federation.supervisor.status.jobs == 2


def test_a_whole_site_is_killed_and_started_again(federation):
    federation.start().wait_for_all()
    kill(family(federation.sites["bob"].pid))
    lost = time.monotonic()
    federation.wait(without("bob"))
    assert time.monotonic() - lost < 5
    federation.start_site("bob")
    federation.wait_for_all()
    assert federation.supervisor.status.jobs == 2


def test_the_server_is_killed_with_its_job(federation):
    federation.start().wait_for_all()
    kill(family(federation.supervisor._server._process.pid))
    before = len(federation.rounds())
    federation.wait_for_all()
    numbers = [found["round"] for found in federation.rounds()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > before


def test_an_orphan_ends_by_itself_even_if_it_is_busy(federation):
    federation.start().wait_for_all()
    (federation.root / "bob" / "slow").write_text("100")
    while (federation.root / "bob" / "slow").exists():
        time.sleep(0.01)
    site, *jobs = family(federation.sites["bob"].pid)
    kill([site])
    assert jobs
    wait_until_dead(jobs)
    federation.start_site("bob")
    federation.wait_for_all()


def test_a_finished_protocol_ends_all(federation):
    federation.start().wait_for_all()
    server = family(federation.supervisor._server._process.pid)
    (federation.directory / "season-1/finish").touch()
    federation.thread.join(20)
    assert not federation.thread.is_alive()
    assert not federation.raised
    assert not any(is_alive(process) for process in server)
    wait_until_dead(family(federation.sites["ann"].pid)[1:])


def test_a_refused_protocol_says_why(federation):
    (federation.directory / "refuse").write_text("the disk is full; make room")
    federation.start()
    federation.thread.join(40)
    assert [str(error) for error in federation.raised] == ["the disk is full; make room"]
    assert isinstance(federation.raised[0], InputError)


def test_a_quorum_starts_without_the_rest_and_takes_it_in_later(federation):
    federation.start(("ann", "bob"), patience=3)
    federation.wait(without("cid"))
    federation.start_site("cid")
    federation.wait_for_all()
    assert federation.supervisor.status.jobs == 2
