"""An auditor and members look at a ledger of two seasons, and at copies of both."""

import json
import shutil
from dataclasses import replace

import pytest

from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import Verdict, is_sound, of_all, verify
from fedfact.federation.ledger.state import replay
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.canonical import canonical
from fedfact.federation.wire.proofs import Proofs
from fedfact.federation.wire.tree import is_consistent, is_included

from .. import dishonest as lie


@pytest.fixture(scope="module")
def entries(two_seasons):
    return two_seasons.entries()


@pytest.fixture(scope="module")
def key(two_seasons):
    return lie.operator_key(two_seasons)


def failed(entries):
    return {each.name: each.entry for each in verify(entries) if each.holds is False}


def copies(entries, place, member):
    return {each.name: each for each in verify_copy(entries, member, MemberFiles(place))}


def numbers(entries, season, kind):
    return [e.number for e in entries if (e.season, e.kind) == (season, kind)]


def test_both_seasons_hold_and_each_is_told_of(entries):
    found = {each.name: each for each in verify(entries)}
    assert all(each.holds for each in found.values())
    assert (
        found["amounts"].says == "season 1: 4 lines, 1 settlement; season 2: 4 lines, 1 settlement"
    )
    assert found["order"].says == "season 1: finished; season 2: finished"
    assert found["chain"].says.startswith(f"{len(entries)} entries")


def test_the_ledger_holds_wherever_it_ends(entries):
    opened = numbers(entries, 2, "season")[0]
    for end in (opened - 1, opened, opened + 1, opened + 3, opened + 9, len(entries) - 1):
        assert failed(entries[:end]) == {}, end


@pytest.mark.parametrize("season", [1, 2])
def test_a_lie_is_found_in_whichever_season_it_is(entries, key, season):
    def more(values):
        values["fee"] += 1

    for number in numbers(entries, season, "line"):
        assert failed(lie.changed(entries, key, number, more))["amounts"] == number
    (settled,), first = numbers(entries, season, "settlement"), numbers(entries, season, "line")[0]
    short = [e for e in entries[: settled + 5] if e.number != first]
    assert failed(lie.rewritten(short, key)) == {"amounts": settled, "balance": settled}


@pytest.mark.parametrize(
    ("kind", "where", "check"),
    [
        ("enrolment", lambda said: said, "enrolments"),
        ("contract", lambda said: said, "contracts"),
        ("round", lambda said: said["attested"], "rounds"),
        ("nonces", lambda said: said["opened"], "seed"),
        ("acknowledged", lambda said: said, "acknowledgements"),
    ],
)
def test_what_a_member_said_in_one_season_is_worth_nothing_in_the_other(
    entries, key, kind, where, check
):
    """Each message names the terms of its season, and is signed with that name."""
    by_member = {"contract": lambda said: said["contract"]["member"]}.get(
        kind, lambda said: said.get("member")
    )
    old = {by_member(lie.body(entries[n])): n for n in numbers(entries, 1, kind)}
    new = {by_member(lie.body(entries[n])): n for n in numbers(entries, 2, kind)}
    name = "said" if None not in old else "alder"
    member = "alder" if None not in old else None
    before = where(lie.body(entries[old[member]]))[name]

    def replayed(values):
        where(values)[name] = before

    wrong = lie.changed(entries, key, new[member], replayed)
    if kind == "enrolment":  # its nonce is that of the season before: contracts have another
        assert failed(wrong)["contracts"] is not None
    assert failed(wrong)[check] == new[member]


def test_a_whole_season_cannot_be_told_again_as_another(entries, key):
    """The entries of the first, said once more with the number of the second."""
    own = [e for e in entries if e.season == 1 and e.kind not in ("acknowledged", "witnessed")]
    again = [replace(entry, season=2) for entry in own]
    head = entries[: numbers(entries, 2, "season")[0] - 1]
    values = lie.body(again[0])
    values["terms"]["season"] = 2
    again[0] = lie.with_body(again[0], values)
    found = failed(lie.rewritten([*head, *again], key))
    assert found["enrolments"] == len(head) + 1
    assert {"contracts", "rounds", "seed"} <= found.keys()


# --------------------------------------------------------------------------------- copies


def test_each_member_looks_at_the_seasons_that_it_was_in(two_seasons, entries):
    for member, place in two_seasons.members.items():
        found = copies(entries, place, member)
        assert all(each.holds for each in found.values()), (member, found)
        seasons = found["own contract"].says
        both = "season 1: as signed; season 2: as signed"
        assert seasons == ("as signed" if member in ("birch", "fir") else both)


def test_a_season_that_was_rewritten_is_found_by_those_who_were_in_it(two_seasons, entries, key):
    def other(said):
        said["surplus"] += 1

    for season, sees in ((1, "birch"), (2, "fir")):
        (number,) = numbers(entries, season, "settlement")
        wrong = lie.changed(entries, key, number, other)
        found = copies(wrong, two_seasons.members[sees], sees)["own heads"]
        assert (found.holds, found.entry) == (False, number + 4)
    (number,) = numbers(entries, 2, "settlement")
    wrong = lie.changed(entries, key, number, other)
    assert copies(wrong, two_seasons.members["birch"], "birch")["own heads"].holds


def test_a_second_season_that_was_cut_off_is_found(two_seasons, entries):
    first = entries[: numbers(entries, 2, "season")[0] - 1]
    assert failed(first) == {}
    for member, place in two_seasons.members.items():
        found = copies(first, place, member)["own heads"]
        assert found.holds is (member == "birch"), member
        assert member == "birch" or "the ledger was cut off" in found.says


def test_a_copy_that_is_gone_of_one_season_hides_no_fault_in_the_other(
    two_seasons, entries, key, tmp_path
):
    shutil.copytree(two_seasons.members["alder"], tmp_path / "alder")
    next((tmp_path / "alder").glob("season-1/statements/settlement-*.json")).unlink()
    found = copies(entries, tmp_path / "alder", "alder")["own statements"]
    assert found.holds is None

    def less(values):
        values["fee"] -= 1

    wrong = lie.changed(entries, key, numbers(entries, 2, "line")[0], less)
    found = copies(wrong, tmp_path / "alder", "alder")
    assert found["own statements"].holds is False
    assert "not what the member was told" in found["own statements"].says
    assert not is_sound([found["own statements"]])


GOOD, UNCHECKED = Verdict("x", True, "good"), Verdict("x", None, "unchecked")
CONTESTED, FAULT = Verdict("x", False, "contested", contested=True), Verdict("x", False, "fault", 3)


def test_of_several_seasons_the_worst_verdict_is_told():
    worse = [GOOD, UNCHECKED, CONTESTED, FAULT]
    for k, one in enumerate(worse):
        assert of_all([one]) == one
        for other in worse[:k]:
            assert of_all([one, other]) == of_all([other, one]) == one
    assert of_all([FAULT, replace(FAULT, entry=9)]).entry == 3
    assert of_all([GOOD, GOOD]).says == "season 1: good; season 2: good"


# --------------------------------------------------------------------------------- proofs


def test_a_member_that_left_can_be_shown_its_line_and_that_the_ledger_only_grew(
    two_seasons, entries
):
    """By a few hashes, without the entries of the others."""
    proofs = Proofs([entry.hash for entry in entries])
    newest, seen = replay(entries).head, MemberFiles(two_seasons.members["birch"]).heads()[-1]
    line = next(e for e in entries if e.kind == "line" and json.loads(e.body)["member"] == "birch")
    path = proofs.inclusion(line.number)
    assert is_included(line.hash, line.number, newest.number + 1, path, newest.root)
    grew = proofs.consistency(seen.number + 1)
    assert is_consistent(seen.number + 1, seen.root, newest.number + 1, newest.root, grew)
    assert max(len(path), len(grew)) * 32 <= 300


def test_a_line_that_was_changed_is_not_shown_to_be_there(two_seasons, entries, key):
    def more(values):
        values["fee"] += 1

    line = next(e for e in entries if e.kind == "line" and json.loads(e.body)["member"] == "birch")
    wrong = lie.changed(entries, key, line.number, more)
    proofs = Proofs([entry.hash for entry in wrong])
    newest, seen = replay(wrong).head, MemberFiles(two_seasons.members["birch"]).heads()[-1]
    path = proofs.inclusion(line.number)
    assert not is_included(line.hash, line.number, newest.number + 1, path, newest.root)
    grew = proofs.consistency(seen.number + 1)
    assert not is_consistent(seen.number + 1, seen.root, newest.number + 1, newest.root, grew)
    assert canonical(newest.dump()) != canonical(replay(entries).head.dump())
