"""A real server lets in whom the season invites, whatever other certificates there are."""

import time

import pytest

from fedfact.errors import DeploymentError
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.kits.paths import kit_path
from fedfact.federation.deploy.flare.processes import run_site
from fedfact.federation.deploy.flare.seasons import retire_member
from fedfact.federation.deploy.flare.site.admission import why_not_admitted

from ..hostile_member import Outside
from .conftest import MEMBERS, Federation

pytest.importorskip("nvflare")
pytestmark = pytest.mark.thorough


def test_a_retired_member_is_not_let_in_and_is_told(tmp_path):
    """It has a certificate of the authority's that is valid for a year."""
    house = Federation(tmp_path, members=(*MEMBERS, "dan"))
    kit = read_kit(kit_path(house.directory, "dan"))
    site = house.site("dan")
    retire_member(house.directory, "dan", "it closed")
    try:
        house.start().wait_for_all()
        with pytest.raises(DeploymentError, match="members of its season only, and dan is none"):
            why_not_admitted(kit, house.root / "dan")
        with pytest.raises(DeploymentError, match="members of its season only, and dan is none"):
            run_site(kit, house.root / "dan")
        assert why_not_admitted(house.kit("ann"), house.root / "ann") is None
        with Outside(site, patience=6.0) as hostile:  # which does not ask first, and goes on
            assert not hostile.connected
        log = (house.directory / "operator.log").read_text()
        assert "dan: not invited to this season, and not let in; it came from 127.0.0.1" in log
        assert log.count("dan:") == 1
        seen = len(house.rounds())
        deadline = time.monotonic() + 60
        while len(house.rounds()) < seen + 5:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert all(found["reachable"] == [*MEMBERS] for found in house.rounds()[seen:])
    finally:
        house.close()
