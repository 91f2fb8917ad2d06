"""Code that a hostile operator hides where FLARE looks for settings, and who runs it."""

import time

import pytest

from fedfact.federation.deploy.flare.job.definition import write_job
from fedfact.federation.deploy.flare.processes import FlareProcess, start_site
from fedfact.federation.deploy.flare.workspace import write_site

from ..hostile_kit import HAUNTS, WAYS, plant_in_folders
from .conftest import MEMBERS, Federation
from .test_trust import outcome

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A federation whose server does not run."""
    made = Federation(tmp_path_factory.mktemp("hostile"))
    yield made
    made.close()


def wait_until(done, patience=60):
    deadline = time.monotonic() + patience
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("way", WAYS)
def test_flare_alone_would_run_it(house, tmp_path, way):
    """That each way works at all: the workspace is as the operator left it."""
    proof = tmp_path / "ran"
    (tmp_path / "tls.key").write_bytes((house.root / "ann" / "tls.key").read_bytes())
    workspace = write_site(tmp_path, house.kit("ann"))
    for name in HAUNTS:  # ours, which come before all others of these names
        (workspace / name).unlink(missing_ok=True)
    WAYS[way](workspace, proof)
    site = FlareProcess("client", "ann", workspace, tmp_path)
    try:
        wait_until(proof.exists)
    finally:
        site.stop()


def test_a_site_of_ours_runs_none_of_it(house, tmp_path):
    """All at once, in the directory that the member joins from; no server is there."""
    workspace, directory = house.root / "bob" / "flare", house.root / "bob"
    for name, plant in WAYS.items():
        plant(workspace, tmp_path / name)
    site = start_site(house.kit("bob"), directory)
    log = workspace / "log.txt"
    try:  # by then it has read all its settings
        wait_until(lambda: log.exists() and "re-challenge" in log.read_text())
    finally:
        site.stop()
    assert list(tmp_path.iterdir()) == []


def test_a_job_cannot_bring_settings_of_its_own(running, tmp_path):
    """Such as one that says where code for connections is; it is not even unpacked."""
    folder = write_job(tmp_path / "job", MEMBERS, 3)
    document = {"comm_driver_path": str(tmp_path), "decomposer_module": "intruder"}
    plant_in_folders(folder / "member" / "config", document)
    plant_in_folders(folder / "member", document)
    assert outcome(running, folder) == "FINISHED:FAILED_TO_RUN"
    assert "ann: refused: a job brings settings" in (running.server / "flare.log").read_text()
    assert not [*(running.root / "ann" / "flare").glob("*/app_ann/config/*/comm_config.json")]
