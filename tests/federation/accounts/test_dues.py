"""Who owes what, until when, and what of each claim can be paid now."""

from dataclasses import asdict

import pytest

from fedfact.federation.accounts.dues import dues_of
from fedfact.federation.ledger.state import replay

from .. import dishonest as lie
from .conftest import LATE, Written


def dues(written, day=None):
    day = day or written.entries[-1].time[:10]
    return {each.member: each for each in dues_of(replay(written.entries), day)}


def test_before_a_settlement_there_is_nothing_but_deposits(finished):
    entries = finished.rebate.entries()
    roster = lie.numbers(entries, "roster")[0]
    assert dues_of(replay(entries[:5]), LATE) == []
    found = dues_of(replay(entries[: roster + 1]), LATE)
    assert {each.member: each.state for each in found} == dict.fromkeys(
        ("alder", "birch", "cedar", "elm"), "not settled"
    )
    assert {each.net for each in found} == {None}
    assert {each.due_date for each in found} == {None}


def test_a_settlement_is_due_then_short_and_paid_whenever_nothing_is_left(written):
    lines, settled = written.record.lines, written.entries[-1].time[:10]
    owing = [name for name, line in lines.items() if line.net < 0]
    claims = [name for name, line in lines.items() if line.net > 0]
    assert sorted(owing + claims) == sorted(lines)
    found = dues(written)
    assert {each.state for each in found.values()} == {"due"}
    due = found["alder"].due_date
    assert due == written.record.terms.payment.due_date(settled) > settled
    assert {each.state for each in dues(written, due).values()} == {"due"}
    assert {each.state for each in dues(written, "2999-01-01").values()} == {"short"}
    for name in owing:
        assert (found[name].owes, found[name].gets) == (-lines[name].net, 0)
        written.pay(name, "operator", -lines[name].net)
        assert dues(written, "2999-01-01")[name].state == "paid"
    for name in claims:
        assert dues(written)[name].gets == dues(written)[name].payable == lines[name].net
        written.pay("operator", name, lines[name].net)
    assert {each.state for each in dues(written).values()} == {"paid"}
    assert {each.owes + each.gets + each.payable for each in dues(written).values()} == {0}


def test_what_can_be_paid_now_is_pro_rata(written):
    lines = written.record.lines
    written.pay("alder", "operator", -lines["alder"].net)
    claims = {name: line.net for name, line in lines.items() if line.net > 0}
    found = dues(written)
    for name, claim in claims.items():
        share = claim * -lines["alder"].net // sum(claims.values())
        assert (found[name].gets, found[name].payable) == (claim, share)


def test_a_default_takes_the_deposit_first(houses):
    house = houses.kept
    written = Written(house.entries(), lie.operator_key(house))
    lines = written.record.lines
    for name, each in dues(written).items():
        assert each.forfeit == 0, "nothing is overdue yet"
        assert each.deposit == written.record.purse.positions[name].asked
    for name, each in dues(written, "2999-01-01").items():
        assert each.forfeit == max(0, -lines[name].net)
        assert each.refundable == each.deposit - each.forfeit


@pytest.mark.parametrize("kind", ["kept", "carried", "returned"])
def test_a_surplus_is_returned_where_the_terms_say_so(houses, kind):
    house = getattr(houses, kind)
    written = Written(house.entries(), lie.operator_key(house))
    for name, line in written.record.lines.items():
        if line.net < 0:
            written.pay(name, "operator", -line.net)
    share = written.record.settled.surplus // 4 if kind == "returned" else 0
    assert {each.returnable for each in dues(written).values()} == {share}


def test_what_lacks_of_a_deposit_is_said_until_training_starts(houses):
    entries = houses.kept.entries()
    roster = lie.numbers(entries, "roster")[0]
    state = replay(entries[: roster + 1])
    asked = {name: at.asked for name, at in state.season.purse.positions.items()}
    assert {each.member: each.lacks for each in dues_of(state, LATE)} == asked
    assert {each.lacks for each in dues_of(replay(entries), LATE)} == {0}


def test_after_a_reversal_nothing_is_due(written):
    owed = -written.record.lines["alder"].net
    written.pay("alder", "operator", owed)
    written.reverse()
    for each in dues(written).values():
        assert asdict(each) == asdict(each) | {"state": "not settled", "owes": 0, "gets": 0}
    written.settle_again()
    assert dues(written)["alder"].state == "paid"
