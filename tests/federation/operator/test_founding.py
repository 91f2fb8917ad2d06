"""A consortium and its seasons: what the operator makes, and what it may not make."""

import json
import shutil

import pytest

from fedfact.errors import InputError, LedgerError
from fedfact.federation.ledger.entries import Retired
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles, own_key
from fedfact.federation.member.preparation import make_ready
from fedfact.federation.operator.directory import OperatorDirectory, read_invitation, season_folder
from fedfact.federation.operator.founding import create, open_season
from fedfact.federation.operator.session import Session
from fedfact.federation.operator.settle import reverse
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.message import read_message, write_message
from fedfact.federation.wire.transport import Failure, InProcess

KEYS = {name: Key(name.encode().ljust(32)).public for name in ("oak", "elm", "fir", "ash")}


def test_a_consortium_has_its_founding_its_members_and_a_season(make_house):
    house = make_house()
    made = {str(path.relative_to(house.directory)) for path in house.directory.rglob("*.*")}
    assert made == {
        "consortium.json",
        "members.json",
        "operator.key",
        *(f"season-1/{name}" for name in ("terms.json", "invited.json", "seed.secret")),
    }
    assert house.directory.stat().st_mode & 0o777 == 0o700
    assert [entry.kind for entry in house.state() and house.entries()] == [
        "consortium", "member", "member", "member", "season",
    ]  # fmt: skip
    assert house.state().members == {name: own_key(at) for name, at in house.members.items()}


def test_two_members_cannot_have_one_key(tmp_path, make_house):
    """The ledger would refuse the second, and the directory could not be used any more."""
    terms, keys = make_house().root / "terms.toml", KEYS | {"elm": KEYS["oak"]}
    with pytest.raises(InputError, match="oak registered the key of elm; each has a key of its ow"):
        create(tmp_path / "new", terms, keys)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("key", ["", "x" * 64, "AB" * 32, None, 7])
def test_what_is_no_key_is_refused(tmp_path, make_house, key):
    terms = make_house().root / "terms.toml"
    with pytest.raises(InputError, match="oak"):
        create(tmp_path / "new", terms, KEYS | {"oak": key})
    assert not (tmp_path / "new").exists()


def test_one_directory_holds_one_consortium(make_house):
    house = make_house()
    with pytest.raises(InputError, match="holds a federation already; name another directory"):
        create(house.directory, house.root / "terms.toml", KEYS)


# ---------------------------------------------------------------------------- two seasons


def test_the_next_season_has_terms_members_and_a_draw_of_its_own(two_seasons, sound):
    house = two_seasons
    second = sound(house)
    state = house.state()
    first = state.seasons[0]
    assert [season.number for season in state.seasons] == [1, 2]
    assert [season.phase for season in state.seasons] == ["finished", "finished"]
    assert sorted(first.lines) == ["alder", "birch", "cedar", "elm"]
    assert sorted(second.lines) == ["alder", "cedar", "elm", "fir"]
    assert sorted(state.members) == ["alder", "birch", "cedar", "elm", "fir"]
    assert first.federation != second.federation
    assert first.terms.seed_commitment != second.terms.seed_commitment
    for name in ("alder", "cedar", "elm"):
        assert first.contracts[name].key == second.contracts[name].key
        assert first.contracts[name].nonce != second.contracts[name].nonce
    assert sum(first.balances().values()) == sum(second.balances().values()) == 0


def test_all_entries_are_in_one_chain_each_of_its_season(two_seasons):
    entries = two_seasons.entries()
    seasons = [entry.season for entry in entries]
    of_none = [entry.kind for entry in entries if not entry.season]
    assert of_none == ["consortium", *["member"] * 5]
    last = max(number for number, season in enumerate(seasons) if season == 1)
    assert (entries[last + 1].season, entries[last + 1].kind) == (0, "member")  # fir registers
    assert (entries[last + 2].season, entries[last + 2].kind) == (2, "season")
    assert set(seasons[last + 2 :]) == {2}


def test_members_keep_a_folder_for_each_season_and_one_row_of_heads(two_seasons):
    kept = {
        name: sorted(path.name for path in place.glob("season-*"))
        for name, place in two_seasons.members.items()
    }
    assert kept == {
        "alder": ["season-1", "season-2"],
        "birch": ["season-1"],
        "cedar": ["season-1", "season-2"],
        "elm": ["season-1", "season-2"],
        "fir": ["season-2"],
    }
    opened = next(e.number for e in two_seasons.entries() if e.season == 2)
    heads = {name: MemberFiles(at).heads() for name, at in two_seasons.members.items()}
    assert max(head.number for head in heads["birch"]) < opened
    assert min(head.number for head in heads["fir"]) >= opened
    assert min(head.number for head in heads["elm"]) < opened < heads["elm"][-1].number


def test_who_left_is_asked_nothing_and_refuses_the_season(make_house, wired):
    house = make_house(members=4, rounds=1)
    house.run()
    house.next_season(leaving=["birch"])
    wire = wired(house)
    house.run(wire)
    assert {kind for member, kind, *_ in wire.log if member == "birch"} == {"shown"}
    request = next(request for member, kind, request, _ in wire.log if kind == "enrol")
    with pytest.raises(InputError, match="another federation"):
        house.handlers()["birch"]("enrol", request)


def test_a_request_of_the_season_before_is_refused_in_the_next(make_house, wired):
    house = make_house(members=3, rounds=1)
    wire = wired(house)
    house.run(wire)
    house.next_season()
    before = [each for each in wire.log if each[1] in ("enrol", "agree", "round", "open")]
    assert len(before) == 12
    for member, kind, request, _ in before:
        with pytest.raises(InputError, match=rf"a request \({kind}\) about a season that is over"):
            house.handlers()[member](kind, request)


def test_a_head_of_before_is_refused_in_the_next_season_too(make_house):
    """An operator that forgot how a season ended would show members a ledger that goes back."""
    house = make_house(members=3, rounds=1)
    house.run()
    house.next_season()
    with OperatorDirectory(house.directory) as opened:
        session = Session(opened, InProcess(house.handlers()))
        earlier = replay(opened.ledger.entries()[:5])
        newest, session.state.last = session.state.head, earlier.last
        session.state._tree = earlier._tree
        contents = {"alder": {"terms": opened.published.dump(), "size": 1}}
        said = session.ask("enrol", contents)["alder"]
    assert newest.number > earlier.head.number
    assert isinstance(said, Failure)
    assert "out of order" in said.detail


def test_a_season_needs_nobody_of_the_one_before(make_house, sound):
    house = make_house(members=3, rounds=1)
    house.run()
    new = ("elm", "fir", "oak")
    gone = {name: house.members.pop(name) for name in ("alder", "birch", "cedar")}
    for place in gone.values():
        place.rename(place.with_name(f"gone-{place.name}"))
    for name in new:
        (house.root / name).mkdir()
        house.members[name] = house.root / name
        house.configure(name, data=f"digits:{new.index(name)}/3", true_cost=1.0)
    keys = {name: own_key(house.members[name]) for name in new}
    assert open_season(house.directory, house.root / "terms.toml", keys, gone) == 2
    house.invite()
    house.run()
    record = sound(house)
    assert (record.number, sorted(record.lines), record.phase) == (2, [*new], "finished")
    for name, place in gone.items():
        house.members[name] = place.with_name(f"gone-{place.name}")
    sound(house)  # and those who are gone have nothing to say against it


def test_a_member_may_come_back_after_a_season_without_it(make_house, sound):
    house = make_house(members=4, rounds=1)
    house.run()
    house.next_season(leaving=["elm"])
    house.run()
    house.next_season(joining=["elm"])
    house.run()
    record = sound(house)
    assert (record.number, len(record.lines)) == (3, 4)
    kinds = [entry.kind for entry in house.entries()]
    assert (kinds.count("member"), kinds.count("season")) == (4, 3)
    assert sorted(path.name for path in house.members["elm"].glob("season-*")) == [
        "season-1", "season-3",
    ]  # fmt: skip


def test_a_season_of_other_terms_and_sizes(make_house, sound):
    house = make_house(members=3, rounds=1)
    house.run()
    text = (house.root / "terms.toml").read_text()
    other = house.root / "second.toml"
    other.write_text(text.replace('"rebate"', '"shared"').replace("20000.0", "30000.0"))
    house.next_season(terms=other, sizes={"alder": 3, "birch": 1, "cedar": 2})
    assert read_invitation(house.directory)[1] == {"alder": 3, "birch": 1, "cedar": 2}
    house.run()
    record = sound(house)
    assert (record.money.rule, record.money.error_scale) == ("shared", 30000.0)
    assert {name: each.size for name, each in record.contracts.items()} == record.sizes


# ----------------------------------------------------------------------- what is refused


def second(house, joining=None, without=(), **how):
    return open_season(house.directory, house.root / "terms.toml", joining, without, **how)


def test_a_season_waits_for_the_one_before_to_be_settled(make_house, wired):
    house = make_house(members=3, rounds=1)
    says = r"season 1 is not settled yet; end it with fedfact federation resume, or settle"
    with pytest.raises(InputError, match="there is no ledger"):
        second(house)
    house.record()
    with pytest.raises(InputError, match=says):
        second(house)
    house.run()
    with OperatorDirectory(house.directory) as opened:
        reverse(Session(opened, InProcess({})), "a mistake")
    with pytest.raises(InputError, match=says):
        second(house)
    house.run()
    assert second(house) == 2
    with pytest.raises(InputError, match="season 2 is not settled yet"):
        second(house)
    assert season_folder(house.directory).name == "season-2"


@pytest.fixture
def ended(make_house):
    house = make_house(members=4, rounds=1)
    house.run()
    return house


@pytest.mark.parametrize(
    ("joining", "without", "says"),
    [
        ({}, ["oak"], "oak took no part in season 1"),
        ({}, ["alder", "birch"], "name three or more"),
        ({"alder": KEYS["oak"]}, [], "alder: registered with another key"),
        ({"operator": KEYS["oak"]}, [], "a member cannot be called operator"),
        ({"a b": KEYS["oak"]}, [], "'a b' cannot name a member"),
        ({"oak": "x"}, [], "not a valid members: members.oak"),
        ({"oak": KEYS["oak"], "ash": KEYS["oak"]}, [], "oak registered the key of ash"),
    ],
)
def test_members_that_cannot_be_are_refused_and_nothing_is_made(ended, joining, without, says):
    before = (ended.directory / "members.json").read_bytes()
    with pytest.raises(InputError, match=says):
        second(ended, joining, without)
    assert (ended.directory / "members.json").read_bytes() == before
    assert not (ended.directory / "season-2").exists()


def test_who_joins_with_the_key_of_another_is_refused(ended):
    taken = own_key(ended.members["alder"])
    with pytest.raises(InputError, match="oak registered the key of alder"):
        second(ended, {"oak": taken})


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"EUR"', '"USD"', "amounts of this consortium are in units of 0.01 EUR, and the terms"),
        ("unit = 0.01", "unit = 0.1", "one consortium has one unit of money"),
        ('"rebate"', '"lottery"', "rule is 'lottery'"),
    ],
)
def test_terms_that_do_not_fit_are_refused_with_their_file(ended, old, new, says):
    text = (ended.root / "terms.toml").read_text()
    (ended.root / "terms.toml").write_text(text.replace(old, new))
    with pytest.raises(InputError, match=rf"terms\.toml: .*{says}"):
        second(ended)
    assert not (ended.directory / "season-2").exists()


def test_who_retired_is_in_no_season_any_more(ended, sound):
    with OperatorDirectory(ended.directory) as opened:
        session = Session(opened, InProcess({}))
        gone = Retired(member="birch", why="it closed down")
        opened.ledger.add(opened.key, [(0, "retired", gone)], session.state.add)
    key = own_key(ended.members["birch"])
    with pytest.raises(InputError, match="birch: retired for good; register under another id"):
        second(ended, {"birch": key})
    ended.members.pop("birch")
    ended.next_season()
    assert sorted(read_invitation(ended.directory)[1]) == ["alder", "cedar", "elm"]
    ended.run()
    assert sorted(sound(ended).lines) == ["alder", "cedar", "elm"]


def test_a_folder_that_is_no_season_is_none(ended):
    for name in ("season-1.bak", "season-01", "season-x", "season-0", "season-"):
        shutil.copytree(ended.directory / "season-1", ended.directory / name)
        shutil.copytree(ended.members["elm"] / "season-1", ended.members["elm"] / name)
    assert season_folder(ended.directory).name == "season-1"
    assert MemberFiles(ended.members["elm"]).season == 1
    assert second(ended) == 2


# ---------------------------------------------------------------- directories mixed up


def test_a_session_with_the_ledger_of_another_consortium_is_refused(make_house):
    """The same terms, members and operator's key do not make it the same one."""
    house = make_house()
    house.record()
    said = json.loads((house.directory / "consortium.json").read_text()) | {"name": "another"}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    (house.directory / "consortium.json").write_text(text)
    with pytest.raises(InputError, match="the ledger is of another consortium"):
        house.run()
    fresh = make_house("fresh")
    (fresh.directory / "consortium.json").write_text(text.replace(said["operator"], own(fresh)))
    with pytest.raises(LedgerError, match="terms of another consortium"):
        fresh.run()
    assert not fresh.entries()  # of what was to be entered together nothing is there


def own(house):
    """The key of a house's operator."""
    return json.loads((house.directory / "consortium.json").read_text())["operator"]


def test_a_session_with_another_key_of_a_member_is_refused(make_house):
    house = make_house()
    house.record()
    said = json.loads((house.directory / "members.json").read_text())
    said["members"]["alder"] = KEYS["oak"]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    (house.directory / "members.json").write_text(text)
    with pytest.raises(InputError, match="the ledger has another key of alder"):
        house.run()


def test_a_season_folder_that_was_lost_is_not_gone_on_without(ended):
    """The ledger has a season whose terms and seed are not there: a backup that is too old."""
    ended.next_season()
    ended.run()
    shutil.rmtree(ended.directory / "season-2")
    entries = read_ledger(str(ended.directory))
    with pytest.raises(InputError, match=r"the ledger has season 2, and season-2 .* is gone; rest"):
        ended.run()
    assert read_ledger(str(ended.directory)) == entries


def test_a_folder_with_the_terms_of_another_season_is_refused(ended):
    ended.next_season()
    shutil.copytree(ended.directory / "season-2", ended.directory / "season-3")
    entries = read_ledger(str(ended.directory))
    with pytest.raises(InputError, match="season-3: has the terms of season 2; restore it"):
        ended.run()
    assert read_ledger(str(ended.directory)) == entries


def test_terms_of_another_season_or_consortium_are_not_taken_by_a_member(ended, make_house):
    """One directory serves one consortium; its newest season is never the one before."""
    config = ended.members["elm"] / "member.toml"
    first = read_invitation(ended.directory)[0]
    ended.next_season()
    with pytest.raises(InputError, match=r"the kit is of season 1, and .* has joined season 2"):
        make_ready(first, config)
    other = read_invitation(make_house("other").directory)[0]
    for wrong in (other, other.model_copy(update={"season": 3})):
        with pytest.raises(InputError, match="is of another federation than the kit"):
            make_ready(wrong, config)
    again = read_invitation(ended.directory)[0]
    altered = again.model_copy(update={"name": "altered"})
    with pytest.raises(InputError, match="is of another federation than the kit"):
        make_ready(altered, config)
    make_ready(again, config)  # the same kit once more changes nothing


def test_who_enrols_with_a_key_that_it_did_not_register_is_not_taken(make_house, wired):
    """Whoever signed: in every season the key in the ledger is the one that counts."""
    house, other = make_house(members=4, rounds=1), Key(bytes(range(32)))
    house.run()
    house.next_season()

    def after(member, kind, reply):
        if (member, kind) != ("elm", "enrol"):
            return reply
        said = read_message(reply, len(reply)).head
        where = {name: getattr(said, name) for name in ("federation", "sender", "to", "answers")}
        return write_message(
            other, kind=kind, content=said.content | {"key": other.public}, **where
        )

    record = house.run(wired(house, after=after))
    assert sorted(record.lines) == ["alder", "birch", "cedar"]
    assert "elm" not in record.enrolments
    assert "a message that elm did not sign" in (house.directory / "operator.log").read_text()
