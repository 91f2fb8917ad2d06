"""Killed at any instant and started again, a federation ends as one that was never disturbed.

A server process has everything imported; for each run it forks a child that runs a whole
federation, operator and members, from directories on disk, and may be killed for good (SIGKILL):
by itself at its k-th durable step, or from outside at a random moment.
"""

import json
import random
import shutil
import signal
import subprocess
import sys

import pytest

from fedfact.federation.member.files import MemberFiles

SERVER = """
import json, os, signal, sys, time
from pathlib import Path
import torch
from fedfact.federation.member.member import open_member
from fedfact.federation.ledger.store import Ledger
from fedfact.federation.operator.run import operate
from fedfact.federation.wire.transport import InProcess
from fedfact.data.registry import load

load("digits", None)
torch.set_num_threads(1)


def count_steps(last):
    # A durable step: data on disk, a file in its place, entries in the ledger.
    done = 0

    def counted(real):
        def step(*arguments, **named):
            nonlocal done
            result = real(*arguments, **named)
            done += 1
            if done == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return result
        return step

    os.fsync, os.replace, Ledger.add = map(counted, (os.fsync, os.replace, Ledger.add))
    return lambda: done


def run(root, last):
    steps = count_steps(last)
    places = [place.parent for place in Path(root).glob("*/member.toml")]
    members = {place.name: open_member(place) for place in sorted(places)}
    operate(Path(root) / "operator", InProcess(members))
    return steps()


for line in sys.stdin:
    asked = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            os.write(writing, str(run(asked["root"], asked["last"])).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    if asked["seconds"] is not None:
        time.sleep(asked["seconds"])
        os.kill(child, signal.SIGKILL)
    steps = os.read(reading, 100).decode()
    os.close(reading)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps({"status": status, "steps": steps}), flush=True)
"""


@pytest.fixture(scope="module")
def start():
    """Run the federation in a directory, to be killed after so many steps or seconds, or not."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(root, last=0, seconds=None):
        asked = {"root": str(root), "last": last, "seconds": seconds}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline())
        assert said["status"] in (0, -signal.SIGKILL)
        return said["status"], said["steps"]

    yield run
    process.stdin.close()
    process.stdout.close()
    process.wait(timeout=60)


@pytest.fixture(scope="module")
def places(tmp_path_factory, finished):
    """A federation that is not started yet, with all its secrets, and copies of it."""
    kind = type(finished.rebate)
    root = tmp_path_factory.mktemp("kill")
    house = kind(root / "start", members=3, rule="sandwich", rounds=3)
    for place in house.members.values():
        files = MemberFiles(place)
        _ = files.key, files.nonce, files.salt

    def copy(name):
        twin = kind.__new__(kind)
        twin.root, twin.directory = root / name, root / name / "operator"
        twin.members = {member: root / name / member for member in house.members}
        shutil.copytree(house.root, twin.root)
        return twin

    return copy


def kept(house):
    """What the members have in the end."""
    return {
        name: (
            files.contract(),
            files.opened().roster,
            [told.dump() for told in files.statements()],
            files.last_round().used,
            files.last_round().state,
            (place / "season-1/model.bin").read_bytes(),
        )
        for name, place in house.members.items()
        for files in [MemberFiles(place)]
    }


@pytest.fixture(scope="module")
def undisturbed(places, start, essence, sound):
    """How it ends, and in how many durable steps."""
    house = places("undisturbed")
    status, steps = start(house.root)
    assert status == 0
    kinds = [entry.kind for entry in house.entries()]
    return essence(sound(house)), kept(house), kinds, int(steps)


def check_end(house, undisturbed, essence, sound):
    """The same contracts, models, lines and statements; nothing is there twice."""
    wanted, members, kinds, _ = undisturbed
    record = sound(house)
    assert essence(record) == wanted
    assert kept(house) == members
    assert [entry.kind for entry in house.entries()] == kinds
    assert kinds.count("settlement") == 1
    assert kinds.count("line") == kinds.count("acknowledged") == 3
    assert record.phase == "finished"


def test_started_again_when_all_is_done_it_does_nothing(places, start, essence, undisturbed):
    house = places("again")
    start(house.root)
    before = house.entries()
    assert start(house.root)[0] == 0
    assert house.entries() == before


def killed_after(step, places, start, essence, sound, undisturbed):
    house = places(f"after-{step}")
    assert start(house.root, last=step)[0] == -signal.SIGKILL
    assert start(house.root)[0] == 0
    check_end(house, undisturbed, essence, sound)
    shutil.rmtree(house.root)


def test_killed_after_some_steps_it_ends_the_same(places, start, essence, sound, undisturbed):
    steps = undisturbed[3]
    assert steps > 50
    for step in random.sample(range(1, steps + 1), 5):  # any: the result must not depend on it
        killed_after(step, places, start, essence, sound, undisturbed)


@pytest.mark.thorough
def test_killed_after_every_step_it_ends_the_same(places, start, essence, sound, undisturbed):
    for step in range(1, undisturbed[3] + 1):
        killed_after(step, places, start, essence, sound, undisturbed)


def test_killed_again_and_again_it_ends_the_same(places, start, essence, sound, undisturbed):
    """Every process gets some steps further than the last and dies; handing out takes 29."""
    house, deaths = places("again-and-again"), 0
    while start(house.root, last=31 + deaths % 3)[0] != 0:
        deaths += 1
        assert deaths < 30
    assert deaths > 2
    check_end(house, undisturbed, essence, sound)


@pytest.mark.thorough
def test_killed_at_random_moments_it_ends_the_same(places, start, essence, sound, undisturbed):
    for number in range(8):
        house, moment = places(f"random-{number}"), random.Random()
        deaths = 0
        while start(house.root, seconds=moment.uniform(0.02, 1.0))[0] != 0 and deaths < 4:
            deaths += 1
        assert start(house.root)[0] == 0
        check_end(house, undisturbed, essence, sound)
        shutil.rmtree(house.root)
