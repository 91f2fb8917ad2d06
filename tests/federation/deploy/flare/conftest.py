"""A federation of real processes on the loopback interface, and ways to hurt it."""

import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.kits.paths import (
    admin_workspace,
    server_workspace,
    site_workspace,
)
from fedfact.federation.deploy.flare.kits.request import make_request
from fedfact.federation.deploy.flare.kits.set_up import set_up
from fedfact.federation.deploy.flare.processes import start_site
from fedfact.federation.deploy.flare.server.admin import Admin
from fedfact.federation.deploy.flare.server.supervise import Supervisor
from fedfact.federation.deploy.flare.workspace import write_site
from fedfact.federation.operator.directory import DEFAULT_TERMS

MEMBERS = ("ann", "bob", "cid")
PATIENCE = 150
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    "FEDFACT_OPERATE": "stub_protocol:operate",
    "FEDFACT_OPEN_MEMBER": "stub_protocol:open_member",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def request_of(root, member):
    """The request of a new member whose directory is made for it."""
    (root / member).mkdir(parents=True)
    config = root / member / "member.toml"
    config.write_text(f'name = "{member}"\ntrue_cost = 1.0\ndata = "digits:0/3"\n')
    return make_request(config)


class Federation:
    """An operator's directory, its members' directories, and the processes of both."""

    def __init__(self, root, port=None, members=MEMBERS):
        self.root = root
        self.directory = root / "operator"
        self.port = port or free_port()
        requests = {member: request_of(root, member) for member in members}
        self.kits = set_up(self.directory, DEFAULT_TERMS, requests, port=self.port)
        self.server = server_workspace(self.directory)
        self.admin = admin_workspace(self.directory)
        self.sites, self.raised, self.stop = {}, [], threading.Event()
        self.thread = None

    def start(self, members=MEMBERS, **options):
        for member in members:
            self.start_site(member)
        self.supervisor = Supervisor(
            self.directory,
            2,
            finished=(self.directory / "season-1/finish").exists,
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
        self.sites[member] = start_site(self.kit(member), self.root / member, environment)

    def kit(self, member):
        return read_kit(self.kits[member])

    def site(self, member):
        """What a member's site has: its certificate, its key, and where the server is."""
        workspace = site_workspace(self.root / member)
        if not workspace.exists():
            write_site(self.root / member, self.kit(member))
        return workspace

    def rounds(self):
        try:
            lines = (self.directory / "season-1/rounds.jsonl").read_text().splitlines()
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
        log = (self.server / "flare.log").read_text()[-2000:]
        raise AssertionError(f"not in {patience} s; {self.rounds()[-2:]} {log}")

    def wait_for_server(self):
        deadline = time.monotonic() + PATIENCE
        while not self.supervisor.status.server:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def wait_for_all(self):
        return self.wait(lambda found: all(is_good(found, member) for member in MEMBERS))

    @contextmanager
    def submitted(self, folder, words):
        """Hand in a job, for as long as ann's site has these words of it in its log.

        A member that fails ends no job for the others, so it is aborted in the end.
        """
        log, deadline = self.root / "ann" / "flare" / "flare.log", time.monotonic() + 60
        with Admin(self.admin) as admin:
            job = admin.submit(folder)
            while words not in (said := log.read_text()):
                assert time.monotonic() < deadline, said[-2000:]
                time.sleep(0.2)
            yield said
            admin.abort(job)

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


@pytest.fixture(scope="session")
def kits(tmp_path_factory):
    """An operator's directory and those of its members, oak, elm and fir; nothing runs."""
    root = tmp_path_factory.mktemp("kits")
    requests = {member: request_of(root, member) for member in ("oak", "elm", "fir")}
    made = set_up(root / "operator", DEFAULT_TERMS, requests, port=28107)
    return SimpleNamespace(root=root, directory=root / "operator", requests=requests, kits=made)
