"""Dishonest restarts: entries let go of without the word of who is bound by them are found."""

import shutil

import pytest

from fedfact.federation.agreement.restart import Consent
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import first_bad_entry, verify
from fedfact.federation.ledger.entries import Restarted
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.keys import Key, read_secret
from fedfact.federation.wire.message import read_message, write_message
from fedfact.federation.wire.transport import Failure

from .. import dishonest as lie


def pausing(number):
    def before(member, kind, request):
        due = kind == "round" and read_message(request, 1 << 20).head.content["round"] == number
        return Failure("unreachable") if due else request

    return before


@pytest.fixture
def older(make_house, wired):
    """A house whose operator has the ledger of an earlier moment than its members saw."""
    house = make_house(members=4, rounds=6)
    with pytest.raises(Paused):
        house.run(wired(house, pausing(2)))
    shutil.copytree(house.directory, house.root / "backup")
    with pytest.raises(Paused):
        house.run(wired(house, pausing(4)))
    shutil.rmtree(house.directory)
    shutil.copytree(house.root / "backup", house.directory)
    return house


def found(entries):
    return {each.name: each for each in verify(entries) if each.holds is False}


def consents(house, state, change=lambda member, consent: consent, signs=None):
    """What each member would say; the operator has their keys, as nobody honest has."""
    after, said = state.head, {}
    for member, place in house.members.items():
        lost = max(MemberFiles(place).heads(), key=lambda head: head.number)
        consent = Consent(after=after, season=1, rounds=1, lost=lost)
        message = write_message(
            signs or Key(read_secret(place / "member.key")),
            federation=state.consortium.hash(),
            kind="restart",
            sender=member,
            to="operator",
            content=change(member, consent).dump(),
            answers="00" * 32,
        )
        said[member] = read_message(message).evidence
    return said


def with_restart(house, said, **changes):
    """The ledger with such a restart, entered past all that would refuse it."""
    state = replay(read_ledger(str(house.directory)))
    document = Restarted(**{"after": state.head, "season": 1, "rounds": 1, "said": said} | changes)
    with OperatorDirectory(house.directory) as opened:
        opened.ledger.add(opened.key, [(0, "restart", document)])
        return opened.ledger.entries()


def state_of(house):
    return replay(read_ledger(str(house.directory)))


def test_with_everybodys_word_it_holds(older):
    entries = with_restart(older, consents(older, state_of(older)))
    assert found(entries) == {}


def test_without_the_word_of_one_that_signed_the_roster_it_is_found(older):
    said = consents(older, state_of(older))
    del said["cedar"]
    entries = with_restart(older, said)
    wrong = found(entries)
    assert "a restart without the consent of cedar" in wrong["order"].says
    assert first_bad_entry(verify(entries)) == len(entries) - 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rounds": 2}, "another season or round"),
        ({"season": 2}, "another season or round"),
    ],
)
def test_a_restart_that_says_where_it_is_not_is_found(older, change, why):
    entries = with_restart(older, consents(older, state_of(older)), **change)
    assert why in found(entries)["order"].says


def test_a_restart_that_does_not_stand_behind_its_head_is_found(older):
    entries = with_restart(older, consents(older, state_of(older)))
    key = lie.operator_key(older)
    swapped = lie.rewritten([*entries[:-2], entries[-1], entries[-2]], key)
    assert "after another head than the ledger's" in found(swapped)["order"].says


def test_a_consent_that_the_member_did_not_sign_is_found(older):
    entries = with_restart(older, consents(older, state_of(older), signs=Key(b"\1" * 32)))
    assert "a consent that alder did not sign" in found(entries)["restarts"].says


def test_a_consent_to_something_else_is_found(older):
    def change(member, consent):
        return consent.model_copy(update={"rounds": 0}) if member == "birch" else consent

    entries = with_restart(older, consents(older, state_of(older), change))
    assert "a consent of birch to something else" in found(entries)["restarts"].says


def test_a_lost_head_that_the_operator_never_signed_is_found(older):
    def change(member, consent):
        lost = consent.lost.model_copy(update={"number": consent.lost.number + 9})
        return consent.model_copy(update={"lost": lost})

    entries = with_restart(older, consents(older, state_of(older), change))
    assert "a lost head of alder that the operator did not sign" in found(entries)["restarts"].says


def test_a_word_for_another_purpose_is_no_consent(older, make_house):
    said = consents(older, state_of(older))
    record = state_of(older).season
    said["elm"] = record.rounds[0].attested["elm"]
    entries = with_restart(older, said)
    assert "a message that is no consent of elm" in found(entries)["restarts"].says


def test_a_members_own_copy_excuses_only_the_restart_that_it_consented_to(older):
    """The operator signs in the members' names what they did not say: their heads still speak."""
    entries = with_restart(older, consents(older, state_of(older)))
    own = verify_copy(entries, "alder", MemberFiles(older.members["alder"]))
    (heads,) = [each for each in own if each.name == "own heads"]
    assert heads.holds is False
    assert found(entries) == {}
