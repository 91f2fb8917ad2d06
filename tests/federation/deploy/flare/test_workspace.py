"""What FLARE finds in its workspace is what we wrote, whatever was there before."""

import json

import pytest

from fedfact.errors import InputError
from fedfact.federation.deploy.flare.kits.kit import Address, Kit, read_kit
from fedfact.federation.deploy.flare.workspace import write_server, write_site

from ..hostile_kit import HAUNTS, WAYS, plant_in_folders

WRITTEN = {
    "comm_config.json",
    "fed_client.json",
    "resources.json",
    *("local/authorization.json", "local/log_config.json", "local/resources.json"),
    *("startup/client.crt", "startup/fed_client.json", "startup/rootCA.pem"),
}


def below(workspace):
    files = (path for path in workspace.rglob("*") if not path.is_dir() or path.is_symlink())
    return {str(path.relative_to(workspace)): path.read_bytes() for path in files}


@pytest.fixture
def site(kits, tmp_path):
    """A member's directory with its key, and its kit."""
    (tmp_path / "oak").mkdir()
    (tmp_path / "oak" / "tls.key").write_bytes((kits.root / "oak" / "tls.key").read_bytes())
    return tmp_path / "oak", read_kit(kits.kits["oak"])


def test_it_is_the_same_whatever_was_there(site, tmp_path):
    directory, kit = site
    workspace = write_site(directory, kit)
    clean = below(workspace)
    assert clean.keys() == WRITTEN
    for name, plant in WAYS.items():
        plant(workspace, tmp_path / name)
    plant_in_folders(workspace, {"comm_driver_path": "/tmp"})
    (workspace / "local" / "elsewhere").symlink_to(tmp_path)
    (workspace / "flare.lock").mkdir()
    (workspace / "flare.lock" / "comm_config.json").write_text("{}")
    (workspace / "flare.log").symlink_to(tmp_path / "own.txt")
    (workspace / "job.lock").write_text("kept")
    (tmp_path / "own.txt").write_text("not to be touched")
    write_site(directory, kit)
    assert below(workspace) == {**clean, "job.lock": b"kept"}
    assert (tmp_path / "own.txt").read_text() == "not to be touched"


def test_what_comes_with_a_job_is_not_found_before_ours(site):
    from nvflare.fuel.utils.config_factory import ConfigFactory

    directory, kit = site
    workspace = write_site(directory, kit)
    plant_in_folders(workspace, {})
    for name in set(HAUNTS) - {"fed_server.json"}:
        found = ConfigFactory.search_config_format(name, [str(workspace)])[1]
        assert found == str(workspace / name)


def test_a_workspace_that_is_a_link_is_refused(site, tmp_path):
    directory, kit = site
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "own").touch()
    (directory / "flare").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link; remove it"):
        write_site(directory, kit)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["own"]


def test_of_a_kit_it_holds_addresses_and_certificates_only(site):
    """Every class in it is named in our own code, so none can be the operator's."""
    directory, kit = site
    workspace = write_site(directory, kit)
    before = below(workspace)
    other = kit.model_copy(
        update={"server": Address(host="elsewhere.example", port=1), "terms": kit.terms}
    )
    assert isinstance(other, Kit)
    write_site(directory, other)
    changed = {name for name, data in below(workspace).items() if data != before[name]}
    assert changed == {"fed_client.json", "startup/fed_client.json"}
    said = json.loads((workspace / "fed_client.json").read_text())
    assert said["servers"][0]["service"] == {"target": "elsewhere.example:1", "scheme": "tcp"}


def test_the_server_has_a_workspace_of_its_own(kits):
    workspace = write_server(kits.directory)
    assert below(workspace).keys() == {
        name.replace("client.json", "server.json") for name in WRITTEN - {"startup/client.crt"}
    }
    allowed = json.loads((workspace / "local" / "resources.json").read_text())["class_allow_list"]
    assert allowed == ["fedfact.federation.deploy.flare.server.controller.OperatorController"]
