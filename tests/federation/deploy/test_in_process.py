"""A whole federation in this process, as a notebook runs it."""

import pytest

from fedfact import InputError, plot, run_federation, verify
from fedfact.federation import is_sound, read_ledger

TERMS = """
name = "test"
[money]
error_scale = 20000.0
unit = 0.01
rule = "rebate"
minimum_samples = 20
[training]
network = "digits"
rounds = 2
local_steps = 4
"""
MEMBERS = {
    "alder": {"true_cost": 2.0, "data": "digits:0/3"},
    "birch": {"true_cost": 1.0, "data": "digits:1/3"},
    "cedar": {"true_cost": 0.5, "data": "digits:2/3", "most_samples": 180},
}


@pytest.fixture(scope="module")
def terms(tmp_path_factory):
    path = tmp_path_factory.mktemp("terms") / "terms.toml"
    path.write_text(TERMS)
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory, terms):
    return run_federation(tmp_path_factory.mktemp("federation") / "run", MEMBERS, terms)


def test_it_ends_with_a_sound_ledger(finished):
    assert finished.state.season.phase == "finished"
    assert is_sound(verify(finished.entries))
    assert read_ledger(str(finished.directory)) == finished.entries


def test_members_use_what_is_best_for_them_within_what_they_lend(finished):
    rows = {row["member"]: row for row in finished.rows()}
    assert {name: row["promised"] for name, row in rows.items()} == {
        "alder": 100,
        "birch": 141,
        "cedar": 180,
    }
    assert all(row["promised"] == row["used"] == row["billed"] for row in rows.values())
    assert sum(row["net"] for row in rows.values()) == -finished.state.season.settled.surplus


def test_every_member_has_its_statement_and_the_model(finished):
    assert {row["state"] for row in finished.rows()} == {"statement agreed"}
    models = {finished.model(name).read_bytes() for name in MEMBERS}
    assert len(models) == 1


def test_it_shows_itself(finished):
    lines = repr(finished).splitlines()
    assert lines[0].startswith("Federation test: finished, rule rebate, in the unit of the ")
    assert [line.split()[0] for line in lines[1:]] == ["member", *MEMBERS]
    assert finished._repr_html_().count("<tr>") == 4


def test_it_can_be_drawn(finished):
    assert plot(finished)._repr_svg_().lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"true_cots": 2.0, "data": "digits"}, "alder: .*did you mean true_cost"),
        ({"true_cost": -1.0, "data": "digits"}, "alder: true_cost: "),
        ({"true_cost": 1.0}, "alder: data: field required"),
    ],
)
def test_a_members_bad_keys_are_refused_before_anything_is_written(tmp_path, terms, keys, says):
    with pytest.raises(InputError, match=says):
        run_federation(tmp_path / "run", MEMBERS | {"alder": keys}, terms)
    assert not (tmp_path / "run").exists()


def test_a_directory_that_holds_something_is_refused(tmp_path, terms):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not empty"):
        run_federation(tmp_path, MEMBERS, terms)
