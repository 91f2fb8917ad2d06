"""The record of a ledger: every entry that cannot come now is refused, whoever signed it."""

from dataclasses import replace

import pytest

from fedfact.errors import LedgerError
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.state import LedgerState, replay
from fedfact.federation.ledger.training_state import secret_fits
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.tree import Tree

from .. import dishonest as lie

HARMLESS = ({"member"}, {"enrolment"}, {"acknowledged"})
"""Kinds that come in the order in which members registered or happen to answer: two neighbours may
be swapped, as long as no member has signed the head of the ledger behind them with its nonce."""


@pytest.fixture(scope="module", params=["rebate", "sandwich", "sized"])
def ledger(request, finished):
    house = getattr(finished, request.param)
    return lie.before_witnesses(house.entries()), lie.operator_key(house)


def verdicts(entries):
    return {verdict.name: verdict for verdict in verify(entries)}


def holds(entries):
    return all(verdict.holds for verdict in verify(entries))


def test_only_what_changed_is_there_to_be_found(ledger):
    """Chained and signed anew without a change, it is the same ledger."""
    entries, key = ledger
    assert lie.rewritten(entries, key) == entries
    assert holds(entries)


def test_swapped_neighbours_are_refused(ledger):
    entries, key = ledger
    for k in range(len(entries) - 1):
        swapped = [*entries[:k], entries[k + 1], entries[k], *entries[k + 2 :]]
        swapped = lie.rewritten(swapped, key)
        found = verdicts(swapped)
        assert found["chain"].holds
        assert found["signatures"].holds or k == 0
        if {entries[k].kind, entries[k + 1].kind} in HARMLESS:
            seen = [name for name, verdict in found.items() if not verdict.holds]
            assert seen == ([] if entries[k].kind == "acknowledged" else ["seed"])
            assert replay(swapped).season.balances() == replay(entries).season.balances()
        else:
            assert found["order"].holds is False, (k, entries[k].kind)
            assert found["order"].entry in (k, k + 1)


def test_doubled_entries_are_refused_at_the_second(ledger):
    entries, key = ledger
    for k in range(len(entries)):
        doubled = lie.rewritten([*entries[: k + 1], *entries[k:]], key)
        found = verdicts(doubled)
        assert found["chain"].holds
        assert found["order"].holds is False, (k, entries[k].kind)
        assert found["order"].entry == k + 1


def test_an_entry_said_again_later_is_refused(ledger):
    entries, key = ledger
    for k in range(len(entries)):
        again = lie.rewritten([*entries, entries[k]], key)
        assert verdicts(again)["order"].entry == len(entries), entries[k].kind


def test_dropped_entries_are_found(ledger):
    entries, key = ledger
    for k in range(len(entries) - 1):
        dropped = lie.rewritten(entries[:k] + entries[k + 1 :], key)
        if entries[k].kind == "acknowledged":  # it is only as if that member had not answered
            assert holds(dropped)
            assert "3 of 4 statements" in verdicts(dropped)["acknowledgements"].says
        else:
            assert not holds(dropped), (k, entries[k].kind)


def test_the_head_is_what_the_operator_signed_last(ledger):
    entries, key = ledger
    for number in (0, 4, len(entries) - 1):
        state, tree = replay(entries[: number + 1]), Tree()
        for entry in entries[: number + 1]:
            tree.add(entry.hash)
        consortium = state.consortium.hash()
        assert state.head == LedgerHead.signed(
            key, consortium, number, entries[number].hash, tree.root()
        )
        assert state.is_signed()
        wrong = [*entries[:number], replace(entries[number], signature="00" * 64)]
        assert not replay(wrong).is_signed()


def test_a_ledger_may_end_anywhere_and_still_be_read(ledger):
    entries, _ = ledger
    for k in range(6):
        state = replay(entries[:k])
        assert len(state.members) == max(k - 1, 0)
        with pytest.raises(LedgerError, match="the ledger has no season yet"):
            _ = state.season
    phases = [replay(entries[:k]).season.phase for k in range(6, len(entries) + 1)]
    assert phases[0] == "enrolling"
    assert phases[-1] == "settled, 4 members to sign the head of the ledger"
    assert "training, 1 of 3 rounds" in phases
    assert "nonces to open" in phases


def test_a_consortium_comes_first_and_once(ledger):
    entries, key = ledger
    with pytest.raises(LedgerError, match="a consortium comes first"):
        replay(lie.rewritten(entries[1:], key))
    with pytest.raises(
        LedgerError, match=r"entry 1 \(consortium\): a consortium comes first, and only once"
    ):
        replay(lie.rewritten([entries[0], *entries], key))
    with pytest.raises(LedgerError, match="no consortium was founded yet"):
        _ = LedgerState().consortium
    with pytest.raises(LedgerError, match="it has no head"):
        _ = LedgerState().head


@pytest.mark.parametrize(
    "kind", ["", "x", "take", "terms", "season ", "Season", "__init__", "x" * 100_000]
)
def test_an_unknown_kind_is_refused(ledger, kind):
    entries, _ = ledger
    with pytest.raises(LedgerError, match="unknown kind of entry") as refused:
        LedgerState().add(replace(entries[0], kind=kind))
    assert len(str(refused.value)) < 100


def test_a_refused_entry_leaves_the_head_where_it_was(ledger):
    entries, _ = ledger
    state = replay(entries[:10])
    head = state.head
    for wrong in (entries[9], entries[5], entries[1], entries[0]):
        with pytest.raises(LedgerError):
            state.add(wrong)
    assert state.last == entries[9]
    assert state.head == head
    state.add(entries[10])


def declined(entries, member, by="operator"):
    entry = next(entry for entry in entries if entry.kind == "roster")
    return lie.with_body(
        replace(entry, kind="declined"),
        {"member": member, "by": by, "why": "no reason", "said": None},
    )


def test_who_declined_is_out_for_good(ledger):
    entries, key = ledger
    member, enrolment = "alder", entries[6]
    assert lie.body(enrolment)["member"] == member
    no = declined(entries, member)
    for wrong, says in (
        ([*entries[:10], no, no], "declines twice"),
        ([*entries[:10], no, enrolment], "an enrolment of a member that declined before"),
        ([*entries[:14], no], "who signed a contract"),
        ([*entries[:15], no], "after the roster was closed"),
        ([*entries[:10], no, *entries[10:]], "a contract with a member that did not enrol"),
        ([*entries[:14], declined(entries, "birch")], "who signed a contract"),
    ):
        with pytest.raises(LedgerError, match=says):
            replay(lie.rewritten(wrong, key))
    state = replay(lie.rewritten([*entries[:10], no], key))
    assert state.season.declined.keys() == {member}


def test_a_roster_needs_all_contracts(ledger):
    entries, key = ledger
    with pytest.raises(LedgerError, match="a roster without all contracts"):
        replay(lie.rewritten([*entries[:13], entries[14]], key))


def test_a_reversal_undoes_the_settlement_that_stands(ledger):
    entries, key = ledger
    record = replay(entries).season
    number = record.settlement

    def reversal(**changes):
        values = {"settlement": number, "why": "a mistake", "decision": None} | changes
        entry = lie.with_body(replace(entries[-1], kind="reversal"), values)
        return lie.rewritten([*entries, entry], key)

    good = reversal()
    assert holds(good)
    assert replay(good).season.phase == "settlement reversed"
    assert replay(good).season.balances() == {}
    again = lie.rewritten([*good, *entries[number : number + 5]], key)
    assert holds(again)
    assert "2 settlements" in verdicts(again)["amounts"].says
    old_said = lie.rewritten([*again, entries[-1]], key)
    assert verdicts(old_said)["order"].holds is False
    for wrong in (
        reversal(settlement=number + 1),
        reversal(why=" "),
        reversal(decision=number),
        lie.rewritten([*good, good[-1]], key),
    ):
        assert verdicts(wrong)["order"].holds is False


def test_balances_are_the_lines(ledger):
    entries, _ = ledger
    record = replay(entries).season
    balances = record.balances()
    assert sum(balances.values()) == 0
    assert balances["operator"] == record.settled.surplus >= 0
    assert {f"member/{member}": line.net for member, line in record.lines.items()} == {
        account: amount for account, amount in balances.items() if account != "operator"
    }


def test_only_the_seed_committed_to_fits(ledger):
    entries, _ = ledger
    record = replay(entries).season
    assert secret_fits(record, bytes.fromhex(record.revealed.seed))
    assert not secret_fits(record, bytes(32))
