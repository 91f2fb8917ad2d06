"""Disputes: answered, decided by the arbiter, settled anew with corrected counts."""

import shutil
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fedfact.errors import FedfactError, InputError, LedgerError
from fedfact.federation.agreement.disputes import Counts, Decision
from fedfact.federation.audit.arbiter import decide
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.entries import Correction, Reversal
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.founding import open_season
from fedfact.federation.operator.overview import overview
from fedfact.federation.operator.run import answer, enter, reverse, unattended
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.message import write_message

from ... import dishonest as lie
from ...lost_answers import dropping

ARBITER = Key(bytes([7]) * 32)
RIGHT = Counts(delivered=100, attended=6, last_round=6)
"""What alder really did: it answered in time until the end."""
RIGHT_BIRCH = Counts(delivered=90, attended=6, last_round=6)
"""Less than birch says."""
STRANGER = Key(bytes([8]) * 32)


@pytest.fixture(scope="module")
def built(tmp_path_factory, wired):
    """Federations whose operator threw away alder's last answers, with an arbiter and without."""

    def build(name, **how):
        from ...conftest import House

        house = House(tmp_path_factory.mktemp("disputes") / name, members=4, rounds=6, **how)
        house.run(wired(house, after=dropping({4, 5, 6})))
        return house

    return {"decided": build("decided", arbiter=ARBITER.public), "alone": build("alone")}


@pytest.fixture
def house(built, tmp_path):
    return copy_of(built["decided"], tmp_path)


@pytest.fixture
def alone(built, tmp_path):
    return copy_of(built["alone"], tmp_path)


def copy_of(house, root):
    shutil.copytree(house.root, root / house.root.name)
    twin = type(house).__new__(type(house))
    twin.root = root / house.root.name
    twin.directory = twin.root / "operator"
    twin.members = {name: twin.root / name for name in house.members}
    return twin


def decided(house, outcome="reversed", corrected=None, key=ARBITER, says="the answers came"):
    entries = house.entries()
    return decide(entries, "alder", key, outcome=outcome, corrected=corrected or {}, says=says)


def verdicts(entries):
    return {each.name: each for each in verify(entries)}


def log(house, name):
    return (house.members[name] / "member.log").read_text()


def test_a_dispute_is_open_until_it_is_decided(house):
    record = house.record()
    (dispute,) = record.disputes.open
    assert (dispute.member, dispute.settlement) == ("alder", record.settlement)
    assert dispute.why == ["I answered in time until round 6, not 3"]
    assert record.phase == "settled, 1 disputes open"
    (said,) = overview(house.state())["disputes"]
    assert (said["open"], said["overdue"], said["outcome"]) == (True, False, None)
    assert answer(house.directory, "alder", "they came too late") == record.settlement
    record = house.record()
    assert record.witnesses.waiting == ["alder"]
    assert house.run().phase == "settled, 1 disputes open"
    assert "the operator answers your dispute of settlement" in log(house, "alder")
    with pytest.raises(InputError, match="alder was answered already: they came too late"):
        answer(house.directory, "alder", "and so on")
    with pytest.raises(InputError, match=r"birch disputes no settlement .*open disputes: alder"):
        answer(house.directory, "birch", "yes")


def test_a_dispute_that_is_not_answered_in_time_is_overdue(house):
    """Seven days, by the terms of this house."""
    (dispute,) = house.record().disputes.all
    opened = datetime.fromisoformat(dispute.opened.time)

    def overdue(after):
        (said,) = overview(house.state(), opened + after)["disputes"]
        return said["overdue"]

    assert not overdue(timedelta(days=7))
    assert overdue(timedelta(days=7, seconds=1))
    answer(house.directory, "alder", "they came too late")
    assert not overdue(timedelta(days=30))  # answered in time, whatever the day is now


def test_without_an_arbiter_an_answer_closes_a_dispute(alone, sound):
    assert alone.record().phase == "settled, 1 disputes open"
    answer(alone.directory, "alder", "they came too late")
    assert alone.run().phase == "finished"
    sound(alone)


def test_a_reversed_settlement_is_settled_anew_with_the_counts_that_are_right(
    house, make_house, sound
):
    before = house.record()
    assert before.deliveries["alder"].left
    enter(house.directory, decided(house, corrected={"alder": RIGHT}))
    between = house.record()
    assert (between.phase, between.settlement) == ("settlement reversed", None)
    assert sum(between.balances().values()) == 0
    assert between.witnesses.waiting == ["alder", "birch", "cedar", "elm"]
    record = house.run()
    assert record.phase == "finished"
    twin = make_house("twin", members=4, rounds=6).run()
    assert record.deliveries == twin.deliveries
    assert record.lines == twin.lines  # as if no answer had been thrown away
    assert record.acknowledged["alder"].said.read_head().content["agrees"] is True
    (dispute,) = record.disputes.all
    assert (dispute.reversed, record.disputes.open) == (True, [])
    sound(house)
    assert "was reversed by the arbiter's decision" in log(house, "birch")
    assert "the answers came" in log(house, "alder")
    assert "the answers came" not in log(house, "birch")  # it is none of its business


def test_a_settlement_that_stands_is_not_disputed_again(house, sound):
    decision = decided(house, "stands")
    enter(house.directory, decision)
    assert house.run().phase == "finished"
    sound(house)
    assert "decided that settlement" in log(house, "alder")
    for again in (
        lambda: enter(house.directory, decision),
        lambda: decided(house, "reversed"),
        lambda: answer(house.directory, "alder", "so there"),
    ):
        with pytest.raises(InputError, match="is decided"):
            again()
    with pytest.raises(InputError, match="by the terms the arbiter decides"):
        reverse(house.directory, "all the same")
    with unattended(house.directory) as session:
        alone = Reversal(settlement=decision.settlement, why="so", decision=None)
        with pytest.raises(LedgerError, match="for the arbiter"):
            session.add(("reversal", alone))


def test_the_operator_alone_reverses_what_no_arbiter_decides(alone, sound):
    number = alone.record().settlement
    with pytest.raises(InputError, match="give a reason in words"):
        reverse(alone.directory, "  ")
    assert reverse(alone.directory, "a mistake of ours") == number
    record = alone.run()
    assert record.settlement > number
    assert "was reversed by the operator: a mistake of ours" in log(alone, "elm")
    sound(alone)
    with pytest.raises(InputError, match="the terms name no arbiter"):
        enter(alone.directory, forged(alone))


def forged(house, key=ARBITER, **changes):
    """A decision with whatever the one who signs it likes."""
    record = house.record()
    dispute = record.disputes.all[0]
    said = {
        "terms": record.federation,
        "settlement": dispute.settlement,
        "dispute": dispute.opened.hash,
        "member": "alder",
        "outcome": "reversed",
        "corrected": {"alder": RIGHT},
        "says": "so",
    }
    return Decision.signed(key, **said | changes)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"key": STRANGER}, "not signed by the arbiter"),
        ({"terms": "0" * 64}, "about another season"),
        ({"settlement": 3}, "about settlement 3, and"),
        ({"dispute": "0" * 64}, "about another dispute"),
        ({"member": "birch"}, "birch disputes no settlement"),
        ({"outcome": "stands"}, "counts corrected of a settlement that stands"),
        ({"corrected": {"zelkova": RIGHT}}, "corrects zelkova, which delivered nothing"),
        (
            {"corrected": {"alder": RIGHT.model_copy(update={"delivered": 101})}},
            "alder cannot have delivered 101 samples; 100 were agreed",
        ),
        (
            {"corrected": {"alder": RIGHT.model_copy(update={"last_round": 7})}},
            "there was no round 7; 6 were held",
        ),
        (
            {"corrected": {"alder": RIGHT.model_copy(update={"last_round": 5})}},
            "cannot have taken part in 6 rounds until round 5",
        ),
    ],
)
def test_a_decision_that_cannot_be_is_not_entered(house, how, says):
    before = house.entries()
    with pytest.raises(FedfactError, match=says):
        enter(house.directory, forged(house, **how))
    assert house.entries() == before


def test_a_decision_that_was_changed_is_not_entered(house):
    changed = decided(house).model_copy(update={"says": "something else"})
    with pytest.raises(InputError, match="not signed by the arbiter of the terms, or was changed"):
        enter(house.directory, changed)


def test_the_arbiter_decides_by_no_ledger_that_is_not_sound(house):
    entries = house.entries()
    number = lie.numbers(entries, "line")[0]
    wrong = lie.changed(
        entries, lie.operator_key(house), number, lambda b: b.update(fee=b["fee"] - 1)
    )
    with pytest.raises(InputError, match=r"the ledger is not sound \(amounts"):
        decide(wrong, "alder", ARBITER, outcome="stands", corrected={}, says="fine")
    for how, says in (
        ({"member": "birch"}, "birch disputes no settlement"),
        ({"key": STRANGER}, "not the key of the arbiter"),
        ({"outcome": "stands", "corrected": {"alder": RIGHT}}, "no counts to correct"),
        ({"corrected": {"zelkova": RIGHT}}, "zelkova delivered nothing"),
    ):
        asked = {"member": "alder", "key": ARBITER, "outcome": "reversed", "corrected": {}}
        with pytest.raises(InputError, match=says):
            decide(entries, **asked | how, says="so")


def test_a_decision_of_another_key_is_found_in_the_ledger(house):
    enter(house.directory, decided(house, corrected={"alder": RIGHT}))
    delivery = house.record().deliveries["alder"]
    good = house.entries()
    (number,) = lie.numbers(good, "decision")
    forgery = forged(house, STRANGER).dump()
    wrong = lie.changed(good, lie.operator_key(house), number, lambda body: forgery)
    found = verdicts(wrong)["disputes"]
    assert (found.holds, found.entry) == (False, number)
    assert "the arbiter did not sign" in found.says
    more = delivery.model_copy(update={"billed": delivery.billed - 1})
    raised = lie.changed(
        good, lie.operator_key(house), number + 2, lambda b: b.update(delivery=more.dump())
    )
    found = verdicts(raised)["disputes"]
    assert (found.holds, found.entry) == (False, number + 2)
    assert "not what follows from the counts" in found.says


def test_a_correction_that_nobody_decided_is_refused(house, alone):
    for each in (house, alone):
        entries, record = each.entries(), each.record()
        correction = Correction(decision=3, delivery=record.deliveries["birch"])
        added = lie.with_body(replace(entries[-1], kind="correction"), correction.dump())
        wrong = lie.rewritten([*entries, added], lie.operator_key(each))
        found = verdicts(wrong)["order"]
        assert (found.holds, found.entry) == (False, len(entries))
        assert "a correction that nobody decided" in found.says


@pytest.mark.parametrize("dropped", ["reversal", "correction"])
def test_what_a_decision_brings_with_it_cannot_be_left_out(house, dropped):
    enter(house.directory, decided(house, corrected={"alder": RIGHT, "birch": RIGHT_BIRCH}))
    house.run()
    entries = house.entries()
    gone = lie.numbers(entries, dropped)[0]
    wrong = [entry for entry in entries if entry.number != gone]
    found = verdicts(lie.rewritten(wrong, lie.operator_key(house)))["order"]
    assert (found.holds, found.entry) == (False, gone)


def test_whose_counts_are_corrected_is_shown_the_decision_and_takes_it(house, sound):
    enter(house.directory, decided(house, corrected={"alder": RIGHT, "birch": RIGHT_BIRCH}))
    record = house.run()
    assert record.deliveries["birch"].delivered == 90
    assert record.phase == "finished"  # birch counts otherwise, and keeps to the decision
    assert record.acknowledged["birch"].said.read_head().content["agrees"] is True
    assert [each.outcome for each in MemberFiles(house.members["birch"]).decisions()] == [
        "reversed"
    ]
    assert MemberFiles(house.members["cedar"]).decisions() == []
    sound(house)


def test_a_dispute_that_the_operator_drops_is_found_by_its_member(house):
    entries, key = house.entries(), lie.operator_key(house)
    gone = next(
        entry.number
        for entry in entries
        if entry.kind == "acknowledged" and lie.body(entry)["member"] == "alder"
    )
    wrong = lie.rewritten([e for e in entries if e.number != gone], key)
    assert verdicts(wrong)["order"].holds is False  # alder has signed a head for nothing
    quiet = [e for e in entries if e.number != gone and e.kind != "witnessed"]
    quiet = lie.rewritten(quiet, key)
    assert all(each.holds for each in verify(quiet))
    assert "nobody yet" not in verdicts(entries)["witnesses"].says
    own = {e.name: e for e in verify_copy(quiet, "alder", MemberFiles(house.members["alder"]))}
    assert own["own answers"].contested
    assert own["own heads"].holds is False  # of which it has one that the operator signed


def test_a_dispute_is_decided_while_a_later_season_is_on(house, sound):
    """Else an operator would open the next season, and be rid of it."""
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    record = house.run()
    assert (record.number, record.phase) == (2, "finished")
    (said,) = overview(house.state())["disputes"]
    assert (said["season"], said["member"], said["open"]) == (1, "alder", True)
    answer(house.directory, "alder", "they came too late")
    house.run()
    enter(house.directory, decided(house, corrected={"alder": RIGHT}))
    assert house.state().seasons[0].settled is None
    house.run()
    first, second = house.state().seasons
    assert (first.phase, second.phase) == ("finished", "finished")
    assert first.deliveries["alder"].attended == 6
    assert second.lines == record.lines
    assert first.acknowledged["alder"].said.read_head().content["agrees"] is True
    assert "was reversed by the arbiter's decision" in log(house, "elm")
    sound(house)


def test_of_a_season_that_is_over_a_member_trains_and_signs_nothing_anew(house):
    federation = house.record().federation
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    house.run()
    fields = {"federation": federation, "sender": "operator", "to": "elm"}
    head = house.state().head.dump()
    handle = house.handlers()["elm"]
    for kind in ("enrol", "agree", "round", "open"):
        content = {"ledger": head, "round": 1, "steps": 3}
        request = write_message(lie.operator_key(house), **fields, kind=kind, content=content)
        with pytest.raises(InputError, match=f"a request \\({kind}\\) about a season that is over"):
            handle(kind, request)
