"""Payments: each that cannot be is refused, and nobody is paid what others have not paid in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.errors import LedgerError
from fedfact.federation.agreement.payment import PaymentTerms
from fedfact.federation.ledger.entries import Payment
from fedfact.federation.ledger.entry import Entry
from fedfact.federation.ledger.purse import Purse
from fedfact.federation.ledger.treasury import Treasury
from fedfact.money import MoneyUnit

CENTS = MoneyUnit("0.01", "EUR")
OPENED, SETTLED, LATE = "2026-07-01", "2026-07-10", "2026-07-20"


class World:
    """Seasons with members, and their payments; due five days after the settlement."""

    def __init__(self, *seasons, deposit=None):
        self.treasury, self.number = Treasury(), 0
        for surplus in seasons:
            purse = Purse(PaymentTerms(deposit=deposit, due_days=5, surplus=surplus))
            self.treasury.open(purse, OPENED)

    def purse(self, season=1):
        return self.treasury.purses[season - 1]

    def sign(self, season=1, **deposits):
        for member, deposit in deposits.items():
            self.purse(season).contracted(member, deposit)

    def settle(self, season=1, day=SETTLED, left=(), **nets):
        purse = self.purse(season)
        for member in nets.keys() - purse.positions.keys():
            purse.contracted(member, 0)
        purse.settle(day, -sum(nets.values()))
        for member, net in sorted(nets.items()):
            purse.line(member, net, member not in left)

    def pay(
        self,
        payer,
        payee,
        amount,
        purpose="settlement",
        season=1,
        day=SETTLED,
        *,
        entered="",
        **more,
    ):
        """Enter it as the ledger would; the number of its entry."""
        self.number += 1
        accounts = [who if who == "operator" else f"member/{who}" for who in (payer, payee)]
        values = {"reference": f"r{self.number}", "corrects": None, "date": day} | more
        said = Payment.take(
            values | {"from": accounts[0], "to": accounts[1], "amount": amount, "purpose": purpose}
        )
        time = f"{entered or max(day, SETTLED)}T09:00:00.000+00:00"
        entry = Entry(self.number, season, "payment", time, "", "", "", "")
        self.treasury.check(entry, said, CENTS)
        self.purse(season).take(said, self.number)
        self.treasury.keep(entry, said)
        return self.number

    def correct(self, number, season=1, day=SETTLED):
        said = self.purse(season).payments[number]
        payer, payee = (who.removeprefix("member/") for who in (said.payee, said.payer))
        return self.pay(payer, payee, said.amount, "correction", season, day, corrects=number)

    def refused(self, says, *what, **more):
        with pytest.raises(LedgerError, match=says):
            self.pay(*what, **more)


@pytest.fixture
def settled():
    """Oak owes 600 and ash 400; elm is promised 300 and fir 600; 100 are left over."""
    world = World("kept")
    world.settle(oak=-600, ash=-400, elm=300, fir=600)
    return world


def test_claims_are_paid_pro_rata_of_what_was_collected(settled):
    purse = settled.purse()
    assert [purse.payable(each) for each in ("elm", "fir", "oak")] == [0, 0, 0]
    settled.pay("ash", "operator", 400)
    assert [purse.payable(each) for each in ("elm", "fir")] == [133, 266]  # ⌊400/900⌋ of each
    settled.refused(
        "^a settlement of 1.34 EUR for elm: 1.33 EUR can be paid to it of what was collected$",
        *("operator", "elm", 134),
    )
    settled.pay("operator", "elm", 133)
    assert [purse.payable(each) for each in ("elm", "fir")] == [0, 266]
    settled.pay("oak", "operator", 500)
    assert [purse.payable(each) for each in ("elm", "fir")] == [300 - 133, 600]
    assert purse.spare == 0
    settled.pay("oak", "operator", 100)
    assert purse.spare == 100
    settled.pay("operator", "elm", 167)
    settled.pay("operator", "fir", 600)
    assert purse.cash == 100
    settled.refused("0.00 EUR can be paid to it", "operator", "fir", 1)


def test_nobody_pays_more_than_it_owes(settled):
    says = "^a settlement of 6.01 EUR for oak: 6.00 EUR is what it owes; enter the rest as its depo"
    settled.refused(says, "oak", "operator", 601)
    settled.refused("0.00 EUR is what it owes", "elm", "operator", 1)
    settled.pay("oak", "operator", 600)
    settled.refused("0.00 EUR is what it owes", "oak", "operator", 1)
    settled.pay("oak", "operator", 5, "deposit")


def test_who_is_not_there_pays_nothing_and_nobody_pays_itself(settled):
    settled.refused("a payment of birch, who has no contract", "birch", "operator", 1)
    between = "not between the operator and a member"
    settled.refused(between, "operator", "operator", 1)
    settled.refused(between, "oak", "oak", 1)
    settled.refused(between, "oak", "elm", 1)


def test_a_reference_is_used_once_in_all_seasons_until_it_is_corrected():
    world = World("kept", "kept")
    for season in (1, 2):
        world.settle(season, oak=-600, elm=500)
    first = world.pay("oak", "operator", 60, reference="4711")
    for season in (1, 2):
        says = f"the reference of the payment in entry {first}$"
        world.refused(says, "oak", "operator", 7, reference="4711", season=season)
    world.correct(first)
    world.pay("oak", "operator", 600, reference="4711")


@pytest.mark.parametrize(
    ("day", "says"),
    [
        ("2026-07-13", "of 2026-07-13, which is yet to come"),
        ("2026-06-29", "before the season was"),
    ],
)
def test_dates_that_cannot_be(settled, day, says):
    with pytest.raises(LedgerError, match=says):
        settled.pay("oak", "operator", 1, day=day, entered="2026-07-11")


def test_nothing_is_settled_before_a_settlement():
    world = World("returned")
    world.sign(oak=100)
    for purpose, way in (("settlement", 1), ("surplus", -1), ("forfeit", 1)):
        world.refused(
            f"a {purpose} where no settlement stands", *("oak", "operator")[::way], 1, purpose
        )


@pytest.mark.parametrize("purpose", ["deposit", "forfeit", "refund", "surplus"])
def test_a_payment_goes_the_way_that_its_purpose_says(settled, purpose):
    ways = ("operator", "oak") if purpose in ("deposit", "forfeit") else ("oak", "operator")
    settled.refused(f"a {purpose} that goes the other way", *ways, 1, purpose)


# ------------------------------------------------------------------------------ deposits


def test_a_deposit_stays_until_it_secures_nothing():
    world = World("kept", deposit=0)
    world.sign(oak=1000, elm=800)
    purse = world.purse()
    assert purse.lacking() == {"oak": 1000, "elm": 800}
    world.pay("oak", "operator", 400, "deposit")
    assert purse.lacking() == {"oak": 600, "elm": 800}
    world.refused("0.00 EUR is left of its deposit", "operator", "oak", 1, "refund")
    world.pay("oak", "operator", 700, "deposit")
    world.pay("elm", "operator", 800, "deposit")
    assert purse.lacking() == {}
    says = "a refund of 1.01 EUR for oak: 1.00 EUR is left of its deposit and secures nothing"
    world.refused(says, "operator", "oak", 101, "refund")
    world.settle(oak=-250, elm=200)
    assert purse.refundable("oak") == 1100 - 250
    assert purse.refundable("elm") == 800
    world.pay("operator", "oak", 850, "refund")
    world.pay("oak", "operator", 250)
    assert purse.refundable("oak") == 250
    world.pay("operator", "oak", 250, "refund")
    world.refused("0.00 EUR is left", "operator", "oak", 1, "refund")


def test_a_deposit_is_taken_for_what_is_overdue_and_no_more():
    world = World("kept", deposit=0)
    world.sign(oak=1000, elm=0)
    world.pay("oak", "operator", 1000, "deposit")
    world.settle(oak=-250, elm=200)
    early = "a forfeit before what oak owes is overdue, after 2026-07-15"
    world.refused(early, "oak", "operator", 250, "forfeit", day="2026-07-15")
    says = "a forfeit of 2.51 EUR for oak: 2.50 EUR is overdue and was deposited"
    world.refused(says, "oak", "operator", 251, "forfeit", day=LATE)
    world.pay("oak", "operator", 250, "forfeit", day=LATE)
    assert world.purse().positions["oak"].owes == 0
    assert world.purse().payable("elm") == 200
    assert world.purse().refundable("oak") == 750


def test_no_more_is_taken_than_was_deposited():
    world = World("kept")
    world.settle(oak=-250, elm=200)
    world.pay("oak", "operator", 30, "deposit")
    world.refused("0.30 EUR is overdue and was dep", "oak", "operator", 31, "forfeit", day=LATE)
    world.pay("oak", "operator", 30, "forfeit", day=LATE)
    assert world.purse().positions["oak"].owes == 220
    assert world.purse().payable("elm") == 30


# ------------------------------------------------------------------------------- surplus


def test_a_surplus_is_returned_equally_once_all_claims_are_safe():
    world = World("returned")
    world.settle(oak=-600, ash=-411, elm=300, fir=600, yew=0, left=("yew",))
    purse = world.purse()
    world.pay("oak", "operator", 600)
    assert purse.returnable("oak") == 0
    world.pay("ash", "operator", 400)
    assert [purse.returnable(each) for each in ("oak", "elm", "yew")] == [25, 25, 0]  # ⌊100/4⌋
    assert purse.returnable("ash") == 0, "it still owes"
    world.pay("ash", "operator", 11)
    assert [purse.returnable(each) for each in ("oak", "ash", "yew")] == [27, 27, 0]  # ⌊111/4⌋
    world.pay("operator", "oak", 27, "surplus")
    says = "a surplus of 0.01 EUR for oak: 0.00 EUR of the surplus can be returned to it now"
    world.refused(says, "operator", "oak", 1, "surplus")
    for member in ("ash", "elm", "fir"):
        world.pay("operator", member, 27, "surplus")
    assert purse.payable("elm") == 300
    assert purse.payable("fir") == 600


@pytest.mark.parametrize("surplus", ["kept", "carried"])
def test_a_surplus_that_is_not_returned_goes_to_no_member(surplus):
    world = World(surplus)
    world.settle(oak=-600, elm=500)
    world.pay("oak", "operator", 600)
    world.refused("0.00 EUR of the surplus", "operator", "elm", 1, "surplus")


def test_a_carried_surplus_covers_the_shortfall_of_a_later_season_and_of_no_other():
    world = World("carried", "kept", "carried")
    for season in (1, 2, 3):
        world.settle(season, oak=-600, elm=400, fir=100)
    assert world.treasury.reserve(2) == 0
    world.pay("oak", "operator", 600)
    assert [world.treasury.reserve(season) for season in (1, 2, 3)] == [0, 100, 100]
    assert [world.purse(2).payable(each, 100) for each in ("elm", "fir")] == [80, 20]
    world.pay("operator", "elm", 80, season=2)
    assert [world.treasury.reserve(season) for season in (1, 2, 3)] == [-80 + 0, 100, 20]
    world.refused("0.16 EUR can be paid", "operator", "elm", 17, season=3)
    world.pay("operator", "elm", 16, season=3)
    # What the short member pays after all goes back to the reserve.
    world.pay("oak", "operator", 600, season=2)
    assert world.treasury.reserve(3) == 100


def test_a_season_has_no_help_from_a_later_one():
    world = World("carried", "carried")
    for season in (1, 2):
        world.settle(season, oak=-600, elm=500)
    world.pay("oak", "operator", 600, season=2)
    assert world.purse(2).spare == 100
    assert world.treasury.reserve(1) == 0
    assert world.purse(1).payable("elm", world.treasury.reserve(1)) == 0


def test_what_a_member_gets_back_is_nothing_to_spare():
    """Season 1 is settled anew with a lower debt, which was paid in full."""
    world = World("carried", "kept")
    world.settle(oak=-600, elm=500)
    world.pay("oak", "operator", 600)
    world.purse().reverse()
    assert world.purse().spare == 0, "while nothing is settled, nobody knows"
    world.settle(oak=-300, elm=250)
    world.settle(2, oak=-600, elm=500)
    assert world.purse().payable("oak") == 300
    assert world.purse().spare == world.treasury.reserve(2) == 50


def test_what_others_drew_of_a_season_is_not_paid_out_again():
    """Season 1 is settled anew with higher claims, after its surplus helped season 2."""
    world = World("carried", "kept")
    world.settle(oak=-600, elm=500)
    world.settle(2, oak=-600, elm=500)
    world.pay("oak", "operator", 600)
    world.pay("operator", "elm", 100, season=2)
    world.purse().reverse()
    world.settle(oak=-600, elm=600)
    assert world.purse().payable("elm", world.treasury.reserve(1)) == 500
    world.refused("5.00 EUR can be paid", "operator", "elm", 501)
    world.pay("operator", "elm", 500)
    assert world.purse(1).cash + world.purse(2).cash == 0


# --------------------------------------------------------------------------- corrections


def test_a_mistake_is_undone_by_its_opposite(settled):
    first = settled.pay("oak", "operator", 60)
    for wrong in (("operator", "oak", 61), ("oak", "operator", 60), ("operator", "ash", 60)):
        says = f"a correction that is not the opposite of entry {first}"
        settled.refused(says, *wrong, "correction", corrects=first)
    settled.refused("no payment that stands", "operator", "oak", 60, "correction", corrects=99)
    named = "a correction names the entry that it undoes, and no other payment does"
    settled.refused(named, "operator", "oak", 60, "correction")
    settled.refused(named, "oak", "operator", 60, corrects=first)
    second = settled.correct(first)
    assert settled.purse().positions["oak"].owes == 600
    again = f"a correction of entry {first}, no payment that stands"
    settled.refused(again, "operator", "oak", 60, "correction", corrects=first)
    settled.refused("no payment that sta", "oak", "operator", 60, "correction", corrects=second)


def test_nothing_is_corrected_away_that_was_paid_out(settled):
    first = settled.pay("oak", "operator", 600)
    second = settled.pay("operator", "fir", 400)
    with pytest.raises(LedgerError, match="of money that was paid out since; correct that payment"):
        settled.correct(first)
    settled.correct(second)
    settled.correct(first)
    assert settled.purse().cash == 0


def test_a_deposit_that_was_taken_or_refunded_is_not_corrected_away():
    world = World("kept")
    world.settle(oak=-250, elm=200)
    first = world.pay("oak", "operator", 300, "deposit")
    taken = world.pay("oak", "operator", 250, "forfeit", day=LATE)
    with pytest.raises(LedgerError, match="paid out since"):
        world.correct(first, day=LATE)
    world.pay("operator", "elm", 200, day=LATE)
    with pytest.raises(LedgerError, match="paid out since"):
        world.correct(taken, day=LATE)


def test_a_correction_is_of_its_own_season():
    world = World("kept", "kept")
    for season in (1, 2):
        world.settle(season, oak=-600, elm=500)
    first = world.pay("oak", "operator", 60)
    says = f"a correction of entry {first}, no payment that stands"
    world.refused(says, "operator", "oak", 60, "correction", season=2, corrects=first)


# ------------------------------------------------------------- reversed, and settled anew


def test_after_a_reversal_what_was_paid_counts_for_the_next_settlement(settled):
    settled.pay("oak", "operator", 600)
    settled.pay("operator", "elm", 200)
    purse = settled.purse()
    purse.reverse()
    assert purse.due_date is None
    settled.refused("where no settlement stands", "operator", "elm", 1)
    settled.settle(oak=-500, ash=-300, elm=100, fir=600)
    # Oak gets back what it paid too much, elm owes what it was paid too much.
    assert purse.positions["oak"].credit == 100
    assert purse.positions["elm"].owes == 100
    assert purse.payable("oak") == 100
    assert purse.payable("fir") == 600 * 400 // 700  # of 500 collected, 100 are out with elm
    settled.pay("operator", "oak", 100)
    settled.pay("operator", "fir", 300)
    assert purse.cash == 0
    assert purse.payable("fir") == 0
    settled.pay("elm", "operator", 100)
    settled.pay("ash", "operator", 300)
    settled.pay("operator", "fir", 300)
    assert purse.cash == 100


# ------------------------------------------------------------------------------ properties

MEMBERS = ("ash", "elm", "fir", "oak")
PURPOSES = ("settlement", "settlement", "settlement", "deposit", "refund", "forfeit", "surplus")
nets = st.lists(st.integers(-50, 40), min_size=4, max_size=4).filter(lambda them: sum(them) <= 0)
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("pay"),
            st.integers(1, 3),
            st.sampled_from(MEMBERS),
            st.booleans(),
            st.sampled_from(PURPOSES),
            st.one_of(st.integers(1, 60), st.just(10**6)),
        ),
        st.tuples(st.just("settle"), st.integers(1, 3), nets),
        st.tuples(st.just("correct"), st.integers(1, 3), st.integers(0, 10)),
    ),
    max_size=60,
)
kinds = st.lists(st.sampled_from(["kept", "carried", "returned"]), min_size=3, max_size=3)


def step(world, kind, season, *what):
    """Do one thing, if it can be done; as much of it as can be, where the most is asked for."""
    purse = world.purse(season)
    if kind == "settle":
        if purse.settled:
            purse.reverse()
        world.settle(season, **dict(zip(MEMBERS, what[0], strict=True)))
        return
    try:
        if kind == "correct":
            standing = sorted(purse.payments)
            if standing:
                world.correct(standing[what[0] % len(standing)], season, LATE)
            return
        member, incoming, purpose, amount = what
        ways = (member, "operator") if incoming else ("operator", member)
        at, reserve = purse.positions[member], world.treasury.reserve(season)
        most = {
            "refund": purse.refundable(member),
            "surplus": purse.returnable(member),
            "forfeit": min(at.owes, at.held),
            "settlement": at.owes if incoming else purse.payable(member, reserve),
        }
        if amount == 10**6 and most.get(purpose):
            world.pay(*ways, most[purpose], purpose, season, LATE)
        else:
            world.pay(*ways, amount, purpose, season, LATE)
    except LedgerError:
        pass


@settings(max_examples=300, deadline=None)
@given(kinds, steps)
def test_whatever_is_entered_no_more_goes_out_than_came_in(kinds, steps):
    world = World(*kinds)
    for season in (1, 2, 3):
        world.sign(season, **dict.fromkeys(MEMBERS, 20))
    purses = world.treasury.purses
    for each in steps:
        step(world, *each)
        for purse in purses:
            for at in purse.positions.values():
                assert at.held >= 0
                assert min(at.deposited, at.forfeited, at.paid, at.received, at.returned) >= 0
            assert purse.cash == sum(at.given - at.returned for at in purse.positions.values())
        carried = [purse.cash for purse in purses if purse.terms.surplus == "carried"]
        drawn = sum(min(0, p.cash) for p in purses if p.terms.surplus != "carried")
        assert sum(carried) + drawn >= 0
        # The books of the bank: deposits and cash are what payments add up to.
        bank = sum(
            payment.amount if payment.incoming else -payment.amount
            for purse in purses
            for payment in purse.payments.values()
            if payment.purpose != "forfeit"
        )
        held = sum(at.held for purse in purses for at in purse.positions.values())
        assert bank == held + sum(purse.cash for purse in purses) >= held


@settings(max_examples=200, deadline=None)
@given(nets, steps)
def test_within_one_settlement_claims_paid_never_exceed_what_was_collected(nets, steps):
    world = World("kept")
    world.settle(**dict(zip(MEMBERS, nets, strict=True)))
    purse = world.purse()
    for kind, _, *what in steps:
        if kind != "settle":
            step(world, kind, 1, *what)
        collected = sum(at.collected for at in purse.positions.values())
        for at in purse.positions.values():
            assert at.had <= at.claim
            assert at.excess == at.credit == 0
        assert sum(at.had for at in purse.positions.values()) <= collected


@settings(max_examples=200, deadline=None)
@given(nets, st.sets(st.sampled_from(MEMBERS)))
def test_with_deposits_who_never_pays_costs_nobody_anything(nets, never):
    """Deposits are at least what is owed; those of members that never pay are taken."""
    world = World("kept", deposit=0)
    owed = dict(zip(MEMBERS, nets, strict=True))
    world.sign(**{member: max(0, -net) + 3 for member, net in owed.items()})
    for member, amount in world.purse().lacking().items():
        world.pay(member, "operator", amount, "deposit")
    world.settle(**owed)
    for member, net in owed.items():
        if net < 0:
            purpose = "forfeit" if member in never else "settlement"
            world.pay(member, "operator", -net, purpose, day=LATE)
    for member, net in owed.items():
        assert world.purse().payable(member) == max(0, net)
        if net > 0:
            world.pay("operator", member, net, day=LATE)
        held = world.purse().positions[member].held
        world.pay("operator", member, held, "refund", day=LATE)
    assert world.purse().cash == -sum(owed.values())
