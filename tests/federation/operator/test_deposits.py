"""A season with deposits starts when they are there, and not before."""

import pytest

from fedfact.errors import InputError
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.state import replay
from fedfact.federation.operator.session import Paused

from .. import dishonest as lie


@pytest.fixture
def house(make_house):
    house = make_house(members=4, rounds=2, payment="deposit = 700\ndue_days = 0")
    with pytest.raises(Paused) as paused:
        house.run()
    house.paused = str(paused.value)
    return house


def test_it_pauses_with_who_is_missing_and_what_to_type(house):
    record = house.record()
    asked = {
        name: each.largest_fee + each.largest_charge + 700
        for name, each in record.contracts.items()
    }
    assert len(asked) == 4
    assert record.purse.lacking() == asked
    assert record.phase == "waiting for 4 deposits"
    money = record.money.money_unit
    for member, amount in asked.items():
        assert f"{member} lacks {money.money(amount)}" in house.paused
    assert (
        f"fedfact accounts pay {house.directory} --from member/alder --amount "
        f"{money.amount(asked['alder'])} --purpose deposit --reference WORDS" in house.paused
    )


def test_it_waits_for_the_last_cent_and_then_goes_on(house, sound):
    lacking = house.record().purse.lacking()
    for member in ("alder", "birch", "cedar"):
        house.pay(f"member/{member}", lacking[member], "deposit")
    house.pay("member/elm", lacking["elm"] - 1, "deposit")
    with pytest.raises(Paused, match=r"deposits are paid: elm lacks 0.01 EUR; record"):
        house.run()
    assert house.record().rounds == []
    house.pay("member/elm", 1, "deposit")
    assert house.run().phase == "finished"
    sound(house)


def test_a_season_can_be_given_up_and_its_deposits_go_back(house, sound):
    """One member that does not pay holds the others up, but cannot keep their money there."""
    amount = house.record().purse.lacking()["alder"]
    house.pay("member/alder", amount, "deposit")
    with pytest.raises(InputError, match=r"0\.00 EUR is left of its deposit and secures nothing"):
        house.pay("operator", amount, "refund", payee="member/alder")
    (house.directory / "season-1/finish").touch()
    record = house.run()
    assert record.settled.void == "too few"
    assert record.rounds == []
    house.pay("operator", amount, "refund", payee="member/alder")
    sound(house)
    assert house.record().purse.positions["alder"].held == 0


def test_an_operator_that_trains_without_the_deposits_is_found(house):
    house.deposit()
    house.run()
    entries, key = house.entries(), lie.operator_key(house)
    paid = lie.numbers(entries, "payment")
    assert len(paid) == 4
    without = lie.rewritten(entries[: paid[-1]] + entries[paid[-1] + 1 :], key)
    verdict = next(each for each in verify(without) if each.name == "order")
    assert verdict.holds is False
    assert verdict.says == f"entry {paid[-1]} (round): a round before all deposits"


def test_the_deposits_stay_until_the_settlement_is_paid(house):
    house.deposit()
    record = house.run()
    for member, line in record.lines.items():
        position = record.purse.positions[member]
        assert position.held == position.asked > max(0, -line.net)
        assert record.purse.refundable(member) == position.held - max(0, -line.net)


def test_without_deposits_in_the_terms_nothing_waits(finished):
    record = replay(finished.rebate.entries()).season
    assert set(record.purse.positions) == set(record.contracts)
    assert record.purse.lacking() == {}
