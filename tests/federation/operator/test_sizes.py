"""Sizes: verified by the operator, written into the roster and every contract, never reported."""

import json

import pytest

from fedfact import InputError, run_federation
from fedfact.federation.audit.verify import verify
from fedfact.federation.member.preparation import preview
from fedfact.federation.operator.directory import read_invitation

from .. import dishonest as lie

SIZES = {"alder": 3, "birch": 1, "cedar": 2, "elm": 4}


def test_the_roster_has_them_and_contracts_and_ledger_say_so(finished):
    record = finished.sized.record()
    assert read_invitation(finished.sized.directory)[1] == record.sizes == SIZES
    for name, contract in record.contracts.items():
        assert (contract.size, contract.total_size) == (SIZES[name], 10)
    assert set(finished.shared.record().sizes.values()) == {1}


@pytest.mark.parametrize(
    ("rule", "sizes", "why"),
    [
        ("sandwich", SIZES, "terms.toml: the sandwich rule knows no sizes; leave them out"),
        ("rebate", {"alder": 3}, "for every member or for none; look at birch, cedar, elm"),
        ("rebate", SIZES | {"oak": 2}, "for every member or for none; look at oak"),
        ("shared", SIZES | {"elm": 0}, "the size of elm is 0; give a whole number from 1 to"),
        ("shared", SIZES | {"elm": 10**6 + 1}, "the size of elm is 1,000,001; give a whole"),
    ],
)
def test_sizes_that_cannot_be_are_refused_and_nothing_is_made(make_house, rule, sizes, why):
    with pytest.raises(InputError, match=why):
        make_house(members=4, rule=rule, sizes=sizes)


def test_a_member_that_expects_another_size_does_not_sign(make_house, sound):
    house = make_house(members=4, rule="rebate", sizes=SIZES)
    house.configure("elm", data="digits:3/4", true_cost=1.5, size=5)
    house.configure("cedar", data="digits:2/4", true_cost=0.5, size=2)
    house.run()
    record = sound(house)
    assert record.declined["elm"].why == "the contract has another size than mine"
    assert "4, and mine is 5" in (house.members["elm"] / "member.log").read_text()
    assert sorted(record.lines) == ["alder", "birch", "cedar"]
    assert record.contracts["cedar"].total_size == 6


def test_a_size_in_the_ledger_is_the_one_in_the_contract(finished):
    """An operator that writes another one down is found out: contracts follow from it."""
    entries, key = finished.sized.entries(), lie.operator_key(finished.sized)
    (number,) = lie.numbers(entries, "season")

    def other(said):
        said["members"]["birch"] = 5

    changed = lie.changed(entries, key, number, other)
    wrong = {each.name: each.says for each in verify(changed) if each.holds is False}
    assert "has figures that do not follow from the reports" in wrong["contracts"]


def test_a_preview_goes_by_the_size_that_the_member_expects(make_house):
    house = make_house(members=4, rule="rebate", sizes=SIZES)
    said = preview(house.members["elm"] / "member.toml")
    house.configure("elm", data="digits:3/4", true_cost=1.5, size=4)
    sized = preview(house.members["elm"] / "member.toml")
    assert (said["size"], said["samples"], sized["size"], sized["samples"]) == (1, 115, 4, 231)
    assert said["unfit"] is sized["unfit"] is None
    assert sized["largest_fee"] == 4 * 20000 * 100 // 7 + 1


def test_what_a_preview_calls_the_most_is_the_most(finished):
    """Under every rule, and whoever the others are."""
    for house in (finished.rebate, finished.sandwich, finished.shared):
        for name, contract in house.record().contracts.items():
            said = preview(house.members[name] / "member.toml")
            assert contract.samples <= said["samples"]
            assert contract.largest_fee <= said["largest_fee"]
            assert contract.largest_charge <= said["largest_charge"]


def test_a_federation_in_one_process_takes_sizes(tmp_path):
    terms = tmp_path / "terms.toml"
    terms.write_text(
        '[money]\nerror_scale = 20000.0\nunit = 0.01\nrule = "shared"\nminimum_samples = 20\n'
        '[training]\nnetwork = "digits"\nrounds = 2\nlocal_steps = 4\n'
    )
    members = {
        name: {"true_cost": cost, "data": f"digits:{k}/3", "size": k + 1}
        for k, (name, cost) in enumerate({"alder": 2.0, "birch": 1.0, "cedar": 0.5}.items())
    }
    sizes = {name: keys["size"] for name, keys in members.items()}
    found = run_federation(tmp_path / "run", members, terms, sizes)
    assert found.state.season.phase == "finished"
    assert {name: each.size for name, each in found.state.season.contracts.items()} == sizes
    invited = json.loads((found.directory / "season-1/invited.json").read_text())
    assert invited == {"format": 1, "members": sizes}
