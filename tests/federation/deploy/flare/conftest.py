"""A federation of real processes on the loopback interface, and ways to hurt it."""

import json
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from fedfact.federation.deploy.flare.processes import start_site
from fedfact.federation.deploy.flare.server.supervise import Supervisor

MEMBERS = ("ann", "bob", "cid")
PATIENCE = 50
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    "FEDFACT_OPERATE": "stub_protocol:operate",
    "FEDFACT_OPEN_AGENT": "stub_protocol:open_member",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Federation:
    """An operator's directory, its members' directories, and the processes of both."""

    def __init__(self, root):
        from fedfact.federation.deploy.flare.kits.provision import provision

        self.root = root
        self.directory = root / "operator"
        self.port = free_port()
        self.kits = provision(self.directory, "test", MEMBERS, port=self.port)
        for member in MEMBERS:
            (root / member).mkdir()
        self.sites, self.raised, self.stop = {}, [], threading.Event()
        self.thread = None

    def start(self, members=MEMBERS, **options):
        for member in members:
            self.start_site(member)
        self.supervisor = Supervisor(
            self.directory,
            2,
            finished=(self.directory / "finish").exists,
            progress=lambda: len(self.rounds()),
            stop=self.stop,
            environment=ENVIRONMENT,
            **options,
        )
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        return self

    def _run(self):
        try:
            self.supervisor.run()
        except Exception as error:
            self.raised.append(error)

    def start_site(self, member, environment=ENVIRONMENT):
        if member in self.sites:
            self.sites[member].stop()
        kit, directory = self.kits.members[member], self.root / member
        self.sites[member] = start_site(kit, directory, environment)

    def rounds(self):
        try:
            lines = (self.directory / "rounds.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def wait(self, until, patience=PATIENCE):
        """The first round from now on of which this is true."""
        seen, deadline = len(self.rounds()), time.monotonic() + patience
        while time.monotonic() < deadline:
            for found in self.rounds()[seen:]:
                if until(found):
                    return found
            assert not self.raised, self.raised
            time.sleep(0.05)
        log = (self.kits.server / "flare.log").read_text()[-2000:]
        raise AssertionError(f"not in {patience} s; {self.rounds()[-2:]} {log}")

    def wait_for_all(self):
        return self.wait(lambda found: all(is_good(found, member) for member in MEMBERS))

    def close(self):
        self.stop.set()
        if self.thread is not None:
            self.thread.join()
        for site in self.sites.values():
            site.stop()


@pytest.fixture
def environment():
    """That of a process in which the stub is the protocol."""
    return {**os.environ, **ENVIRONMENT}


def is_good(found, member):
    return found["answers"].get(member) == f"{member} did train"


@pytest.fixture
def federation(tmp_path):
    made = Federation(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """One federation for tests that leave it as it was."""
    made = Federation(tmp_path_factory.mktemp("federation")).start()
    made.wait_for_all()
    yield made
    made.close()
