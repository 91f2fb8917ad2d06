"""``fedfact federation allow-restart`` and ``mend``: the marks that they leave."""

import json

from fedfact.cli.federation.mending import set_to_mend


def test_a_member_allows_one_restart(make_house, fedfact):
    house = make_house(members=3)
    config = house.members["birch"] / "member.toml"
    done = fedfact("federation", "allow-restart", "--config", config, "--json")
    assert json.loads(done.out) == {"allows_restart": "birch"}
    assert (house.members["birch"] / "restart").exists()


def test_the_operator_has_the_next_start_mend_the_ledger(make_house):
    house = make_house(members=3)
    set_to_mend(house.directory)
    assert (house.directory / "mend").exists()
    assert house.run().phase == "finished"  # there was nothing to mend
    assert not (house.directory / "mend").exists()
    assert [entry.kind for entry in house.entries()].count("restart") == 0
