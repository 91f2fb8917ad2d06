"""Commands in the foreground: told to end, or killed, they leave nothing behind."""

import json
import signal
import subprocess
import sys
import time

import psutil
import pytest

from fedfact.errors import InputError
from fedfact.federation.deploy.flare.guard import is_alive, only_one
from fedfact.federation.deploy.flare.server.admin import Admin, Unavailable
from fedfact.federation.deploy.flare.server.running import stop
from fedfact.federation.deploy.flare.server.status import Status, read_status, write_status
from fedfact.federation.deploy.flare.workspace import write_admin

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough

SITE = """
import sys
from pathlib import Path
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.processes import run_site
run_site(read_kit(Path(sys.argv[1])), Path(sys.argv[2]))
"""

SUPERVISE = """
import sys
from pathlib import Path
from fedfact.federation.deploy.flare.processes import told_to_end
from fedfact.federation.deploy.flare.server.supervise import Supervisor
directory = Path(sys.argv[1])
record = directory / "season-1/rounds.jsonl"
size = lambda: record.stat().st_size if record.exists() else 0
with told_to_end() as told:
    Supervisor(directory, 2, lambda: False, size, stop=told).run()
"""


@pytest.fixture
def command(environment):
    started = []

    def start(code, *arguments):
        words = [sys.executable, "-c", code, *map(str, arguments)]
        started.append(subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=20)


def below(process):
    return psutil.Process(process.pid).children(recursive=True)


def wait_until(done, patience=50):
    deadline = time.monotonic() + patience
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def are_dead(processes):
    return not any(map(is_alive, processes))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_a_site_takes_its_job_along(federation, command, number):
    site = command(SITE, federation.kits["cid"], federation.root / "cid")
    federation.start(["ann", "bob"]).wait_for_all()
    processes = below(site)
    assert len(processes) == 2
    site.send_signal(number)
    assert site.wait(10) == 0
    assert are_dead(processes)
    federation.wait(lambda found: found["reachable"] == ["ann", "bob"])


def test_a_killed_site_command_leaves_nothing_and_can_be_started_at_once(federation, command):
    words = SITE, federation.kits["cid"], federation.root / "cid"
    site = command(*words)
    federation.start(["ann", "bob"]).wait_for_all()
    processes = below(site)
    site.kill()
    site.wait()
    command(*words)
    wait_until(lambda: are_dead(processes), 8)
    federation.wait_for_all()


def test_a_member_joins_by_one_command_at_a_time(federation, command):
    words = SITE, federation.kits["cid"], federation.root / "cid"
    first = command(*words)
    lock = federation.root / "cid" / "flare" / "site.lock"
    wait_until(lambda: lock.exists() and lock.read_text())
    second = command(*words)
    assert second.wait(20) == 1
    assert f"a join runs there already (process {first.pid})" in second.stderr.read()


def test_an_operator_is_at_work_once_and_is_stopped(federation, command):
    first = command(SUPERVISE, federation.directory)
    wait_until((federation.server / "status.json").exists)
    at_work = read_status(federation.directory)
    assert at_work is not None
    assert at_work[0].pid == first.pid
    second = command(SUPERVISE, federation.directory)
    assert second.wait(20) == 1
    assert f"a start runs there already (process {first.pid})" in second.stderr.read()
    stop(federation.directory)
    assert first.wait(20) == 0
    assert read_status(federation.directory) is None


def test_a_stranger_is_not_stopped(federation, command):
    """The number of a process that ended long ago may be another's now."""
    federation.server.mkdir(parents=True)
    write_status(federation.directory, Status())
    path = federation.server / "status.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "since": said["since"] - 1000}))
    lock = federation.server / "supervise.lock"
    with only_one(lock, "", ""), pytest.raises(InputError, match="try again"):
        stop(federation.directory)
    with pytest.raises(InputError, match="nothing runs there"):
        stop(federation.directory)


def test_a_killed_operator_is_started_again_at_once(federation, command):
    for member in ("ann", "bob", "cid"):
        federation.start_site(member)
    operator = command(SUPERVISE, federation.directory)
    federation.wait_for_all()
    processes = below(operator)
    operator.kill()
    operator.wait()
    again = command(SUPERVISE, federation.directory)
    wait_until(lambda: are_dead(processes), 8)
    before = len(federation.rounds())
    federation.wait_for_all()
    numbers = [found["round"] for found in federation.rounds()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > before
    processes = below(again)
    again.terminate()
    assert again.wait(20) == 0
    assert are_dead(processes)


def test_without_a_server_the_session_says_so(federation):
    with Admin(write_admin(federation.directory)) as admin, pytest.raises(Unavailable):
        admin.registered()
