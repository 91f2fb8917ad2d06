"""Killed at any instant and started again, a consortium ends as one that was never disturbed.

A server process has everything imported; for each run it forks a child that runs two seasons,
operator and members, from directories on disk, and may be killed for good (SIGKILL): by itself at
its k-th durable step, or from outside at a random moment. Between the seasons cedar leaves and elm
joins.

    FEDFACT_KILLS=500 pytest -m thorough tests/federation/operator/test_kill.py
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from random import Random

import pytest

from fedfact.federation.member.files import MemberFiles, seasons_kept
from fedfact.federation.wire.keys import keep_secret

from ..postgres import say, url_of

SERVER = """
import json, os, signal, sys, time
from pathlib import Path
import torch
from fedfact.federation.ledger.store import Ledger
from fedfact.federation.member.files import own_key
from fedfact.federation.member.member import open_member
from fedfact.federation.member.preparation import make_ready
from fedfact.federation.operator.directory import read_invitation
from fedfact.federation.operator.founding import open_season
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


def season(root):
    # Whoever is invited joins the season that is on, and it is run to its end; its number.
    published, invited = read_invitation(root / "operator")
    for name in invited:
        make_ready(published, root / name / "member.toml")
    members = {name: open_member(root / name) for name in invited}
    operate(root / "operator", InProcess(members))
    return published.season


def run(root, last):
    steps = count_steps(last)
    if season(root) == 1:
        joining = {"elm": own_key(root / "elm")}
        open_season(root / "operator", root / "terms.toml", joining, ["cedar"])
        season(root)
    return steps()


for line in sys.stdin:
    asked = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            os.write(writing, str(run(Path(asked["root"]), asked["last"])).encode())
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
    """A consortium that is not started yet, with all its secrets, and copies of it."""
    kind = type(finished.rebate)
    root = tmp_path_factory.mktemp("kill")
    house = kind(root / "start", members=3, rule="sandwich", rounds=3)
    house.members["elm"] = house.root / "elm"
    house.members["elm"].mkdir()
    house.configure("elm", data="digits:2/3", true_cost=1.5)
    for place in house.members.values():
        for season in (1, 2):
            files = MemberFiles(place, season)
            files.folder.mkdir(exist_ok=True)
            _ = files.key, files.nonce, files.salt
    (house.directory / "season-2").mkdir()
    keep_secret(house.directory / "season-2" / "seed.secret")

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
        (name, season): (
            files.contract(),
            files.opened().roster,
            [told.dump() for told in files.statements()],
            files.last_round().used,
            files.last_round().state,
            (files.folder / "model.bin").read_bytes(),
        )
        for name, place in house.members.items()
        for season in seasons_kept(place)
        for files in [MemberFiles(place, season)]
    }


@pytest.fixture(scope="module")
def undisturbed(places, start, essence, sound):
    """How it ends, and in how many durable steps."""
    house = places("undisturbed")
    status, steps = start(house.root)
    assert status == 0
    sound(house)
    seasons, kinds = house.state().seasons, [entry.kind for entry in house.entries()]
    assert {(season, *sorted(each.lines)) for season, each in enumerate(seasons, 1)} == {
        (1, "alder", "birch", "cedar"),
        (2, "alder", "birch", "elm"),
    }
    return [essence(each) for each in seasons], kept(house), kinds, int(steps)


def check_end(house, undisturbed, essence, sound):
    """The same contracts, models, lines and statements; nothing is there twice."""
    wanted, members, kinds, _ = undisturbed
    sound(house)
    seasons = house.state().seasons
    assert [essence(each) for each in seasons] == wanted
    assert kept(house) == members
    assert [entry.kind for entry in house.entries()] == kinds
    assert kinds.count("season") == kinds.count("settlement") == 2
    assert kinds.count("line") == kinds.count("acknowledged") == 6
    assert [each.phase for each in seasons] == ["finished", "finished"]


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
def test_killed_again_and_again_it_ends_the_same(places, start, essence, sound, undisturbed):
    """Every process gets some steps further than the last and dies; handing out takes 29."""
    house, deaths = places("again-and-again"), 0
    while start(house.root, last=31 + deaths % 3)[0] != 0:
        deaths += 1
        assert deaths < 60
    assert deaths > 5
    check_end(house, undisturbed, essence, sound)


@pytest.mark.thorough
def test_killed_at_random_instants_it_ends_the_same(places, start, essence, sound, undisturbed):
    """Half of the kills at a durable step, half at any moment; up to four for one consortium."""
    left, instant = int(os.environ.get("FEDFACT_KILLS", "50")), Random()
    while left > 0:
        house = places(f"random-{left}")
        left -= deaths(house, start, undisturbed[3], instant)
        check_end(house, undisturbed, essence, sound)
        shutil.rmtree(house.root)


@pytest.mark.thorough
def test_killed_with_its_ledger_in_postgres_it_ends_the_same(
    places, start, essence, sound, undisturbed, server
):
    left, instant = 15, Random()
    while left > 0:
        house, name = places(f"postgres-{left}"), f"killed{left}"
        say(server, f"CREATE DATABASE {name}")
        (house.directory / "ledger.url").write_text(f"{url_of(server, name)}\n")
        left -= deaths(house, start, undisturbed[3], instant)
        check_end(house, undisturbed, essence, sound)
        assert not (house.directory / "ledger.db").exists()
        shutil.rmtree(house.root)
        say(server, f"DROP DATABASE {name} WITH (FORCE)")


def deaths(house, start, steps, instant):
    """Start it and kill it up to four times, then start it to its end; how often it was killed."""
    died = 0
    for _ in range(instant.randint(1, 4)):
        if instant.random() < 0.5:
            status, _ = start(house.root, last=instant.randint(1, steps))
        else:
            status, _ = start(house.root, seconds=instant.uniform(0.02, 2.0))
        died += status != 0
    assert start(house.root)[0] == 0
    return died
