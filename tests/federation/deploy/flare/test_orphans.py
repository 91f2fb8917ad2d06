"""Commands killed with SIGKILL, at any instant: nothing that they started is left."""

import random
import subprocess
import sys
import time

import psutil
import pytest

from fedfact.federation.deploy.flare.guard import is_alive

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough

MARK = "FEDFACT_TEST_SESSION"
ALLOWED = 10.0  # seconds that anything of ours may outlive who started it
INSTANTS = 12

JOIN = """
import sys
from pathlib import Path
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.processes import run_site
run_site(read_kit(Path(sys.argv[1])), Path(sys.argv[2]))
"""
START = """
import sys
from pathlib import Path
from conftest import ENVIRONMENT
from fedfact.federation.deploy.flare.server.supervise import Supervisor
directory = Path(sys.argv[1])
never = (directory / "never").exists
Supervisor(directory, 2, never, lambda: 0, patience=3, environment=ENVIRONMENT, tries=1000).run()
"""


def left(session):
    """All processes of this session, however far down, whoever their parent is now."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == session and is_alive(process):
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_for_none(session):
    deadline = time.monotonic() + ALLOWED
    while left(session):
        assert time.monotonic() < deadline, [each.cmdline() for each in left(session)]
        time.sleep(0.1)


@pytest.fixture
def begin(federation, environment):
    """Start a command of a member or the operator, every process of which can be found again."""

    def begin(code, *words, session):
        with (federation.root / f"{session}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", code, *map(str, words)],
                env={**environment, MARK: session},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    return begin


def instants(seed):
    """Moments from the start to well within the training: early ones, late ones, none twice."""
    choose = random.Random(seed)
    return [choose.uniform(k * 1.1, (k + 1) * 1.1) for k in range(INSTANTS)]


def test_nothing_outlives_a_join_that_is_killed(federation, begin):
    federation.start(("ann", "bob"), patience=3)
    kit, own = federation.kits["cid"], federation.root / "cid"
    for k, instant in enumerate(instants("join")):
        command = begin(JOIN, kit, own, session=f"join-{k}")
        time.sleep(instant)
        command.kill()
        command.wait()
        wait_for_none(f"join-{k}")


def test_nothing_outlives_a_start_that_is_killed(federation, begin):
    for member in ("ann", "bob", "cid"):
        federation.start_site(member)
    for k, instant in enumerate(instants("start")):
        command = begin(START, federation.directory, session=f"start-{k}")
        time.sleep(instant)
        command.kill()
        command.wait()
        wait_for_none(f"start-{k}")


@pytest.mark.parametrize("level", [0, 1])
def test_nothing_outlives_a_process_in_the_middle(federation, begin, level):
    """The site's process is killed and not its command, which starts another; or both are."""
    federation.start(("ann", "bob"), patience=3)
    kit, own = federation.kits["cid"], federation.root / "cid"
    command = begin(JOIN, kit, own, session=f"middle-{level}")
    federation.wait(lambda found: "cid" in found["reachable"])
    [site] = psutil.Process(command.pid).children()
    [job] = site.children()
    for process in [site, psutil.Process(command.pid)][: level + 1]:
        process.kill()
    killed = time.monotonic()
    while is_alive(job):
        assert time.monotonic() < killed + ALLOWED
        time.sleep(0.05)
    command.kill()
    command.wait()
    wait_for_none(f"middle-{level}")
