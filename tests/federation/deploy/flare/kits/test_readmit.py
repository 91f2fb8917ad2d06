"""A member whose disk died: a new request, confirmed by the operator, brings it a new kit."""

import shutil

import pytest

from fedfact.errors import InputError
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.kits.request import make_request
from fedfact.federation.deploy.flare.kits.set_up import readmit, set_up
from fedfact.federation.deploy.flare.site.joining import take_kit
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import own_key
from fedfact.federation.operator.directory import DEFAULT_TERMS

MEMBERS = ("ann", "bob", "cid")


def made(root, member):
    root.mkdir(parents=True, exist_ok=True)
    config = root / "member.toml"
    config.write_text(f'name = "{member}"\ntrue_cost = 1.0\ndata = "digits:0/3"\n')
    return make_request(config)


def test_who_comes_back_gets_a_kit_for_its_new_keys(tmp_path):
    requests = {name: made(tmp_path / name, name) for name in MEMBERS}
    kits = set_up(tmp_path / "operator", DEFAULT_TERMS, requests, host="example", port=8102)
    before = read_kit(kits["ann"])
    other = read_kit(kits["bob"])
    shutil.rmtree(tmp_path / "ann")
    request = made(tmp_path / "ann", "ann")
    with pytest.raises(InputError, match="not of bob"):
        readmit(tmp_path / "operator", "bob", request, "disk died")
    kit = readmit(tmp_path / "operator", "ann", request, "disk died; called Dr. Ash")
    after = read_kit(kit)
    assert kit == kits["ann"]
    assert after.certificate != before.certificate
    assert (after.server, after.terms) == (before.server, before.terms)
    assert read_kit(kits["bob"]) == other
    take_kit(kit, tmp_path / "ann" / "member.toml")  # which checks that it is for its keys
    entries = read_ledger(str(tmp_path / "operator"))
    assert entries[-1].kind == "key-restored"
    assert replay(entries).keys.of("ann") == own_key(tmp_path / "ann")
    # Killed before the kit was made, it goes on.
    kit.unlink()
    assert read_kit(readmit(tmp_path / "operator", "ann", request, "disk died")).member == "ann"
    assert len(read_ledger(str(tmp_path / "operator"))) == len(entries)
