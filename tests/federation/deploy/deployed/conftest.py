"""Whole federations as real processes: the commands an operator and members run, and faults."""

import copy
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from fedfact.federation.audit.verify import verify
from fedfact.federation.deploy.flare.job.environment import OPEN_MEMBER
from fedfact.federation.deploy.flare.kits.request import make_request
from fedfact.federation.deploy.flare.kits.set_up import set_up
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles

FEDFACT = [sys.executable, "-c", "from fedfact.cli import main; main()"]
HERE = Path(__file__).parent
PATH = os.pathsep.join([str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")])
COSTS = {"alder": 1.25, "birch": 1.6, "cedar": 2.2, "elm": 1.4}
TERMS = """
name = "faults"
[money]
error_scale = 200000.0
unit = 0.01
rule = "{rule}"
minimum_samples = 50
[training]
network = "digits"
rounds = {rounds}
local_steps = 3
[conduct]
quorum = 2
round_seconds = {seconds}
answer_seconds = 30
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


class Deployed:
    """An operator's directory, its members' directories, and the processes that run."""

    def __init__(
        self, root, *, members=3, rounds=40, seconds=30, ledger=None, port=None, rule="rebate"
    ):
        self.root, self.operator = root, root / "operator"
        self.running = []
        names = list(COSTS)[:members]
        root.mkdir(parents=True, exist_ok=True)
        (root / "terms.toml").write_text(TERMS.format(rounds=rounds, seconds=seconds, rule=rule))
        requests = {}
        for k, name in enumerate(names):
            (root / name).mkdir()
            (root / name / "member.toml").write_text(
                f'name = "{name}"\ntrue_cost = {COSTS[name]}\ndata = "digits:{k}/{members}"\n'
            )
            requests[name] = make_request(root / name / "member.toml")
        self.port = port or free_port()
        terms = root / "terms.toml"
        self.kits = set_up(self.operator, terms, requests, "localhost", self.port, ledger)

    def twin(self, root):
        """The same with all its secrets in another directory, where it was not started yet."""
        for name in self.kits:
            files = MemberFiles(self.root / name, 1)
            files.folder.mkdir()
            _ = files.nonce, files.salt
        shutil.copytree(self.root, root)
        other = copy.copy(self)
        other.root, other.operator, other.running = root, root / "operator", []
        other.kits = {name: root / kit.relative_to(self.root) for name, kit in self.kits.items()}
        return other

    def run(self, *words, log, **environment):
        with (self.root / f"{log}.out").open("ab") as file:
            process = subprocess.Popen(
                [*FEDFACT, *map(str, words)],
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONPATH": PATH, **environment},
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def join(self, name, member=None, kit=None, place=None):
        """Start a member; ``member`` names another member than ours (see faulty.py)."""
        own = {OPEN_MEMBER: f"faulty:{member}"} if member else {}
        config = (place or self.root / name) / "member.toml"
        kit = kit or self.kits[name]
        return self.run(
            "federation", "join", kit, "--config", config, log=config.parent.name, **own
        )

    def join_all(self, **members):
        return {name: self.join(name, members.get(name)) for name in self.kits}

    def start(self, *options, wait=60):
        words = ("federation", "start", self.operator, "--wait", wait, *options)
        return self.run(*words, log="start")

    def record(self):
        try:
            return replay(read_ledger(str(self.operator))).season
        except Exception:
            return None  # not there yet

    def wait_for_round(self, number, seconds=120):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            record = self.record()
            if record is not None and len(record.rounds) >= number:
                return record
            time.sleep(0.05)
        raise AssertionError(f"round {number} did not come:\n{self.logs()}")

    def finish(self, process, seconds=180, status=0):
        assert process.wait(seconds) == status, self.logs()
        return self.sound()

    def sound(self):
        """The ledger verifies, the money balances, everybody has a statement it agrees with."""
        entries = read_ledger(str(self.operator))
        assert [v for v in verify(entries) if not v.holds] == []
        record = replay(entries).season
        assert record.settled is not None
        balances = record.balances()
        assert sum(balances.values()) == 0
        assert balances.get("operator", 0) == record.settled.surplus >= 0
        for said in record.acknowledged.values():
            assert said.said.read_head().content["agrees"] is True
        return record

    def logs(self):
        texts = [path.read_text()[-2000:] for path in self.root.glob("*.out")]
        texts += [path.read_text()[-3000:] for path in self.operator.glob("flare/server/flare.log")]
        return "\n----\n".join(texts)

    def close(self):
        for process in self.running:
            if process.poll() is None:
                process.terminate()
        for process in self.running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                kill(process)


def kill(process):
    """SIGKILL a command and everything below it, at once."""
    try:
        below = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        below = []
    for each in [process, *below]:
        try:
            os.kill(each.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


@pytest.fixture
def deploy(tmp_path):
    """A function that makes a `Deployed`; what it started is ended with the test."""
    made = []

    def make(name="consortium", twin_of=None, **how):
        place = tmp_path / name
        made.append(twin_of.twin(place) if twin_of else Deployed(place, **how))
        return made[-1]

    yield make
    for each in made:
        each.close()
