"""Payments are entered from words, into the season that they are of; what cannot be is not."""

import json

import pytest

from fedfact.errors import InputError
from fedfact.federation.operator.entered.pay import Paid, pay
from fedfact.federation.operator.founding import open_season
from fedfact.io.files import alone


@pytest.fixture
def house(make_house):
    house = make_house(members=4, rounds=2)
    house.run()
    return house


def who(house, sign):
    """Members that owe (-1) or are promised something (1), with the amounts."""
    lines = house.record().lines
    return {name: sign * each.net for name, each in lines.items() if sign * each.net > 0}


def test_a_payment_is_an_entry_of_its_season(house, sound):
    (member, owed), *_ = who(house, -1).items()
    words = f"{owed // 100}.{owed % 100:02}"
    paid = Paid(f"member/{member}", None, words, "settlement", "transfer 4711", "2099-01-01")
    with pytest.raises(InputError, match="a payment of 2099-01-01, which is yet to come"):
        pay(house.directory, paid)
    today = house.entries()[-1].time[:10]
    entry, said, unit = pay(
        house.directory, Paid(f"member/{member}", None, words, "settlement", "transfer 4711")
    )
    assert (entry.season, entry.kind, unit.money(owed)) == (1, "payment", f"{words} EUR")
    assert said.date >= today
    assert json.loads(entry.body) == {
        "from": f"member/{member}",
        "to": "operator",
        "amount": owed,
        "purpose": "settlement",
        "reference": "transfer 4711",
        "date": said.date,
        "corrects": None,
    }
    sound(house)
    assert house.record().purse.positions[member].owes == 0


def test_a_correction_needs_the_number_of_the_entry_alone(house, sound):
    (member, owed), *_ = who(house, -1).items()
    number = house.pay(f"member/{member}", owed, "settlement", reference="4711")[0].number
    entry, said, _ = pay(house.directory, Paid(corrects=number))
    assert (said.payer, said.payee, said.amount) == ("operator", f"member/{member}", owed)
    assert (said.purpose, said.corrects) == ("correction", number)
    assert said.reference == f"correction of entry {number}"
    assert house.record().purse.positions[member].owes == owed
    house.pay(f"member/{member}", owed, "settlement", reference="4711")
    for wrong in (number, entry.number, 0, 10**6):
        with pytest.raises(InputError, match=f"entry {wrong} is no payment that stands, so there"):
            pay(house.directory, Paid(corrects=wrong))
    sound(house)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"payer": "alder"}, "--from is 'alder'; write operator, or member/NAME"),
        ({"payer": "operator"}, "say whom the operator paid, with --to member/NAME"),
        ({"payer": "operator", "payee": "elm"}, "--to is 'elm'; write operator, or member/NAME"),
        ({"payer": "member/fir"}, "not entered: a payment of fir, who has no contract"),
        ({"payer": "member/a b"}, "not a valid payment: from"),
        ({"amount": "0.005"}, "0.005 EUR is no whole number of minor units of 0.01 EUR"),
        ({"amount": "0"}, "not a valid payment: amount: input should be greater than or equal"),
        ({"amount": "1" * 30}, "out of range"),
        ({"purpose": "gift"}, "not a valid payment: purpose"),
        ({"reference": ""}, "not a valid payment: reference"),
        ({"reference": "a\nb"}, "control characters have no place"),
        ({"reference": " a"}, "neither begins nor ends with a space"),
        ({"reference": "x" * 501}, "not a valid payment: reference"),
        ({"date": "2026-7-1"}, "is no date; write it as in 2026-07-01"),
        ({"date": "20260701"}, "is no date; write it as in 2026-07-01"),
        ({"date": "2026-02-30"}, "is no date"),
        ({"date": "1999-12-31"}, "before the season was opened"),
        ({"season": 2}, "there is no season 2; the last one is 1"),
        ({"season": 0}, "there is no season 0"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_entered(finished, changes, says):
    house = finished.rebate
    before = house.entries()
    good = {"payer": "member/alder", "amount": "1", "purpose": "deposit", "reference": "r"}
    with pytest.raises(InputError, match=says):
        pay(house.directory, Paid(**good | changes))
    assert house.entries() == before


def test_it_waits_for_nobody_who_is_at_work_there(house):
    with alone(house.directory, wait=False), pytest.raises(InputError, match="another process is"):
        house.pay("member/alder", 1, "deposit")


def test_money_of_an_earlier_season_comes_late(house, sound):
    (member, owed), *_ = who(house, -1).items()
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    house.run()
    entry, _, _ = house.pay(f"member/{member}", owed, "settlement", season=1)
    assert entry.season == 1
    seasons = house.state().seasons
    assert [each.purse.collected for each in seasons] == [owed, 0]
    entry, _, _ = house.pay("member/alder", 5, "deposit")
    assert entry.season == 2
    sound(house)


def test_while_training_goes_on_a_payment_does_not_disturb_it(house, sound, make_house, wired):
    """The operator is stopped, a payment entered, and the season goes on as if it had not been."""
    from fedfact.federation.wire.transport import Stopped

    other = make_house("stopped", members=4, rounds=3)
    asked = []

    def before(member, kind, request):
        asked.append(kind)
        if kind == "round" and asked.count("round") > 4:
            raise Stopped
        return request

    with pytest.raises(Stopped):
        other.run(wired(other, before=before))
    assert len(other.record().rounds) == 1
    other.pay("member/alder", 100, "deposit")
    assert other.run().phase == "finished"
    sound(other)
