"""Members are invited, retire, and are in the seasons that they should be in."""

import json

import pytest

from fedfact.errors import InputError, LedgerError
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.state import replay
from fedfact.federation.member.files import MemberFiles, own_key
from fedfact.federation.operator.directory import read_invitation
from fedfact.federation.operator.founding import open_season
from fedfact.federation.operator.members import (
    Membership,
    erase_contact,
    invite,
    keep_contacts,
    read_awaited,
    read_contacts,
    retire,
)
from fedfact.federation.operator.overview import overview, seasons_overview


def come(house, name="yew", data="digits:0/3"):
    """A member's directory that is new; the key that it registers."""
    place = house.root / name
    place.mkdir()
    house.configure(name, data=data, true_cost=1.2)
    house.members[name] = place
    return own_key(place)


def next_season(house, **how):
    number = open_season(house.directory, house.root / "terms.toml", **how)
    house.invite()
    return number


def test_two_seasons_with_one_that_leaves_and_one_that_comes(make_house):
    house = make_house(members=4)
    house.run()
    assert retire(house.directory, "elm", "it closed") == len(house.entries()) - 1
    assert invite(house.directory, {"yew": come(house)}) == 2
    assert set(read_awaited(house.directory)) == {"yew"}
    assert seasons_overview(house.directory)["awaited"] == ["yew"]
    assert next_season(house) == 2
    assert read_awaited(house.directory) == {}
    assert set(read_invitation(house.directory)[1]) == {"alder", "birch", "cedar", "yew"}
    record = house.run()
    assert set(record.contracts) == {"alder", "birch", "cedar", "yew"}
    entries = house.entries()
    verdicts = verify(entries)
    for name, place in house.members.items():
        verdicts += verify_copy(entries, name, MemberFiles(place))
    assert [each for each in verdicts if not each.holds] == []
    assert [entry.season for entry in entries if entry.kind == "retired"] == [0]
    found = seasons_overview(house.directory)
    assert [row["phase"] for row in found["seasons"]] == ["finished", "finished"]
    assert [row["members"] for row in found["seasons"]] == [
        ["alder", "birch", "cedar", "elm"],
        ["alder", "birch", "cedar", "yew"],
    ]
    assert found["retired"] == {"elm": "it closed"}
    assert next(v.says for v in verdicts if v.name == "order") == (
        "season 1: finished; season 2: finished"
    )


def test_who_comes_before_the_season_begins_is_in_it(make_house):
    house = make_house()
    assert invite(house.directory, {"yew": come(house)}) == 1
    assert set(read_invitation(house.directory)[1]) == {"alder", "birch", "cedar", "yew"}
    house.invite()
    assert set(house.run().contracts) == {"alder", "birch", "cedar", "yew"}


def test_who_sat_out_a_season_is_invited_again(make_house):
    house = make_house(members=4)
    house.run()
    next_season(house, without=["elm"])
    assert set(house.run().contracts) == {"alder", "birch", "cedar"}
    invite(house.directory, {"elm": own_key(house.members["elm"])})
    next_season(house)
    assert set(house.run().contracts) == {"alder", "birch", "cedar", "elm"}


def test_who_retires_before_the_season_begins_is_not_in_it(make_house):
    house = make_house(members=4)
    retire(house.directory, "elm", "never came")
    assert set(read_invitation(house.directory)[1]) == {"alder", "birch", "cedar"}
    assert Membership.of(house.directory).admitted == {"alder", "birch", "cedar"}
    assert set(house.run().contracts) == {"alder", "birch", "cedar"}
    with pytest.raises(InputError, match="the members are birch, cedar; name three or more"):
        open_season(house.directory, house.root / "terms.toml", without=["alder"])


def test_too_few_would_be_left(make_house):
    house = make_house()
    with pytest.raises(InputError, match="the members are birch, cedar; name three or more"):
        retire(house.directory, "alder", "it closed")
    assert set(read_invitation(house.directory)[1]) == {"alder", "birch", "cedar"}
    assert Membership.of(house.directory).state.retired == {}


def test_who_retires_in_a_season_keeps_what_it_signed(make_house, wired):
    """It is let in until it has its statement: its contract binds both sides."""
    house = make_house(members=4)

    def stop(member, kind, request):
        if kind == "statement":
            raise KeyboardInterrupt
        return request

    with pytest.raises(KeyboardInterrupt):
        house.run(wired(house, stop))
    retire(house.directory, "elm", "it closed")
    assert "elm" in Membership.of(house.directory).admitted
    record = house.run()
    assert "elm" in record.acknowledged
    assert "elm" not in Membership.of(house.directory).admitted
    next_season(house)
    assert Membership.of(house.directory).admitted == {"alder", "birch", "cedar"}


def test_an_awaited_member_that_retires_leaves_no_trace(make_house):
    house = make_house()
    house.run()
    before = house.entries()
    invite(house.directory, {"yew": come(house)})
    assert retire(house.directory, "yew", "changed its mind") is None
    assert house.entries() == before
    assert read_awaited(house.directory) == {}


def test_members_that_cannot_come_or_go(make_house):
    house = make_house(members=4)
    house.run()
    key, other = come(house), own_key(house.members["birch"])
    for keys, said in (
        ({"alder": key}, "alder: registered with another key"),
        ({"yew": other}, "yew: signs with the key of birch; it makes its own"),
        ({"operator": key}, "a member cannot be called operator"),
        ({"../yew": key}, "cannot name a member"),
    ):
        with pytest.raises(InputError, match=said):
            invite(house.directory, keys)
    with pytest.raises(InputError, match="has no member 'yew'"):
        retire(house.directory, "yew", "gone")
    for why in ("", " ", "a\x1b[31m"):
        with pytest.raises(InputError, match="give a reason in words"):
            retire(house.directory, "elm", why)
    retire(house.directory, "elm", "it closed")
    with pytest.raises(InputError, match="elm is retired already: it closed"):
        retire(house.directory, "elm", "again")
    with pytest.raises(InputError, match="elm is retired; who comes back takes another name"):
        invite(house.directory, {"elm": own_key(house.members["elm"])})
    with pytest.raises(InputError, match="sizes are given with the season"):
        invite(house.directory, {"yew": key}, {"yew": 3})
    assert read_awaited(house.directory) == {}


def test_an_operator_that_invites_a_retired_member_all_the_same_gets_no_season(make_house):
    """By hand: the ledger itself has no season with others than its members."""
    house = make_house(members=4)
    house.run()
    retire(house.directory, "elm", "it closed")
    next_season(house)
    path = house.directory / "season-2" / "invited.json"
    said = json.loads(path.read_bytes())
    said["members"]["elm"] = 1
    path.write_text(json.dumps(said, sort_keys=True, separators=(",", ":")))
    before = house.entries()
    with pytest.raises(LedgerError, match="a season with others than the members"):
        house.run()
    assert house.entries() == before


def test_a_settlement_that_was_reversed_is_not_training(make_house):
    from fedfact.federation.operator.run import reverse

    house = make_house()
    house.run()
    reverse(house.directory, "a wrong count")
    said = overview(replay(house.entries()))
    assert said["phase"] == "settlement reversed"
    assert {row["state"] for row in said["members"].values()} == {"settlement reversed"}
    assert not any("net" in row for row in said["members"].values())


def test_contacts_are_kept_changed_and_erased(tmp_path):
    assert read_contacts(tmp_path) == {}
    keep_contacts(tmp_path, {"oak": "Oak Clinic, it@oak.example", "elm": "Elm"})
    keep_contacts(tmp_path, {"elm": "Elm Hospital"})
    assert read_contacts(tmp_path) == {"oak": "Oak Clinic, it@oak.example", "elm": "Elm Hospital"}
    assert (tmp_path / "contacts.json").stat().st_mode & 0o777 == 0o600
    assert erase_contact(tmp_path, "oak") is True
    assert erase_contact(tmp_path, "oak") is False
    assert b"Oak" not in (tmp_path / "contacts.json").read_bytes()
    assert read_contacts(tmp_path) == {"elm": "Elm Hospital"}


@pytest.mark.parametrize("contacts", [{"../oak": "x"}, {"oak": "\x1b[31m"}, {"oak": "x" * 501}])
def test_what_is_no_contact_is_refused(tmp_path, contacts):
    with pytest.raises(InputError):
        keep_contacts(tmp_path, contacts)
    assert not (tmp_path / "contacts.json").exists()
