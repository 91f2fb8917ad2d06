"""A dishonest operator and keys: what it writes into the ledger itself is found."""

import pytest

from fedfact.federation.agreement.key_change import key_answer, new_key, request_proof
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.entries import KeyAnswered, KeyReplaced, KeyRestored, KeyRetired
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.session import Session
from fedfact.federation.wire.keys import Key, read_secret
from fedfact.federation.wire.transport import InProcess

from .. import dishonest as lie

TLS = "ab" * 32


@pytest.fixture
def written(make_house):
    """A function that has a dishonest operator add entries of keys; what verify finds then."""
    house = make_house(members=3)
    house.run()

    def write(*documents):
        with OperatorDirectory(house.directory) as opened:
            session = Session(opened, InProcess({}))
            session.add_of_none(*documents)
        return {each.name: each.says for each in verify(house.entries()) if not each.holds}

    write.house = house
    write.consortium = house.state().consortium.hash()
    write.birch = Key(read_secret(house.members["birch"] / "member.key"))
    return write


def part(document, kind):
    values = document.dump()
    return kind(**{name: values[name] for name in kind.model_fields})


def test_what_was_signed_holds(written):
    mine = Key(b"\1" * 32)
    replaced = part(new_key(written.consortium, "birch", written.birch, mine), KeyReplaced)
    retired = KeyRetired(member="birch", key=mine.public, season=2, why="lost")
    answer = part(
        key_answer(written.consortium, "birch", mine, mine.public, "no, it is here"), KeyAnswered
    )
    back = Key(b"\2" * 32)
    proof = request_proof(back, "birch", TLS)
    restored = KeyRestored(member="birch", key=back.public, tls=TLS, proof=proof, why="called")
    found = written(
        ("key", replaced),
        ("key-retired", retired),
        ("key-answer", answer),
        ("key-restored", restored),
    )
    assert found == {}
    (says,) = [each.says for each in verify(written.house.entries()) if each.name == "keys"]
    number = written.house.entries()[-1].number
    assert says == (
        "3 members, 1 keys replaced by their members; by the operator's word, "
        f"birch at entry {number}"
    )


def test_a_change_that_the_member_did_not_sign_is_found(written):
    mine = Key(b"\1" * 32)
    forged = new_key(written.consortium, "birch", mine, mine).dump()
    del forged["format"], forged["consortium"]
    forged["replaces"] = written.birch.public
    found = written(("key", KeyReplaced(**forged)))
    assert "the owner of its key did not sign" in found["keys"]


def test_a_change_from_another_consortium_is_found(written):
    mine = Key(b"\1" * 32)
    other = part(new_key("00" * 32, "birch", written.birch, mine), KeyReplaced)
    assert "the owner of its key did not sign" in written(("key", other))["keys"]


def test_an_answer_that_the_member_did_not_give_is_found(written):
    void = written.birch.public
    retired = KeyRetired(member="birch", key=void, season=2, why="lost")
    forged = key_answer(written.consortium, "birch", Key(b"\1" * 32), void, "I agree")
    found = written(("key-retired", retired), ("key-answer", part(forged, KeyAnswered)))
    assert "an answer that birch did not sign" in found["keys"]


def test_a_key_restored_that_nobody_proved_to_have_is_found(written):
    restored = KeyRestored(member="birch", key="12" * 32, tls=TLS, proof="00" * 64, why="called")
    assert "somebody who does not have it" in written(("key-restored", restored))["keys"]


def test_evidence_by_the_key_of_another_time_is_found(written):
    """Attestations that the old key signed come to stand behind the change."""
    house, mine = written.house, Key(b"\1" * 32)
    entries, key = house.entries(), lie.operator_key(house)
    assert (
        written(
            ("key", part(new_key(written.consortium, "birch", written.birch, mine), KeyReplaced))
        )
        == {}
    )
    change = house.entries()[-1]
    (number,) = lie.numbers(entries, "roster")
    early = lie.rewritten([*entries[: number + 1], change, *entries[number + 1 : number + 4]], key)
    found = {each.name: each.says for each in verify(early) if each.holds is False}
    assert "a message that birch did not sign" in found["rounds"]
