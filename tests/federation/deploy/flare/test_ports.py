"""What listens while a federation runs, and what it connects to: the operator's one port.

What FLARE brings and nobody needs here (Flask, gunicorn, docker) would be seen by what it listens
on.
"""

import ipaddress

import psutil
import pytest

from fedfact.federation.deploy.flare.job.environment import DIRECTORY

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough


def processes_of(federation):
    """All below this process, and whatever has left the family but has its environment."""
    found = set(psutil.Process().children(recursive=True))
    for process in psutil.process_iter():
        try:
            if process.environ().get(DIRECTORY, "").startswith(str(federation.root)):
                found.add(process)
        except psutil.Error:
            continue
    return found


def listening(process):
    return [line.laddr for line in process.net_connections("all") if line.status == "LISTEN"]


def test_only_the_operators_port_is_connected_to(running):
    """Besides, each job to the process that started it."""
    parents = {process.pid: process.ppid() for process in processes_of(running)}
    open_at = {address.port: pid for pid in parents for address in listening(psutil.Process(pid))}
    for pid in parents:
        for line in psutil.Process(pid).net_connections("inet"):
            if line.raddr and line.laddr.port not in open_at:  # it is the one that connected
                own = open_at.get(line.raddr.port) == parents[pid]
                assert line.raddr.port == running.port or own, line


def test_only_the_operators_port_is_open(running):
    """The server and each site listen to their own jobs besides, on this machine only."""
    found = {process: listening(process) for process in processes_of(running)}
    assert len(found) == 1 + 1 + 1 + 3 * 2  # the server, its job, the session, sites and their jobs
    addresses = [address for each in found.values() for address in each]
    assert all(ipaddress.ip_address(address.ip).is_loopback for address in addresses)
    ports = {process.pid: {address.port for address in each} for process, each in found.items()}
    server = running.supervisor._server._process.pid
    assert running.port in ports[server]
    sites = [site.pid for site in running.sites.values()]
    assert {pid: len(each) for pid, each in ports.items() if each} == {
        server: 2,
        **dict.fromkeys(sites, 1),
    }
