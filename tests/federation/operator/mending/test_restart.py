"""An older ledger: found before anything is written, told of in words, and mended by consent."""

import random
import shutil
import sqlite3
from contextlib import suppress

import pytest

from fedfact.errors import InputError
from fedfact.federation.agreement.restart import Consent
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member import restarting
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.restarting import check_restart
from fedfact.federation.operator.entered.keys import retire
from fedfact.federation.operator.founding import open_season
from fedfact.federation.operator.mending.compare import StaleLedger
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.proofs import Proofs
from fedfact.federation.wire.transport import Failure, InProcess
from fedfact.federation.wire.tree import Tree
from fedfact.training.site.site import Site

from ... import dishonest as lie


def head(data):
    return read_message(data, len(data)).head


def pausing(kind, number=None, members=None):
    """What lets nobody answer from there on."""

    def before(member, asked, request):
        content = head(request).content
        due = asked == kind and content.get("round", number) == number
        return Failure("unreachable") if due and member in (members or {member}) else request

    return before


def saved(house, name="backup"):
    """A plain copy of the operator's directory, as somebody makes it by hand."""
    shutil.copytree(house.directory, house.root / name)


def put_back(house, name="backup"):
    """The whole directory is as old as the copy."""
    shutil.rmtree(house.directory)
    shutil.copytree(house.root / name, house.directory)
    return len(read_ledger(str(house.directory)))


def allow(house, *members):
    for member in members or house.members:
        (house.members[member] / "restart").touch()


def mend(house, wire=None):
    (house.directory / "mend").touch()
    return house.run(wire)


def older(make_house, wired, early, late, **how):
    """A house whose operator has the ledger of one moment, and members that of a later one."""
    house = make_house(members=4, **how)
    with pytest.raises(Paused):
        house.run(wired(house, early))
    saved(house)
    if late is None:
        house.run()
    else:
        with pytest.raises(Paused):
            house.run(wired(house, late))
    newest = len(house.entries())
    return house, put_back(house), newest


def verdicts(house):
    return {each.name: each for each in verify(house.entries())}


CASES = {
    "the enrolment": ({}, pausing("enrol"), pausing("round", 3)),
    "contracts and rounds": ({}, pausing("agree"), pausing("round", 3)),
    "all rounds": ({}, pausing("round", 1), pausing("round", 4)),
    "the last round": ({}, pausing("round", 3), pausing("round", 4, {"birch", "cedar", "elm"})),
    "some rounds": ({}, pausing("round", 2), pausing("round", 5)),
    "rounds to the end": ({}, pausing("round", 3), None),
    "a draw after all rounds": ({"rule": "sandwich"}, pausing("open"), None),
    "contracts and all that followed": ({}, pausing("agree"), None),
}


@pytest.mark.parametrize("case", CASES)
def test_a_ledger_that_lost_its_tail_is_refused_and_mended(make_house, wired, sound, essence, case):
    how, early, late = CASES[case]
    how = {"rounds": 6} | how
    straight = make_house("straight", members=4, **how)
    if "enrolment" in case:
        house = make_house(members=4, **how)
        house.state()
        saved(house)
        with pytest.raises(Paused):
            house.run(wired(house, late))
        newest, have = len(house.entries()), put_back(house)
    else:
        house, have, newest = older(make_house, wired, early, late, **how)
    assert have < newest
    before = (house.directory / "ledger.db").read_bytes()
    entries = read_ledger(str(house.directory))
    for finish in (False, True):
        if finish:
            (house.directory / "season-1" / "finish").touch()
        with pytest.raises(StaleLedger) as refused:
            house.run()
        assert f"this ledger ends at entry {have - 1} of 20" in str(refused.value)
        assert "alder was shown entry " in str(refused.value)
        assert "mend the ledger with fedfact federation mend" in str(refused.value)
        assert read_ledger(str(house.directory)) == entries
    (house.directory / "season-1" / "finish").unlink()
    assert (house.directory / "ledger.db").read_bytes() == before

    with pytest.raises(StaleLedger, match=r"alder \(the operator lost what came after entry"):
        mend(house)
    assert read_ledger(str(house.directory)) == entries
    allow(house)
    record = mend(house)
    assert record.phase == "finished"
    sound(house)
    after = house.entries()
    assert after[:have] == entries
    assert after[have].kind == "restart"
    assert f"after entry {have - 1} all let go of what was shown up to entry" in (
        verdicts(house)["restarts"].says
    )
    mine, other = essence(record), essence(straight.run())
    for name in ("there", "absent", "deliveries"):
        assert mine[name] == other[name]
    for name, place in house.members.items():
        assert not (place / "restart").exists()
        own = {each.name: each for each in verify_copy(after, name, MemberFiles(place))}
        lost = case != "the last round" or name == "alder"  # who alone was asked for another
        assert ("more that it let go of" in own["own heads"].says) == lost
    assert not (house.directory / "mend").exists()


def test_what_no_member_was_shown_is_done_again_without_more_ado(make_house, wired, sound):
    """Contracts were signed, and the ledger that says so is lost before anybody saw its head."""
    house, have, newest = older(make_house, wired, pausing("agree"), pausing("round", 1))
    assert have < newest
    assert house.run().phase == "finished"
    sound(house)
    assert house.state().restarts == []


def test_the_last_round_is_handed_over_again_and_not_trained(make_house, wired, monkeypatch):
    late = pausing("round", 4, {"birch", "cedar", "elm"})
    house, _, _ = older(make_house, wired, pausing("round", 3), late, rounds=6)
    allow(house)
    trained = []
    update = Site.update

    def counted(site, weights, steps):
        trained.append(site.step)
        return update(site, weights, steps)

    monkeypatch.setattr(Site, "update", counted)
    record = mend(house)
    assert len(record.rounds) == 6
    assert sorted(trained) == sorted([9, 12, 15] * 4 + [6])  # alder was a round further on


def test_members_that_trained_on_do_not_leave_and_use_as_much(make_house, wired):
    """Steps are taken again from the round that is left, so nobody runs out of them."""
    house, _, _ = older(make_house, wired, pausing("round", 2), pausing("round", 6), rounds=6)
    allow(house)
    record = mend(house)
    assert [each.left for each in record.deliveries.values()] == [False] * 4
    assert [each.attended for each in record.deliveries.values()] == [6] * 4
    assert {name: each.delivered for name, each in record.deliveries.items()} == {
        name: contract.samples for name, contract in record.contracts.items()
    }


def cut(house, number):
    """The ledger of a finished federation as it was before this entry; nothing else is older."""
    with sqlite3.connect(house.directory / "ledger.db") as raw:
        raw.execute("DELETE FROM fedfact_ledger WHERE number >= ?", (number,))
    raw.close()


@pytest.mark.parametrize("rule", ["rebate", "sandwich"])
@pytest.mark.parametrize("kind", ["delivery", "nonces", "reveal", "acknowledged"])
def test_what_came_after_training_comes_again(make_house, sound, essence, rule, kind):
    house = make_house(members=4, rule=rule)
    whole = essence(house.run())
    number = lie.numbers(house.entries(), kind)[0]
    cut(house, number)
    with pytest.raises(StaleLedger, match=f"this ledger ends at entry {number - 1} of"):
        house.run()
    allow(house)
    record = mend(house)
    assert record.phase == "finished"
    sound(house)
    mine = essence(record)
    assert {name for name in whole if mine[name] != whole[name]} == set()
    kinds = [entry.kind for entry in house.entries()][number:]
    assert kinds[:2] == ["restart", kind]


def test_heads_that_members_signed_are_signed_again(make_house, sound):
    house = make_house(members=4)
    house.run()
    number = lie.numbers(house.entries(), "witnessed")[0]
    cut(house, number)  # of which nobody was shown the head
    assert house.run().phase == "finished"
    sound(house)
    assert [entry.kind for entry in house.entries()][number:] == ["witnessed"] * 4


@pytest.mark.parametrize("seed", range(3))
def test_an_honest_ledger_with_restarts_verifies(make_house, wired, sound, seed):
    """Stopped in any rounds, put back to any copy, mended each time: it ends, and it is sound."""
    draw = random.Random(seed)
    house, copies = make_house(members=4, rounds=6), []
    for k in range(5):
        allow(house)
        (house.directory / "mend").touch()
        asked = draw.choice(list(house.members))
        stop = pausing("round", draw.randrange(1, 7), {*house.members} - {asked})
        with suppress(Paused):
            house.run(wired(house, stop))
        saved(house, f"copy-{k}")
        copies.append(f"copy-{k}")
        now = house.entries()
        older = [read_ledger(str(house.root / copy)) for copy in copies]
        of_this = [
            copy for copy, each in zip(copies, older, strict=True) if now[: len(each)] == each
        ]
        put_back(house, draw.choice(of_this))  # others were let go of: their ledger is another
    allow(house)
    record = mend(house)
    assert record.phase == "finished"
    assert len(record.rounds) == 6
    sound(house)


def test_only_who_lost_something_is_asked_to_allow_it(make_house, wired, sound):
    """Elm was away in the rounds that are lost."""
    gone = pausing("round", 3)

    def late(member, kind, request):
        if member == "elm" and kind == "round":
            return Failure("unreachable")
        return pausing("round", 5)(member, kind, request)

    house, have, _ = older(make_house, wired, gone, late, rounds=6)
    allow(house, "alder", "birch", "cedar")
    assert mend(house).phase == "finished"
    sound(house)
    assert house.entries()[have].kind == "restart"


def test_a_member_that_is_away_keeps_the_ledger_from_being_mended(make_house, wired):
    house, have, _ = older(make_house, wired, pausing("round", 2), pausing("round", 4), rounds=6)
    allow(house)
    handlers = house.handlers()
    del handlers["elm"]
    with pytest.raises(StaleLedger, match="cannot be mended without elm, who are bound by it"):
        mend(house, InProcess(handlers))
    handlers = house.handlers() | {"elm": lambda kind, request: 1 / 0}
    with pytest.raises(StaleLedger, match="cannot be mended without elm"):
        mend(house, InProcess(handlers))
    assert len(read_ledger(str(house.directory))) == have


def test_one_permission_is_for_one_restart(make_house, wired):
    house, _, _ = older(make_house, wired, pausing("round", 2), pausing("round", 4), rounds=6)
    allow(house)
    with pytest.raises(Paused):
        mend(house, wired(house, pausing("round", 5)))
    put_back(house)
    with pytest.raises(StaleLedger, match="this ledger ends at"):
        house.run()
    with pytest.raises(StaleLedger, match="the operator lost what came after"):
        mend(house)


def test_a_second_restart_is_as_good_as_the_first(make_house, wired, sound):
    house, _, _ = older(make_house, wired, pausing("round", 2), pausing("round", 4), rounds=6)
    allow(house)
    with pytest.raises(Paused):
        mend(house, wired(house, pausing("round", 5)))
    saved(house, "second")
    house.run()
    put_back(house, "second")
    allow(house)
    assert mend(house).phase == "finished"
    sound(house)
    assert len(house.state().restarts) == 2


def test_a_restart_right_before_one_that_went_back_already(make_house, wired, sound):
    """The reply of the round that it went back to is not known any more: it is trained again."""
    house = make_house(members=4, rounds=6)
    for name, number in (("second", 2), ("third", 3)):
        with pytest.raises(Paused):
            house.run(wired(house, pausing("round", number)))
        saved(house, name)
    with pytest.raises(Paused):
        house.run(wired(house, pausing("round", 6)))
    for name, number in (("third", 3), ("second", 6)):
        put_back(house, name)
        allow(house)
        with pytest.raises(Paused):
            mend(house, wired(house, pausing("round", number)))
    assert len(house.record().rounds) == 5
    assert house.run().phase == "finished"
    sound(house)


def test_a_member_killed_while_it_lets_go_consents_again(make_house, wired, sound, monkeypatch):
    house, _, _ = older(make_house, wired, pausing("round", 2), pausing("round", 5), rounds=6)
    allow(house)

    def crash(path, data):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(restarting, "write_whole", crash)
        with pytest.raises(KeyboardInterrupt):
            mend(house)
    assert mend(house).phase == "finished"
    sound(house)


def test_two_ledgers_cannot_be_mended(make_house, wired):
    """The older ledger was written to while nobody was there to say that it is old."""
    house, have, _ = older(make_house, wired, pausing("round", 2), pausing("round", 4), rounds=6)
    handlers = house.handlers()
    retire(house.directory, "elm", "a mistake")
    assert len(read_ledger(str(house.directory))) == have + 1
    allow(house)
    with pytest.raises(StaleLedger, match=rf"was shown another entry {have} than this ledger has"):
        mend(house, InProcess(handlers))


def test_a_draw_whose_nonces_are_known_is_not_had_again_before_training_is_over(make_house, wired):
    house, _, _ = older(make_house, wired, pausing("round", 3), None, rounds=6, rule="sandwich")
    allow(house)
    with pytest.raises(StaleLedger, match="the draw would not be blind any more"):
        mend(house)


def test_a_lost_season_cannot_be_mended(make_house):
    house = make_house(members=3)
    house.run()
    saved(house)
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    house.run()
    put_back(house)
    allow(house)
    with pytest.raises(
        StaleLedger, match=r"in season 2, and this directory knows no season after 1"
    ):
        mend(house)


def test_only_the_ledger_is_older_than_the_models_beside_it(make_house):
    """Nobody needs to be there for that to be found."""
    house = make_house(members=4, rounds=6)
    house.run()
    cut(house, lie.numbers(house.entries(), "round")[1])
    with pytest.raises(StaleLedger, match=r"round-\d\.bin: is there, and the ledger has 1 rounds"):
        house.run(InProcess({}))


def test_finish_writes_nothing_when_nobody_can_say_how_old_the_ledger_is(make_house, wired):
    house, have, _ = older(make_house, wired, pausing("round", 3), pausing("round", 4), rounds=6)
    (house.directory / "season-1" / "finish").touch()
    with pytest.raises(StaleLedger, match="no member is there to say whether the ledger is up"):
        house.run(InProcess({}))
    assert len(read_ledger(str(house.directory))) == have


def test_a_head_that_the_operator_did_not_sign_stops_nobody(make_house, wired):
    """A hostile member claims to have seen more, or another season."""
    house = make_house(members=4)
    with pytest.raises(Paused):
        house.run(wired(house, pausing("round", 2)))
    member = MemberFiles(house.members["elm"])
    newest = member.heads()[-1]
    forged = newest.model_copy(update={"number": 1000})
    (house.members["elm"] / "heads.jsonl").write_bytes(forged.encoded() + b"\n")
    record = house.run()  # it answers nobody any more, and everybody else goes on
    assert record.settled.void is None
    assert record.owed == {"elm": "statement"}


def test_a_consent_is_bound_to_what_it_was_given_for(make_house, wired):
    """A ledger that was another below the restart is refused though its owner allows one."""
    house, _, _ = older(make_house, wired, pausing("round", 2), pausing("round", 4), rounds=6)
    entries = read_ledger(str(house.directory))
    forged = lie.rewritten([*entries[:-1], entries[-1]], lie.operator_key(house))
    other = lie.changed(forged, lie.operator_key(house), 1, lambda v: {**v, "key": "11" * 32})
    after = replay(entries).head
    signed = lie.rewritten(other, lie.operator_key(house))[-1]
    assert signed.hash != entries[-1].hash
    tree = Tree()
    for entry in other:
        tree.add(entry.hash)
    bad = LedgerHead(
        number=signed.number, entry=signed.hash, root=tree.root(), signature=signed.signature
    )
    allow(house)
    files = MemberFiles(house.members["alder"])
    published = files.published()
    below = max((h for h in files.heads() if h.number <= after.number), key=lambda h: h.number)
    good = Consent(after=after, season=1, rounds=1, lost=None)
    path = Proofs([e.hash for e in entries]).consistency(below.number + 1)
    assert check_restart(files, good, published, path).lost is not None
    wrong = Proofs([e.hash for e in other]).consistency(below.number + 1)
    for proof in (wrong, path, [], None, ["x"], ["00" * 32]):
        with pytest.raises(InputError, match="the ledger was another up to entry"):
            check_restart(files, good.model_copy(update={"after": bad}), published, proof)
