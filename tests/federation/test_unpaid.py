"""A member with one sample that never pays (THEORY §11.4): what it costs the others.

It lifts every rebate, since its own fee is the largest of all. With deposits that fee is there
before anybody trains; without them claims are worth what the others pay.
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from fedfact import Terms, settle
from fedfact.errors import InputError
from fedfact.federation.agreement.contract import Enrolment, contracts_for
from fedfact.federation.agreement.delivery import (
    Attestation,
    Rounds,
    billed_population,
    deliveries,
)
from fedfact.federation.agreement.payment import PaymentTerms
from fedfact.federation.ledger.entries import Payment
from fedfact.federation.ledger.purse import Purse
from fedfact.federation.operator.entered.pay import Paid, pay
from fedfact.federation.wire.canonical import decimal
from fedfact.federation.wire.keys import Key, read_secret
from fedfact.federation.wire.message import read_message, write_message
from fedfact.mechanism import Curve, rule_of, whole_local_optimum

HASH = "ab" * 32
A, ROUNDS, RIDER = 200_000.0, 20, "zed"
COSTS = {"oak": 1.25, "elm": 1.6, "fir": 2.2, "ash": 0.5}
LEAST = 50
HIGHEST = A / LEAST**2  # the cost that asks for no more samples than the terms admit


def season(terms, costs, rider=True):
    """Contracts, and what each member nets when all keep their word but the rider, which uses one
    sample of those that it agreed to; and the settlement."""
    costs = costs | ({RIDER: HIGHEST} if rider else {})
    reports = {
        name: Enrolment(
            member=name, key=HASH, reported_cost=decimal(cost), capacity=None, nonce=HASH
        )
        for name, cost in costs.items()
    }
    contracts = contracts_for(reports, terms, HASH)
    used = {name: 1 if name == RIDER else each.samples for name, each in contracts.items()}
    said = {
        name: Attestation(round=ROUNDS, start=HASH, steps=1, samples=m, used=m, index=HASH)
        for name, m in used.items()
    }
    there = dict.fromkeys(said, ROUNDS)
    delivered = deliveries(contracts, said, there, there, Rounds(ROUNDS, ROUNDS), terms)
    settlement = settle(billed_population(delivered, contracts), terms, 0)
    net = dict(zip(settlement.population.agents, settlement.net.tolist(), strict=True))
    return contracts, net, settlement


def purse_of(net, deposits=None):
    """The season's money once everybody paid what it owes but the rider, whose deposit is taken."""
    purse, deposits = Purse(PaymentTerms(deposit=0)), deposits or {}
    for name in net:
        purse.contracted(name, deposits.get(name, 0))
    purse.settle("2026-07-01", -sum(net.values()))
    for name in net:
        purse.line(name, net[name], True)

    def enter(name, amount, purpose):
        if amount:
            values = {"from": f"member/{name}", "to": "operator", "purpose": purpose}
            values |= {"reference": "r", "date": "2026-08-01", "corrects": None}
            purse.take(Payment.take(values | {"amount": amount}), len(purse.payments))

    for name in net:
        enter(name, deposits.get(name, 0), "deposit")
        if name == RIDER:
            enter(name, min(purse.positions[name].owes, deposits.get(name, 0)), "forfeit")
        else:
            enter(name, purse.positions[name].owes, "settlement")
    return purse


def ends_with(purse, name):
    """What a member really receives in the end, less what it pays."""
    return purse.payable(name) - purse.positions[name].debt


def terms_of(rule="rebate", minimum=LEAST):
    return Terms(error_scale=A, unit=0.01, currency="EUR", rule=rule, minimum_samples=minimum)


def cost_of(samples):
    """The cost at which so many samples are best."""
    return A / samples**2


costs = st.lists(st.integers(LEAST, 2000), min_size=3, max_size=6).map(
    lambda samples: {f"m{k}": cost_of(m) for k, m in enumerate(samples)}
)


def test_it_lifts_every_rebate_with_a_fee_that_nobody_gets():
    """What docs/accounts.md says, to the cent."""
    _, alone, _ = season(terms_of(), COSTS, rider=False)
    assert alone == {"ash": 235_71, "elm": -66_04, "fir": -191_52, "oak": 16_58}
    _, net, settlement = season(terms_of(), COSTS)
    assert {name: net[name] for name in alone} == {
        "ash": 3024_70, "elm": 2744_75, "fir": 2627_54, "oak": 2821_79
    }  # fmt: skip
    assert net[RIDER] == -16355_99
    assert settlement.surplus == 5137_21
    claims = sum(max(0, each) for each in net.values())
    assert claims == 11218_78, "what the operator would be short of, if it paid claims in full"


def test_without_deposits_claims_come_to_nothing():
    """Nobody loses what it had, but who would have been paid without the rider is not."""
    _, net, _ = season(terms_of(), COSTS)
    purse = purse_of(net)
    assert {name: ends_with(purse, name) for name in COSTS} == dict.fromkeys(COSTS, 0)
    assert purse.cash == 0


def test_with_deposits_it_costs_the_others_nothing():
    contracts, net, _ = season(terms_of(), COSTS)
    deposits = {name: each.largest_fee + each.largest_charge for name, each in contracts.items()}
    assert deposits[RIDER] == 16772_12
    purse = purse_of(net, deposits)
    assert {name: ends_with(purse, name) for name in COSTS} == {name: net[name] for name in COSTS}
    assert purse.refundable(RIDER) == deposits[RIDER] + net[RIDER]
    assert purse.cash == 16355_99


@settings(max_examples=60, deadline=None)
@given(costs, st.sampled_from(["rebate", "shared", "sandwich"]))
def test_a_deposit_covers_whatever_a_member_may_owe(costs, rule):
    """Under every rule; then all that is settled is paid, whoever does not."""
    try:
        contracts, net, _ = season(terms_of(rule), costs)
    except InputError:  # under the shared rule such costs may ask for too few samples
        reject()
    terms = PaymentTerms(deposit=0)
    deposits = {name: terms.deposit_of(each) for name, each in contracts.items()}
    for name, amount in net.items():
        assert -amount <= deposits[name]
    purse = purse_of(net, deposits)
    for name in costs:
        assert ends_with(purse, name) == net[name]


@settings(max_examples=60, deadline=None)
@given(costs)
def test_without_deposits_nobody_ends_below_training_alone(costs):
    """What holds without them: no more goes out than came in, and federation still pays."""
    terms = terms_of()
    contracts, net, settlement = season(terms, costs)
    purse = purse_of(net)
    assert sum(ends_with(purse, name) for name in costs) <= 0
    total = int(settlement.population.total)
    for name, cost in costs.items():
        assert ends_with(purse, name) >= min(0, net[name])
        own = contracts[name].samples
        loss = float(terms.curve.error(total)) + cost * own - ends_with(purse, name) * 0.01
        alone = float(Curve(A).least_loss(cost))
        assert loss <= alone + 0.02 + 1e-9 * alone


def test_the_samples_of_the_rider_suit_its_report():
    rule = rule_of(terms_of())
    own = rule.own_curve(terms_of().curve, 1, 5)
    assert int(whole_local_optimum(HIGHEST, own)) == LEAST


# ------------------------------------------------------------ once with all its machinery


class Rider:
    """On the wire of member elm: it says that it used one sample, and signs for that."""

    def __init__(self, house):
        self.key = Key(read_secret(house.members["elm"] / "member.key"))

    def __call__(self, member, kind, reply):
        said = read_message(reply, len(reply))
        if member != "elm" or kind != "round":
            return reply
        head = said.head
        return write_message(
            self.key,
            federation=head.federation,
            kind=kind,
            sender=head.sender,
            to=head.to,
            answers=head.answers,
            content=head.content | {"used": 1, "samples": 1, "index": HASH},
            body=said.body,
        )


def tomorrow(house):
    day = datetime.fromisoformat(house.entries()[-1].time).astimezone(UTC) + timedelta(1)
    return day.date().isoformat()


def pay_all(house, purpose_of):
    """Everybody pays what it owes, or has it taken, as ``purpose_of`` a member says."""
    for name, at in house.record().purse.positions.items():
        if at.owes and (purpose := purpose_of(name)):
            house.pay(f"member/{name}", at.owes, purpose, date=tomorrow(house))


def test_a_federation_with_deposits(make_house, wired, sound):
    house = make_house(members=4, rounds=2, payment="deposit = 0\ndue_days = 0")
    with pytest.raises(Exception, match="training starts when all deposits are paid"):
        house.run()
    house.deposit()
    house.run(wired(house, after=Rider(house)))
    purse, lines = house.record().purse, house.record().lines
    owed = -lines["elm"].net
    assert 1000_00 < owed < purse.positions["elm"].held
    pay_all(house, lambda name: "forfeit" if name == "elm" else "settlement")
    for name in ("alder", "birch", "cedar"):
        claim = lines[name].net
        assert claim > 0
        house.pay("operator", claim, "settlement", payee=f"member/{name}")
    record = sound(house)
    assert record.purse.cash == record.settled.surplus
    left = record.purse.refundable("elm")
    assert left == record.purse.positions["elm"].asked - owed
    house.pay("operator", left, "refund", payee="member/elm")


def test_a_federation_without_deposits(make_house, wired, sound):
    house = make_house(members=4, rounds=2)
    house.run(wired(house, after=Rider(house)))
    lines = house.record().lines
    pay_all(house, lambda name: None if name == "elm" else "settlement")
    collected = sum(max(0, -lines[name].net) for name in lines if name != "elm")
    assert house.record().purse.cash == collected
    claims = sum(max(0, line.net) for line in lines.values())
    for name, line in lines.items():
        share = max(0, line.net) * collected // claims
        assert house.record().purse.payable(name) == share
        if line.net > 0:
            paid = Paid("operator", f"member/{name}", f"{(share + 1) / 100:.2f}", "settlement", "r")
            with pytest.raises(InputError, match="can be paid to it of what was collected"):
                pay(house.directory, paid)
    sound(house)
