"""Members' keys over a life: replaced by themselves, declared void, restored, and never taken."""

import json
import shutil

import pytest

from fedfact.errors import InputError, LedgerError
from fedfact.federation.agreement.key_change import key_answer, new_key, request_proof
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.own_keys import make_answer, make_new_key
from fedfact.federation.member.preparation import make_ready
from fedfact.federation.operator.directory import read_invitation
from fedfact.federation.operator.entered.keys import accept, restore, retire
from fedfact.federation.operator.founding import open_season
from fedfact.federation.operator.overview import overview
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.keys import Key, read_secret
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure

TLS = "ab" * 32


def head(data):
    return read_message(data, len(data)).head


def consortium(house):
    return house.state().consortium.hash()


def pause(house, wired, number=2):
    """Have it pause before this round."""

    def before(member, kind, request):
        due = kind == "round" and head(request).content["round"] == number
        return Failure("unreachable") if due else request

    with pytest.raises(Paused):
        house.run(wired(house, before))


def handed_in(house, member):
    return make_new_key(house.members[member], consortium(house), member)


def written(house, document):
    path = house.root / "handed.json"
    path.write_bytes(document.encoded())
    return path


def lose_all(house, member):
    """Its disk died: config and terms are all that there is again, with new keys."""
    place = house.members[member]
    config = (place / "member.toml").read_bytes()
    shutil.rmtree(place)
    place.mkdir()
    (place / "member.toml").write_bytes(config)
    make_ready(read_invitation(house.directory)[0], place / "member.toml")
    return MemberFiles(place).key


def restored(house, member, why="disk died"):
    key = lose_all(house, member)
    proof = request_proof(key, member, TLS)
    return restore(house.directory, member, key.public, TLS, proof, why)


def failed(house):
    return {each.name: each.says for each in verify(house.entries()) if not each.holds}


def own_copy(house, member):
    found = verify_copy(house.entries(), member, MemberFiles(house.members[member]))
    return {each.name: each for each in found}


def test_a_member_replaces_its_key_between_two_rounds(make_house, wired, sound):
    house = make_house(members=4)
    pause(house, wired)
    old = MemberFiles(house.members["birch"]).key.public
    path = handed_in(house, "birch")
    assert MemberFiles(house.members["birch"]).key.public == old  # not before it was accepted
    assert accept(house.directory, path) == ("birch", "key")
    number = house.entries()[-1].number
    record = house.run()
    new = MemberFiles(house.members["birch"]).key.public
    assert new == json.loads(path.read_text())["key"] != old
    assert record.phase == "finished"
    assert record.contracts["birch"].key == old  # a contract keeps the key it was signed with
    assert record.rounds[0].attested["birch"].is_by(old)
    assert record.rounds[1].attested["birch"].is_by(new)
    assert record.keys.all_of("birch") == [(2, old), (number, new)]
    sound(house)
    says = {each.name: each.says for each in verify(house.entries())}
    assert says["keys"] == "4 members, 1 keys replaced by their members"
    assert own_copy(house, "birch")["own keys"].says == "2 of its own"


def test_a_key_that_is_replaced_while_contracts_are_signed(make_house, wired, sound):
    house = make_house(members=4)

    def before(member, kind, request):
        return Failure("unreachable") if kind == "agree" else request

    with pytest.raises(Paused):
        house.run(wired(house, before))
    accept(house.directory, handed_in(house, "birch"))
    assert house.run().phase == "finished"
    sound(house)


def test_the_next_key_is_the_same_until_it_is_accepted_and_a_crash_loses_neither(
    make_house, wired, sound, monkeypatch
):
    house = make_house(members=4)
    pause(house, wired)
    path, place = handed_in(house, "birch"), house.members["birch"]
    first = path.read_bytes()
    assert handed_in(house, "birch").read_bytes() == first
    accept(house.directory, path)
    from fedfact.federation.member import own_keys

    def crash(folder):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(own_keys.os, "link", lambda *paths: crash(None))
        with pytest.raises(KeyboardInterrupt):
            house.run()
    assert (place / "next.key").exists()
    with monkeypatch.context() as patched:
        patched.setattr(own_keys, "keep_names", crash)
        with pytest.raises(KeyboardInterrupt):
            house.run()
    assert sorted(each.name[:4] for each in place.glob("*.key")) == ["memb", "old-"]
    assert house.run().phase == "finished"
    sound(house)


def test_the_new_key_serves_the_next_season_too(make_house, sound):
    house = make_house(members=3)
    house.run()
    accept(house.directory, handed_in(house, "birch"))
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    record = house.run()
    assert record.number == 2
    assert (
        record.contracts["birch"].key == record.keys.of("birch") != record.keys.registered("birch")
    )
    sound(house)


def test_a_new_key_that_the_member_did_not_sign_is_refused(make_house):
    house = make_house(members=3)
    named, birch = consortium(house), MemberFiles(house.members["birch"]).key
    alder, mine = MemberFiles(house.members["alder"]).key, Key(b"\1" * 32)
    cases = [
        (new_key(named, "alder", birch, mine), "replaces a key that alder has not"),
        (
            new_key(named, "alder", birch, mine).model_copy(update={"replaces": alder.public}),
            "the owner of its key did not sign",
        ),
        (
            new_key(named, "birch", birch, mine).model_copy(update={"proof": "00" * 64}),
            "of somebody who does not have it",
        ),
        (new_key(named, "birch", birch, alder), "brings in a key that alder has or had"),
        (new_key(named, "birch", birch, birch), "brings in a key that birch has or had"),
        (new_key("00" * 32, "birch", birch, mine), "of another consortium"),
        (new_key(named, "nobody", birch, mine), "'nobody' is no member"),
    ]
    entries = house.entries()
    for said, why in cases:
        with pytest.raises(InputError, match=why):
            accept(house.directory, written(house, said))
    assert house.entries() == entries


def test_an_old_change_cannot_be_played_again(make_house):
    house = make_house(members=3)
    named, keys = consortium(house), [MemberFiles(house.members["birch"]).key]
    keys += [Key(bytes([k]) * 32) for k in (1, 2)]
    first = new_key(named, "birch", keys[0], keys[1])
    accept(house.directory, written(house, first))
    with pytest.raises(InputError, match="replaces a key that birch has not"):
        accept(house.directory, written(house, first))
    accept(house.directory, written(house, new_key(named, "birch", keys[1], keys[2])))
    back = new_key(named, "birch", keys[2], keys[0])
    with pytest.raises(InputError, match="brings in a key that birch has or had"):
        accept(house.directory, written(house, back))


def test_a_key_that_is_retired_serves_the_season_that_is_on_and_no_other(make_house, wired, sound):
    house = make_house(members=4)
    pause(house, wired)
    with pytest.raises(InputError, match="give a reason"):
        retire(house.directory, "birch", " ")
    assert retire(house.directory, "birch", "laptop stolen") == 2
    with pytest.raises(InputError, match="its key was retired"):
        retire(house.directory, "birch", "again")
    with pytest.raises(InputError, match="its key was retired"):
        accept(house.directory, handed_in(house, "birch"))
    assert house.run().phase == "finished"
    sound(house)
    assert "void from season 2 on, says the operator: laptop stolen" in (
        own_copy(house, "birch")["own keys"].says
    )
    answer = make_answer(house.members["birch"], consortium(house), "birch", "it was not mine")
    assert accept(house.directory, answer) == ("birch", "key-answer")
    with pytest.raises(LedgerError, match="a second answer"):
        accept(house.directory, answer)
    forged = key_answer(
        consortium(house),
        "birch",
        MemberFiles(house.members["alder"]).key,
        house.state().keys.of("birch"),
        "yes",
    )
    with pytest.raises(InputError, match="not signed by birch"):
        accept(house.directory, written(house, forged))

    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    record = house.run()
    assert sorted(record.contracts) == ["alder", "cedar", "elm"]  # birch is not even asked
    assert failed(house) == {}
    old = MemberFiles(house.members["birch"]).key
    proof = request_proof(old, "birch", TLS)
    with pytest.raises(InputError, match="birch has or had"):  # nor does it come in anew
        restore(house.directory, "birch", old.public, TLS, proof, "same laptop")


def test_a_member_whose_disk_died_comes_back_and_its_statement_says_so(make_house, wired, sound):
    house = make_house(members=4, rounds=6)
    pause(house, wired, number=6)
    number = restored(house, "birch")
    record = house.run()
    assert record.phase == "finished"
    assert record.keys.restored("birch", 1, before=record.settlement) == number
    rows = overview(house.state())["members"]
    assert rows["birch"]["restored"] == number
    assert "restored" not in rows["alder"]
    (told,) = MemberFiles(house.members["birch"]).statements()
    assert told.restored == number
    assert record.acknowledged["birch"].said.read_head().content["why"] == [
        "taken as told: my own copies were lost with my key"
    ]
    assert (house.members["birch"] / "season-1/model.bin").exists()
    assert failed(house) == {}
    own = own_copy(house, "birch")
    assert own["own keys"].says == "1 of its own, and 1 before that it lost"
    assert f"came back at entry {number}" in own["own contract"].says
    assert {name for name, each in own.items() if each.holds is False} == set()
    house.run()

    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    assert sorted(house.run().contracts) == ["alder", "birch", "cedar", "elm"]
    (told,) = MemberFiles(house.members["birch"]).statements()
    assert told.restored is None  # the season after is like any other
    assert failed(house) == {}


def test_between_seasons_it_is_the_next_one_that_is_marked(make_house):
    house = make_house(members=3)
    house.run()
    number = restored(house, "birch")
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    record = house.run()
    assert [each.restored for each in MemberFiles(house.members["birch"]).statements()] == [number]
    assert failed(house) == {}
    assert record.lines["birch"].net is not None


def test_restoring_needs_the_key_and_a_reason(make_house):
    house = make_house(members=3)
    key = Key(b"\1" * 32)
    proof = request_proof(key, "birch", TLS)
    house.state()  # which enters consortium and members
    entries = house.entries()
    for member, tls, why, said in (
        ("alder", TLS, "disk died", "does not have its key"),
        ("birch", "00" * 32, "disk died", "does not have its key"),
        ("birch", TLS, "", "give a reason"),
        ("nobody", TLS, "disk died", "is no member"),
    ):
        with pytest.raises(InputError, match=said):
            restore(house.directory, member, key.public, tls, proof, why)
    assert house.entries() == entries


def test_an_operator_that_replaces_a_members_key_is_found_by_that_member(make_house, wired):
    """It confirms a key of its own making: everything verifies but the member's own check."""
    house = make_house(members=4)
    pause(house, wired)
    own = Key(b"\7" * 32)
    number = restore(
        house.directory, "birch", own.public, TLS, request_proof(own, "birch", TLS), "disk died"
    )
    record = house.run()
    assert "birch" not in record.rounds[1].attested  # it does not answer in that key's name
    log = (house.members["birch"] / "member.log").read_text()
    assert "a key of this member that does not lie here" in log
    assert failed(house) == {}
    found = own_copy(house, "birch")["own keys"]
    assert (found.holds, found.entry) == (False, number)
    assert found.says.endswith("a key of this member that it did not make")


def test_a_member_that_has_its_key_denies_that_it_lost_it(make_house, wired):
    """The operator has the statement marked, and lets the member sign with its own key again."""
    house = make_house(members=4)
    pause(house, wired)
    own, birch = Key(b"\7" * 32), MemberFiles(house.members["birch"]).keys
    restore(
        house.directory, "birch", own.public, TLS, request_proof(own, "birch", TLS), "disk died"
    )
    back = new_key(consortium(house), "birch", own, birch.next())
    accept(house.directory, written(house, back))
    record = house.run()
    said = record.acknowledged["birch"].said.read_head().content
    assert any("says that I lost my key, and I have it" in why for why in said["why"])
    assert own_copy(house, "birch")["own keys"].holds is False


def test_a_member_follows_no_request_that_names_a_strange_key(make_house, wired):
    house = make_house(members=3)
    secret = read_secret(house.members["birch"] / "member.key")
    key = Key(secret)
    wire = wired(house)
    house.run(wire)
    asked = [(kind, head(request)) for member, kind, request, _ in wire.log if member == "birch"]
    assert {each.content["key"] for kind, each in asked if kind != "shown"} == {key.public}
