"""The seasons of a ledger: what may come in which, signed anew by an operator that tries more."""

from dataclasses import replace

import pytest

from fedfact.errors import LedgerError
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.state import replay
from fedfact.federation.wire.keys import Key

from .. import dishonest as lie

OTHER = Key(bytes(range(32))).public


@pytest.fixture(scope="module")
def entries(two_seasons):
    return two_seasons.entries()


@pytest.fixture(scope="module")
def key(two_seasons):
    return lie.operator_key(two_seasons)


def season(entries, number):
    """The entry that opens it."""
    return next(e for e in entries if (e.season, e.kind) == (number, "season"))


def refused(entries, key, says):
    """That nobody takes these entries, and that an auditor is told where it goes wrong."""
    wrong = lie.rewritten(entries, key)
    with pytest.raises(LedgerError, match=says):
        replay(wrong)
    (found,) = [each for each in verify(wrong) if each.name == "order"]
    assert found.holds is False
    return found.entry


def test_the_order_of_the_seasons_is_that_of_their_numbers(entries, key):
    first, second = season(entries, 1).number, season(entries, 2).number
    before, then = entries[:first], entries[second:]
    fir = entries[second - 1]
    assert refused([*before, fir, *then], key, "a season that is not number 1") == first + 1
    again = [*entries, season(entries, 2)]
    assert refused(again, key, "a season that is not number 3") == len(entries)
    twice = [*entries[: first + 1], season(entries, 1)]
    assert refused(twice, key, "a season that is not number 2") == first + 1


@pytest.mark.parametrize("number", [0, 1, 3, 10_000])
def test_terms_are_of_the_season_that_they_open(entries, key, number):
    place = season(entries, 2).number

    def other(said):
        said["terms"]["season"] = number

    wrong = list(entries)
    wrong[place] = lie.with_body(entries[place], changed(lie.body(entries[place]), other))
    says = "season: input should be greater" if number == 0 else "a season that is not number 2"
    assert refused(wrong, key, says) == place


def changed(values, change):
    change(values)
    return values


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("consortium", "0" * 64, "terms of another consortium"),
        ("operator", OTHER, "terms of another operator"),
    ],
)
def test_a_season_is_of_this_consortium_and_its_operator(entries, key, name, value, says):
    for number in (1, 2):
        place = season(entries, number).number
        wrong = list(entries)
        values = lie.body(entries[place])
        values["terms"][name] = value
        wrong[place] = lie.with_body(entries[place], values)
        assert refused(wrong, key, says) == place


@pytest.mark.parametrize(("name", "value"), [("currency", "USD"), ("unit", "0.1")])
def test_all_seasons_count_in_one_unit_of_money(entries, key, name, value):
    place = season(entries, 2).number
    wrong, values = list(entries), lie.body(entries[place])
    values["terms"]["money"][name] = value
    wrong[place] = lie.with_body(entries[place], values)
    assert refused(wrong, key, "one consortium has one unit of money") == place


def test_a_season_waits_until_the_one_before_is_settled(entries, key):
    opened = season(entries, 2).number
    (settled,) = [e.number for e in entries if (e.season, e.kind) == (1, "settlement")]
    rest = entries[opened - 1 :]
    for end in range(season(entries, 1).number + 1, settled + 1):
        says = "a season before the one before it is settled"
        assert refused([*entries[:end], *rest], key, says) == end + 1
    early = lie.rewritten([*entries[: settled + 5], *entries[opened - 1 : opened + 1]], key)
    assert replay(early).season.phase == "enrolling"  # its statements may be handed out later


def test_a_reversed_season_is_followed_by_none(entries, key):
    opened = season(entries, 2).number
    before = entries[: opened - 1]
    record = replay(before).season
    undone = {
        "settlement": record.settlement,
        "why": "a mistake",
        "decision": None,
    }
    reversal = lie.with_body(replace(before[-1], kind="reversal"), undone)
    refused([*before, reversal, *entries[opened - 1 :]], key, "before the one before it is settl")


def test_invited_are_members_that_are_registered_and_not_retired(entries, key):
    opened = season(entries, 2).number
    without_fir = [*entries[: opened - 1], entries[opened]]
    assert refused(without_fir, key, "a season with others than the members") == opened - 1

    def retired(member, why="it closed down"):
        entry = replace(entries[0], season=0, kind="retired")
        return lie.with_body(entry, {"member": member, "why": why})

    gone = [*entries[:opened], retired("alder"), *entries[opened:]]
    assert refused(gone, key, "a season with others than the members") == opened + 1
    twice = [*entries, retired("birch"), retired("birch")]
    assert refused(twice, key, "a member that is retired already") == len(entries) + 1
    assert refused([*entries, retired("oak")], key, "nobody who could retire") == len(entries)
    state = replay(lie.rewritten([*entries[:opened], retired("birch"), entries[opened]], key))
    assert list(state.retired) == ["birch"]
    assert sorted(state.members) == ["alder", "birch", "cedar", "elm", "fir"]  # for good


def test_a_member_registers_once_and_with_a_key_of_its_own(entries, key):
    def member(name, public):
        return lie.with_body(entries[1], {"member": name, "key": public})

    members = replay(entries).members
    for wrong, says in (
        (member("alder", members["alder"]), "a member that is registered already"),
        (member("alder", OTHER), "a member that is registered already"),
        (member("oak", members["birch"]), "a key that was somebody's already"),
    ):
        assert refused([*entries, wrong], key, says) == len(entries)
    good = lie.rewritten([*entries, member("oak", OTHER)], key)
    assert replay(good).members == members | {"oak": OTHER}


def test_who_is_not_invited_does_not_enrol(entries, key):
    """Birch is a member still, but left with the first season."""
    place = next(e.number for e in entries if (e.season, e.kind) == (2, "enrolment"))
    own = next(e for e in entries if e.kind == "enrolment" and '"birch"' in e.body)
    wrong = [*entries[:place], replace(own, season=2)]
    assert refused(wrong, key, "an enrolment of nobody that was invited") == place


@pytest.mark.parametrize("number", [3, -1, 10_000])
def test_no_entry_is_of_a_season_that_was_not_opened(entries, key, number):
    wrong = [*entries, replace(entries[-1], season=number)]
    says = f"an entry of season {number}, which was not opened"
    assert refused(wrong, key, says) == len(entries)


def test_an_entry_of_the_first_season_may_come_in_the_second(entries, key):
    """A member that was away gets its statement when it is back."""
    entries = lie.rewritten(lie.before_witnesses(entries), key)
    place = max(e.number for e in entries if (e.season, e.kind) == (1, "acknowledged"))
    then = next(e.number for e in entries if (e.season, e.kind) == (2, "round"))
    late = [*entries[:place], *entries[place + 1 : then], entries[place], entries[then]]
    late = lie.rewritten(late, key)
    assert [season.phase for season in replay(late).seasons] == [
        "settled, 4 members to sign the head of the ledger",
        "training, 1 of 3 rounds",
    ]
    assert [season.phase for season in replay(late[: then - 1]).seasons] == [
        "settled, 1 statements to hand out",
        "training, 0 of 3 rounds",
    ]
