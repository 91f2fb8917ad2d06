"""The double-entry book: every transaction adds up to zero, and says what its entry did."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fedfact.errors import LedgerError
from fedfact.federation.accounts.book import Move, Transaction, book_of

from .. import dishonest as lie
from .conftest import Written

MEMBERS = ("alder", "birch", "cedar", "elm")


def moved(transaction):
    return {move.account: move.amount for move in transaction.moves}


def test_a_settlement_is_booked_line_by_line(written):
    book, record = book_of(written.entries), written.record
    assert (book.consortium, book.unit.currency) == ("test", "EUR")
    assert book.members == MEMBERS
    assert len(book.transactions) == 5
    first, *lines = book.transactions
    assert first.narration == "surplus, kept"
    assert moved(first) == {
        "operator/remainder": record.settled.surplus,
        "operator/surplus": -record.settled.surplus,
    }
    for made, (member, line) in zip(lines, record.lines.items(), strict=True):
        assert made.narration == f"settlement of {member}"
        assert made.date == written.entries[made.entry].time[:10]
        assert written.entries[made.entry].kind == "line"
        own = {
            "receivable": -line.net,
            "fees": -line.fee,
            "charges": -line.charge,
            "rebates": line.rebate,
        }
        assert moved(made) == {f"member/{member}/{k}": v for k, v in own.items() if v}
    balances = book.balances()
    spent = ("fees", "charges", "rebates", "rewards", "remainder")
    assert sum(v for k, v in balances.items() if k.rpartition("/")[2] in spent) == 0


def test_rewards_are_booked_too(finished):
    book = book_of(finished.sandwich.entries())
    record = finished.sandwich.record()
    (winner,) = (member for member, line in record.lines.items() if line.won)
    assert book.balances()[f"member/{winner}/rewards"] == record.lines[winner].reward > 0


@pytest.mark.parametrize(
    ("purpose", "incoming", "debit", "credit"),
    [
        ("deposit", True, "operator/bank", "member/alder/deposits"),
        ("settlement", True, "operator/bank", "member/alder/receivable"),
    ],
)
def test_money_that_comes_in(written, purpose, incoming, debit, credit):
    owed = -written.record.lines["alder"].net
    assert owed > 0
    number = written.pay("alder", "operator", owed, purpose, reference="4711")
    made = book_of(written.entries).transactions[-1]
    assert made.moves == (Move(debit, owed), Move(credit, -owed))
    assert (made.entry, made.season, made.reference) == (number, 1, "4711")
    assert made.narration == f"{purpose} from alder"


def test_money_that_goes_out_turns_it_round(written):
    written.pay("cedar", "operator", 50, "deposit")
    written.pay("operator", "cedar", 50, "refund")
    made = book_of(written.entries).transactions[-1]
    assert moved(made) == {"operator/bank": -50, "member/cedar/deposits": 50}
    assert made.narration == "refund to cedar"
    assert book_of(written.entries).balances()["operator/bank"] == 0


def test_what_is_taken_from_a_deposit_moves_nothing_at_the_bank(houses):
    house = houses.kept
    written = Written(house.entries(), lie.operator_key(house))
    before = book_of(written.entries).balances()
    (member, owed) = next(
        (name, -line.net) for name, line in written.record.lines.items() if line.net < 0
    )
    tomorrow = "2100-01-01"
    written.entries = [
        replace(e, time=f"{tomorrow}T00:00:00.000+00:00") if e is written.entries[-1] else e
        for e in written.entries
    ]
    written.pay(member, "operator", owed, "forfeit", date=tomorrow)
    made = book_of(written.entries).transactions[-1]
    own = f"member/{member}"
    assert moved(made) == {f"{own}/forfeits": owed, f"{own}/receivable": -owed}
    assert made.narration == f"taken from the deposit of {member}"
    after = book_of(written.entries).balances()
    assert after["operator/bank"] == before["operator/bank"]
    assert after[f"{own}/deposits"] + after[f"{own}/forfeits"] == -(
        written.record.purse.positions[member].held
    )


@pytest.mark.parametrize(
    ("kind", "account"), [("kept", "surplus"), ("carried", "reserve"), ("returned", "surplus")]
)
def test_the_surplus_goes_where_the_terms_say(houses, kind, account):
    house = getattr(houses, kind)
    surplus = house.record().settled.surplus
    assert surplus > 0
    assert book_of(house.entries()).balances()[f"operator/{account}"] == -surplus


def test_a_returned_surplus_is_booked_to_the_member(houses):
    house = houses.returned
    written = Written(house.entries(), lie.operator_key(house))
    for member, line in written.record.lines.items():
        if line.net < 0:
            written.pay(member, "operator", -line.net)
    share = written.record.settled.surplus // 4
    assert written.record.purse.returnable("elm") == share > 0
    written.pay("operator", "elm", share, "surplus")
    made = book_of(written.entries).transactions[-1]
    assert moved(made) == {"operator/bank": -share, "member/elm/surplus": share}


def test_a_reversal_undoes_all_of_the_settlement(written):
    before = book_of(written.entries)
    written.pay("alder", "operator", 7, "deposit")
    number = written.reverse()
    book = book_of(written.entries)
    undone = book.transactions[-5:]
    assert {each.entry for each in undone} == {number}
    assert undone[0].narration == "reversed: surplus, kept"
    assert {k: v for k, v in book.balances().items() if v} == {
        "operator/bank": 7,
        "member/alder/deposits": -7,
    }
    written.settle_again()
    again = book_of(written.entries).balances()
    assert again == {**before.balances(), "operator/bank": 7, "member/alder/deposits": -7}


def test_a_correction_undoes_its_payment(written):
    first = written.pay("alder", "operator", 7, "deposit", reference="typed wrongly")
    written.pay("operator", "alder", 7, "correction", corrects=first, reference="sorry")
    made = book_of(written.entries).transactions[-1]
    assert moved(made) == {"operator/bank": -7, "member/alder/deposits": 7}
    assert made.narration == f"corrected: deposit from alder (entry {first})"
    assert made.reference == "sorry"


def test_the_book_of_one_season(written):
    book = book_of(written.entries)
    assert book.of(season=1) == book.of() == book
    assert book.of(season=2).transactions == ()


def test_a_line_that_does_not_add_up_is_refused(written):
    number = lie.numbers(written.entries, "line")[1]

    def more(line):
        line["fee"] += 1

    wrong = lie.changed(written.entries, written.key, number, more)
    says = rf"entry {number} \(line\): its amounts do not add up; check the ledger with fedfact ver"
    with pytest.raises(LedgerError, match=says):
        book_of(wrong)
    with pytest.raises(LedgerError, match="do not add up"):
        Transaction("2026-07-01", 1, 1, "", "", (Move("operator/bank", 1),))


@pytest.mark.parametrize("time", ["2026-07-01", "soon", "9999-12-31T00:00:00.000+00:00"])
def test_a_day_that_no_accounts_could_have_is_refused(written, time):
    entries = [*written.entries[:-1], replace(written.entries[-1], time=time)]
    with pytest.raises(LedgerError, match="its time is not as times are written"):
        book_of(lie.rewritten(entries, written.key, keep_times=True))


steps = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(MEMBERS),
            st.booleans(),
            st.sampled_from(["deposit", "refund", "settlement"]),
            st.integers(1, 9000),
        ),
        st.sampled_from(["correct", "reverse", "settle"]),
    ),
    max_size=12,
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps)
def test_all_accounts_add_up_to_zero_after_every_entry(finished, steps):
    written = Written(finished.rebate.entries(), lie.operator_key(finished.rebate))
    for step in steps:
        before = written.entries
        try:
            record = written.record
            if step == "correct" and record.purse.payments:
                number, paid = next(iter(record.purse.payments.items()))
                ways = (paid.payee, paid.payer)
                ways = (each.removeprefix("member/") for each in ways)
                written.pay(*ways, paid.amount, "correction", corrects=number)
            elif step == "reverse":
                written.reverse()
            elif step == "settle":
                written.settle_again()
            elif not isinstance(step, str):
                member, incoming, purpose, amount = step
                ways = (member, "operator") if incoming else ("operator", member)
                written.pay(*ways, amount, purpose)
            _ = written.record
        except (LedgerError, ValueError):
            written.entries = before
    book, record = book_of(written.entries), written.record
    sums = {}
    for made in book.transactions:
        assert sum(move.amount for move in made.moves) == 0
        for move in made.moves:
            sums[move.account] = sums.get(move.account, 0) + move.amount
        assert sum(sums.values()) == 0
    assert sums == book.balances()
    # The book and the purse, which are worked out apart, agree.
    positions = record.purse.positions
    for member, at in positions.items():
        assert sums.get(f"member/{member}/receivable", 0) == -at.net - at.given
        assert sums.get(f"member/{member}/deposits", 0) == -at.deposited
    held = sum(at.held for at in positions.values())
    assert sums.get("operator/bank", 0) == record.purse.cash + held >= 0
