"""Verification: any changed byte is found, and so is an operator that signs what is not so."""

import json
import random
import shutil
import sqlite3
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime, timedelta

import pytest

from fedfact.errors import FedfactError
from fedfact.federation.agreement.draw import draw_seed
from fedfact.federation.agreement.lines import Line
from fedfact.federation.audit.laws import Fault
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import (
    chain,
    first_bad_entry,
    order,
    phase_of,
    signatures,
    verify,
    verify_ledger,
)
from fedfact.federation.ledger.entry import Entry, Unreadable
from fedfact.federation.ledger.export import export, read_export
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.canonical import canonical
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.message import Evidence
from fedfact.federation.wire.tree import Tree

from .. import dishonest as lie


@pytest.fixture(scope="module")
def house(finished):
    return finished.sandwich


@pytest.fixture(scope="module")
def entries(house):
    return house.entries()


@pytest.fixture(scope="module")
def key(house):
    return lie.operator_key(house)


def failed(entries):
    """The checks that do not hold, with the entry that each names."""
    return {verdict.name: verdict.entry for verdict in verify(entries) if verdict.holds is False}


def named(entries):
    """The entry that the first of the cheap checks names; None where all hold."""
    for check in (chain, signatures, order):
        try:
            check(entries)
        except Fault as fault:
            return fault.entry.number
    return None


@pytest.mark.parametrize("rule", ["rebate", "sandwich", "shared", "sized"])
def test_a_finished_ledger_holds(finished, rule, tmp_path):
    house = getattr(finished, rule)
    entries = house.entries()
    assert failed(entries) == {}
    assert [verdict.name for verdict in verify(entries)] == [
        "chain",
        "times",
        "signatures",
        "order",
        "keys",
        "restarts",
        "enrolments",
        "contracts",
        "seed",
        "rounds",
        "delivered",
        "amounts",
        "balance",
        "acknowledgements",
        "disputes",
        "witnesses",
    ]
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(export(entries))
    assert read_export(path) == entries
    for member, place in house.members.items():
        own = verify_copy(entries, member, MemberFiles(place))
        assert [verdict.holds for verdict in own] == [True] * 8, own


def test_an_unfinished_ledger_holds_wherever_it_ends(entries):
    for end in (1, 3, 5):
        assert failed(entries[:end]) == {}, entries[end].kind
        assert phase_of(verify(entries[:end])) == "no season yet"
    for end in (6, 8, 10, 15, 16, 18, 19, 30, 32):
        assert failed(entries[:end]) == {}, entries[end].kind
        assert phase_of(verify(entries[:end])) == replay(entries[:end]).season.phase
    with pytest.raises(FedfactError, match="the ledger is empty"):
        verify([])


def test_a_changed_byte_of_an_export_is_found_and_its_entry_named(entries, tmp_path):
    path, text = tmp_path / "ledger.jsonl", export(entries)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    draw = random.Random(6)
    for place in draw.sample(range(len(text)), 150):
        wrong = bytearray(text)
        wrong[place] ^= 1 << draw.randrange(8)
        path.write_bytes(wrong)
        number = max(k for k, start in enumerate(starts) if start <= place)
        assert first_bad_entry(verify_ledger(str(path))[1]) == number


def reading(place):
    """The entries that can be read, and the number of the first that cannot."""
    try:
        return read_ledger(str(place)), None
    except Unreadable as error:
        return error.before, error.number


@pytest.mark.thorough
def test_every_changed_byte_of_an_export_is_found(entries, tmp_path):
    """One bit of each byte: its entry cannot be read, or chain or signatures name it."""
    path, draw, flips, parsed = tmp_path / "line.jsonl", random.Random(7), 0, 0
    for k, entry in enumerate(entries):
        line = export([entry])
        for place in range(len(line)):
            wrong = bytearray(line)
            wrong[place] ^= 1 << draw.randrange(8)
            flips += 1
            path.write_bytes(wrong)
            read, unreadable = reading(path)
            if unreadable == 0:
                assert read == []
            else:
                parsed += 1
                assert named([*entries[:k], *read]) == k
                assert len(read) == 1
    assert flips == len(export(entries))
    assert parsed > flips / 4


@pytest.fixture
def copy(house, tmp_path):
    place = tmp_path / "ledger.db"
    shutil.copy(house.directory / "ledger.db", place)
    return place


PAGE = 4096  # of a data base; the first has its header and the table's name, and no entry
OTHER = {
    "number": lambda value: value + 1000,
    "season": lambda value: value + 1,
    "kind": lambda value: "line" if value != "line" else "reveal",
    "time": lambda value: value.replace("2", "3", 1),
    "body": lambda value: value[:-1] + " }",
    "previous": lambda value: ("0" if value[0] != "0" else "1") + value[1:],
    "hash": lambda value: value[:-1] + ("0" if value[-1] != "0" else "1"),
    "signature": lambda value: value[:5] + ("0" if value[5] != "0" else "1") + value[6:],
}


def test_every_changed_column_of_every_row_is_found(entries, copy):
    assert OTHER.keys() == {field.name for field in fields(Entry)}
    raw = sqlite3.connect(copy, isolation_level=None)
    for entry in entries:
        for column, change in OTHER.items():
            old = asdict(entry)[column]
            where = "WHERE hash = ?" if column != "hash" else "WHERE number = ?"
            which = entry.hash if column != "hash" else entry.number
            raw.execute(f"UPDATE fedfact_ledger SET {column} = ? {where}", (change(old), which))
            found = named(read_ledger(str(copy)))
            assert found == entry.number, column
            raw.execute(f"UPDATE fedfact_ledger SET {column} = ? {where}", (old, which))
    raw.close()
    assert read_ledger(str(copy)) == entries


@pytest.mark.parametrize("flips", [250, pytest.param(4000, marks=pytest.mark.thorough)])
def test_a_flipped_bit_of_the_data_base_is_found_or_changes_nothing(entries, copy, flips):
    """What is no entry, the first page, SQLite may refuse; of the others the first is named."""
    data, draw, found = copy.read_bytes(), random.Random(flips), 0
    for _ in range(flips):
        wrong, place = bytearray(data), draw.randrange(len(data))
        wrong[place] ^= 1 << draw.randrange(8)
        copy.write_bytes(wrong)
        if place < PAGE and is_refused(copy):
            continue
        read, unreadable = reading(copy)
        if read != (entries if unreadable is None else entries[:unreadable]):
            same = (a == b for a, b in zip(read, entries, strict=False))
            assert named(read) == next(k for k, each in enumerate(same) if not each)
        found += read != entries
    assert found > flips / 5


def is_refused(place):
    try:
        reading(place)
    except FedfactError:
        return True
    return False


def test_text_that_is_no_utf_8_is_a_finding_that_names_the_entry(entries, copy):
    for column in ("kind", "time", "body", "previous", "hash", "signature"):
        with sqlite3.connect(copy) as raw:
            raw.execute(
                f"UPDATE fedfact_ledger SET {column} = CAST(x'7bff' AS TEXT) WHERE number = 7"
            )
        raw.close()
        before, verdicts = verify_ledger(str(copy))
        assert before == entries[:7]
        assert [each.holds for each in verdicts] == [False] + [True] * 6 + [None] * 10
        assert (verdicts[0].name, verdicts[0].entry) == ("entries", 7)
        assert "entry 7: cannot be read; restore the ledger" in verdicts[0].says
        with sqlite3.connect(copy) as raw:
            value = asdict(entries[7])[column]
            raw.execute(f"UPDATE fedfact_ledger SET {column} = ? WHERE number = 7", (value,))
        raw.close()
    assert read_ledger(str(copy)) == entries


# What a dishonest operator does, which check finds it, and the kind of entry that check names.


def place_of(entries, kind, which=0):
    return lie.numbers(entries, kind)[which]


def set_at(*path, value):
    def change(values):
        *before, last = path
        inside = values
        for step in before:
            inside = inside[step]
        inside[last] = value(inside[last]) if callable(value) else value

    return change


def up(amount):
    return amount + 1


def turn(text):
    return ("0" if text[0] != "0" else "1") + text[1:]


def said(member, where, **content):
    """Put other words into the mouth of a member, whose signature stays as it is."""

    def change(values):
        head = json.loads(values[where][member]["head"])
        head["content"] |= content
        values[where][member]["head"] = canonical(head).decode()

    return change


def both_postings(values):
    for posting, sign in zip(values["postings"], (1, -1), strict=True):
        posting["amount"] += sign


def to_absent(values, why="timeout"):
    values["attested"].pop("birch")
    values["absent"]["birch"] = why


def of_another(values):
    values["attested"]["birch"] = values["attested"]["cedar"]


LIES = {
    "fee": ("line", 0, set_at("fee", value=up), "amounts"),
    "reward": ("line", 1, set_at("reward", value=up), "amounts"),
    "net": ("line", 2, set_at("net", value=up), "amounts"),
    "winner": ("line", 3, set_at("won", value=lambda won: not won), "amounts"),
    "group": ("line", 0, set_at("group", value=7), "amounts"),
    "one posting": ("line", 0, set_at("postings", 0, "amount", value=up), "balance"),
    "both postings": ("line", 0, both_postings, "amounts"),
    "account": ("line", 0, set_at("postings", 0, "account", value="member/elm"), "amounts"),
    "surplus": ("settlement", 0, set_at("surplus", value=up), "amounts"),
    "surplus against lines": ("settlement", 0, set_at("surplus", value=up), "balance"),
    "samples settled": ("settlement", 0, set_at("samples", value=up), "amounts"),
    "void": ("settlement", 0, set_at("void", value="too few"), "amounts"),
    "contract fee": ("contract", 1, set_at("contract", "fee", value=up), "contracts"),
    "contract samples": ("contract", 0, set_at("contract", "samples", value=up), "contracts"),
    "contract cost": ("contract", 2, set_at("contract", "reported_cost", value="9.0"), "contracts"),
    "contract nonce": ("contract", 3, set_at("contract", "nonce", value=turn), "contracts"),
    "operator's signature": ("contract", 0, set_at("operator", value=turn), "contracts"),
    "roster": ("roster", 0, set_at("contracts", value=turn), "contracts"),
    "number on the roster": ("roster", 0, set_at("members", value=up), "contracts"),
    "report": (
        "enrolment",
        1,
        set_at("said", "head", value=lambda text: text.replace("1.0", "8.0")),
        "enrolments",
    ),
    "attested samples": ("round", 1, said("birch", "attested", used=1), "rounds"),
    "attestation of another": ("round", 0, of_another, "rounds"),
    "start of a round": ("round", 1, set_at("start", value=turn), "rounds"),
    "model of a round": ("round", 0, set_at("model", value=turn), "rounds"),
    "absent in the end": ("round", 2, to_absent, "delivered"),
    "left in the middle": ("round", 1, lambda values: to_absent(values, "left"), "rounds"),
    "nonce": ("nonces", 0, said("cedar", "opened", nonce="ab" * 32), "seed"),
    "seed": ("reveal", 0, set_at("seed", value=turn), "seed"),
    "draw": ("reveal", 0, set_at("draw", value=turn), "seed"),
    "delivered": ("delivery", 0, set_at("delivered", value=up), "delivered"),
    "billed": ("delivery", 3, set_at("billed", value=lambda samples: samples + 50), "delivered"),
    "counted": ("delivery", 0, set_at("counted", value=up), "delivered"),
    "attended": ("delivery", 0, set_at("attended", value=2), "delivered"),
    "asked": ("delivery", 0, set_at("asked", value=up), "delivered"),
    "not asked": ("round", 1, lambda values: to_absent(values, "not begun"), "rounds"),
    "size": ("season", 0, set_at("members", "birch", value=up), "contracts"),
    "contract size": ("contract", 0, set_at("contract", "size", value=up), "contracts"),
    "capacity": ("contract", 0, set_at("contract", "capacity", value=100), "contracts"),
    "counted in a line": ("line", 0, set_at("counted", value=up), "amounts"),
    "left flag": ("delivery", 1, set_at("left", value=True), "delivered"),
    "promise": ("delivery", 2, set_at("promised", value=up), "delivered"),
    "acknowledged": (
        "acknowledged",
        0,
        set_at("said", "signature", value=turn),
        "acknowledgements",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_dishonest_operator_is_found(entries, key, name):
    kind, which, change, check = LIES[name]
    number = place_of(entries, kind, which)
    wrong = lie.changed(entries, key, number, change)
    assert wrong != entries
    found = failed(wrong)
    assert not {"chain", "signatures", "order"} & found.keys()
    finds = number
    if name in ("absent in the end",):
        finds = place_of(entries, "delivery", 1)
    elif name == "size":  # all contracts have the size of all
        finds = place_of(entries, "contract")
    elif name == "model of a round":
        finds = place_of(entries, "round", which + 1)
    assert found[check] == finds, found


@pytest.mark.parametrize(
    "time",
    [
        "",
        "now",
        "2999-01-01",
        "2999-01-01T00:00:00+00:00",
        "2999-01-01T00:00:00.000Z",
        "2999-01-01T00:00:00.000-00:00",
        "2999-01-01T02:00:00.000+02:00",
        "2999-01-01 00:00:00.000+00:00",
        "2999-01-01T00:00:00.000000+00:00",
        "2999-02-30T00:00:00.000+00:00",
        "2999-01-01T00:00:00.000+00:00\n",
        "２999-01-01T00:00:00.000+00:00",
        "2020-01-01T00:00:00.000+00:00",
    ],
)
def test_a_time_of_another_form_or_that_goes_back_is_found(entries, key, time):
    entries = lie.before_witnesses(entries)
    wrong = list(entries)
    wrong[5] = replace(wrong[5], time=time)
    found = failed(lie.rewritten(wrong, key, keep_times=True))
    assert found == {"times": 5, "seed": place_of(entries, "nonces")}  # whose members saw another


def test_other_terms_are_found(entries, key):
    """The hash of the terms is in every message that anybody signed."""
    for change in (
        set_at("money", "exponent", value="1.25"),
        set_at("conduct", "quorum", value=3),
        set_at("training", "rounds", value=4),
        set_at("name", value="other"),
    ):
        wrong = lie.changed(entries, key, 5, lambda values, change=change: change(values["terms"]))
        found = failed(wrong)
        assert found["enrolments"] == 6
        assert "contracts" in found


def test_another_consortium_is_found(entries, key):
    """Its hash is in the terms, and in every head that the operator signs."""
    for name, value in (("name", "other"), ("currency", "USD"), ("unit", "0.1")):
        assert failed(lie.changed(entries, key, 0, set_at(name, value=value))) == {"order": 5}


def test_another_operator_is_found(entries):
    """Somebody else signs the whole ledger, first under the old name and then its own."""
    stranger = Key(bytes(32))
    assert failed(lie.rewritten(entries, stranger)) == {"signatures": 0}
    own = set_at("operator", value=stranger.public)
    assert failed(lie.changed(entries, stranger, 0, own)) == {"order": 5}


def test_a_replayed_attestation_is_found(entries, key):
    first = lie.body(entries[place_of(entries, "round", 0)])["attested"]["birch"]
    number = place_of(entries, "round", 1)
    wrong = lie.changed(entries, key, number, set_at("attested", "birch", value=first))
    assert failed(wrong)["rounds"] == number
    assert "another round" in next(v.says for v in verify(wrong) if v.name == "rounds")


def test_an_acknowledgement_that_is_no_answer_is_found(entries, key, house):
    entries = lie.before_witnesses(entries)
    number = place_of(entries, "acknowledged", 1)
    evidence = Evidence(**lie.body(entries[number])["said"])
    head = evidence.read_head()
    member = Key(bytes.fromhex((house.members["birch"] / "member.key").read_text()))
    text = canonical(head.dump() | {"content": {"agrees": "yes"}})
    signed = {"head": text.decode(), "signature": member.sign("message", text)}
    wrong = lie.changed(entries, key, number, set_at("said", value=signed))
    assert failed(wrong) == {"acknowledgements": number}


def test_messages_of_another_kind_are_found(entries, key):
    """What a member signed to agree is no attestation, and the other way round."""
    entries = lie.before_witnesses(entries)
    agreed = lie.body(entries[place_of(entries, "contract", 1)])["said"]
    acknowledged = place_of(entries, "acknowledged", 1)
    wrong = lie.changed(entries, key, acknowledged, set_at("said", value=agreed))
    assert failed(wrong) == {"acknowledgements": acknowledged}
    opened = lie.body(entries[place_of(entries, "nonces")])["opened"]["birch"]
    number = place_of(entries, "contract", 1)
    wrong = lie.changed(entries, key, number, set_at("said", value=opened))
    assert failed(wrong)["contracts"] == number


def test_an_enrolment_under_another_name_is_found(entries, key):
    for name in ("zelkova", "cedar"):
        wrong = lie.changed(entries, key, 6, set_at("member", value=name))
        assert failed(wrong)["order"] == 6


def test_a_key_that_the_operator_registers_for_a_member_is_found(entries, key):
    """Whoever enrolled signed with its own key, and says so in its enrolment."""
    other = Key(bytes(range(32)))
    wrong = lie.changed(entries, key, 1, set_at("key", value=other.public))
    assert failed(wrong) == {"order": 6}
    assert "an enrolment with another key" in next(v.says for v in verify(wrong) if not v.holds)


def test_an_enrolment_that_somebody_else_signed_is_found(entries, key):
    """Entered and enrolled with a key of the operator's own, but not by the member's word."""
    other = Key(bytes(range(32)))
    wrong = lie.changed(entries, key, 1, set_at("key", value=other.public))

    def with_that_key(values):
        head = json.loads(values["said"]["head"])
        head["content"]["key"] = other.public
        values["said"]["head"] = canonical(head).decode()

    assert failed(lie.changed(wrong, key, 6, with_that_key))["enrolments"] == 6


ROOT = "ab" * 32


def test_a_forged_root_or_signature_is_found_at_its_entry(entries, key):
    """Each entry's signature covers the root of all before it, and the consortium."""
    consortium = replay(entries).consortium.hash()
    for number in (0, 1, 7, len(entries) - 1):
        entry = entries[number]
        for signed in (
            LedgerHead.signed(key, consortium, number, entry.hash, ROOT),
            LedgerHead.signed(key, ROOT, number, entry.hash, root_at(entries, number)),
            LedgerHead.signed(
                Key(bytes(32)), consortium, number, entry.hash, root_at(entries, number)
            ),
        ):
            wrong = list(entries)
            wrong[number] = replace(entry, signature=signed.signature)
            assert failed(wrong) == {"signatures": number}
        right = LedgerHead.signed(key, consortium, number, entry.hash, root_at(entries, number))
        assert right.signature == entry.signature


def root_at(entries, number):
    tree = Tree()
    for entry in entries[: number + 1]:
        tree.add(entry.hash)
    return tree.root()


@pytest.mark.parametrize("hash_", ["", "x", "é" * 64, "AB" * 32, "ab" * 31, " " + "ab" * 31 + "a"])
def test_a_hash_that_is_none_is_a_finding_and_no_crash(entries, copy, hash_):
    with sqlite3.connect(copy) as raw:
        raw.execute("UPDATE fedfact_ledger SET hash = ? WHERE number = 7", (hash_,))
    raw.close()
    read, verdicts = verify_ledger(str(copy))
    assert len(read) == len(entries)
    assert {v.name: v.entry for v in verdicts if v.holds is False} == dict.fromkeys(
        ("chain", "signatures", "order"), 7
    )


def test_an_entry_moved_to_another_season_or_to_none_is_found(entries, key):
    for number, entry in enumerate(entries):
        for season in {0, 1, 2, -1, 2**40} - {entry.season}:
            wrong = list(entries)
            wrong[number] = replace(entry, season=season)
            assert failed(lie.rewritten(wrong, key))["order"] == number, season


def test_dropped_lines_and_deliveries_are_found(entries, key):
    settlement = place_of(entries, "settlement")
    for number in lie.numbers(entries, "line"):
        short = [entry for entry in entries[:29] if entry.number != number]
        found = failed(lie.rewritten(short, key))
        assert found["amounts"] == settlement
        assert found["balance"] == settlement
    for number in lie.numbers(entries, "delivery"):
        short = [entry for entry in entries[:24] if entry.number != number]
        assert failed(lie.rewritten(short, key)) == {"order": place_of(entries, "nonces") - 1}


def test_money_that_nobody_owes_because_nobody_is_said_to_have_delivered_is_found(entries, key):
    """All deliveries are left out, and so all lines; by itself that adds up."""
    nonces, settlement = place_of(entries, "nonces"), place_of(entries, "settlement")
    values = {"rule": "sandwich", "members": 0, "samples": 0, "surplus": 0, "void": "too few"}
    settled = lie.with_body(entries[settlement], values)
    first = place_of(entries, "delivery")
    wrong = lie.rewritten([*entries[:first], *entries[nonces : nonces + 2], settled], key)
    assert failed(wrong) == {"order": first}


def test_a_member_left_out_of_the_settlement_is_found(entries, key):
    """A settlement among the other three is right by itself, but one delivery is missing."""
    kept = [e for e in entries[:29] if not (e.kind in ("delivery", "line") and "elm" in e.body)]
    assert failed(lie.rewritten(kept, key)) == {"order": place_of(entries, "nonces") - 1}


def test_a_draw_that_was_tried_out_is_found_by_the_member_alone(entries, key, house):
    """The operator says that birch withheld its nonce, to get another draw: signed, and right by
    the rule. No auditor can tell; birch can, by what it kept."""
    record = replay(entries).season
    nonces, reveal = place_of(entries, "nonces"), place_of(entries, "reveal")
    wrong = list(entries[: nonces + 1])

    def withhold(values):
        values["opened"].pop("birch")
        values["withheld"].append("birch")

    wrong = lie.changed(wrong, key, nonces, withhold)
    assert failed(wrong) == {}
    assert "withheld by birch" in next(v.says for v in verify(wrong) if v.name == "seed")
    own = {
        v.name: v.holds for v in verify_copy(wrong, "birch", MemberFiles(house.members["birch"]))
    }
    assert own["own nonce"] is False
    assert own["own heads"] is False
    both = lie.changed(entries, key, nonces, withhold)
    assert failed(both)["seed"] == reveal
    opened = {
        member: evidence.read_head().content["nonce"]
        for member, evidence in record.nonces.opened.items()
        if member != "birch"
    }
    draw = draw_seed(
        bytes.fromhex(record.revealed.seed), opened | {"birch": record.contracts["birch"].nonce}
    )
    forged = lie.changed(both, key, reveal, set_at("draw", value=f"{draw:064x}"))
    assert "seed" not in failed(forged)


def copies(entries, house, member="birch"):
    return {v.name: v for v in verify_copy(entries, member, MemberFiles(house.members[member]))}


def test_a_members_copy_finds_a_rewritten_ledger(entries, key, house):
    entries = lie.before_witnesses(entries)
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="milliseconds")
    late = [replace(entry, time=later) for entry in entries[1:]]
    wrong = lie.rewritten([entries[0], *late], key)
    nonces = place_of(entries, "nonces")
    assert failed(wrong) == {"seed": nonces}  # with their nonces members signed another head
    assert failed(wrong[:nonces]) == {}
    found = copies(wrong[:nonces], house)["own heads"]
    assert found.holds is False
    assert found.entry == 5
    assert "is another than the member was shown" in found.says


def test_a_members_copy_finds_a_ledger_that_was_cut_off(entries, house):
    for end in (1, 6, 14, 18, 24, 28, 29, 32):
        found = copies(entries[:end], house)["own heads"]
        assert found.holds is False
        assert "the ledger was cut off" in found.says
    assert copies(entries[:33], house)["own heads"].holds


def test_a_members_copy_finds_another_contract(entries, key, house):
    wrong = lie.changed(entries, key, 11, set_at("contract", "fee", value=up))
    found = copies(wrong, house)
    assert found["own contract"].holds is False
    assert "another contract" in found["own contract"].says


def test_a_members_copy_finds_another_roster(entries, key, house):
    wrong = lie.changed(entries, key, place_of(entries, "roster"), set_at("contracts", value=turn))
    assert "another roster" in copies(wrong, house)["own nonce"].says


def test_a_members_copy_finds_other_amounts(entries, key, house):
    for change in (set_at("fee", value=up), both_postings, set_at("reward", value=up)):
        wrong = lie.changed(entries, key, place_of(entries, "line", 1), change)
        found = copies(wrong, house)["own statements"]
        assert found.holds is False
        assert "not what the member was told" in found.says
    dropped = [e for e in entries[:29] if e.number != place_of(entries, "line", 1)]
    assert copies(lie.rewritten(dropped, key), house)["own statements"].holds is False


def test_a_members_copy_tells_where_it_was_not_heard(entries, key, house):
    number = place_of(entries, "round", 1)
    late = lie.changed(entries[: place_of(entries, "delivery")], key, number, to_absent)
    assert failed(late) == {}
    found = copies(late, house)["own rounds"]
    assert (found.holds, found.says) == (
        False, "the member answered well in time, and is not counted: round 2",
    )  # fmt: skip
    assert found.contested


def test_a_copy_is_not_compared_with_a_ledger_out_of_order(entries, key, house):
    wrong = lie.rewritten([entries[0], *entries], key)
    (found,) = verify_copy(wrong, "birch", MemberFiles(house.members["birch"]))
    assert found.holds is None


def test_an_answer_that_is_not_in_the_ledger_is_contested_by_its_member(entries, key, house):
    """Cut off behind what members saw last, or with a dispute dropped: sound by itself."""
    entries = lie.before_witnesses(entries)
    dropped = [entry for entry in entries if entry.number != place_of(entries, "acknowledged", 1)]
    for wrong in (lie.rewritten(dropped, key), entries[: place_of(entries, "acknowledged")]):
        assert failed(wrong) == {}
        found = copies(wrong, house)["own answers"]
        assert (found.holds, found.contested) == (False, True)
        assert "the member agreed, which is not in the ledger" in found.says
    assert copies(lie.rewritten(dropped, key), house, "cedar")["own answers"].holds


def test_a_members_copy_finds_that_its_settlement_is_not_there(entries, house):
    found = copies(entries[: place_of(entries, "settlement")], house)["own statements"]
    assert found.holds is False
    assert found.says == "the member was told of settlement 24: not there"


def test_a_copy_needs_no_secret_and_draws_none(entries, own):
    secrets = ("season-1/nonce.secret", "season-1/salt.secret")
    for name in ("member.key", "member.toml", *secrets):
        (own / name).unlink()
    before = sorted(own.rglob("*"))
    assert all(verdict.holds for verdict in verify_copy(entries, "birch", MemberFiles(own)))
    assert sorted(own.rglob("*")) == before


@pytest.mark.parametrize("member", ["zelkova", "operator", ""])
def test_a_copy_of_another_member_does_not_fit(entries, house, member):
    found = verify_copy(entries, member, MemberFiles(house.members["birch"]))
    assert any(verdict.holds is False for verdict in found)


@pytest.fixture
def own(house, tmp_path):
    """A copy of what birch keeps."""
    shutil.copytree(house.members["birch"], tmp_path / "birch")
    return tmp_path / "birch"


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("heads.jsonl", "own heads"),
        ("season-1/contract.json", "own contract"),
        ("season-1/opened.json", "own nonce"),
        ("season-1/training.bin", "own rounds"),
        ("season-1/statements/settlement-*.json", "own statements"),
        ("season-1/statements/answer-*.json", "own answers"),
    ],
)
def test_a_damaged_copy_is_a_finding_and_no_crash(entries, own, name, check):
    (path,) = own.glob(name)
    data, draw = path.read_bytes(), random.Random(8)
    for place in [0, 1, len(data) - 2, *draw.sample(range(len(data) - 1), 40)]:
        wrong = bytearray(data)
        wrong[place] ^= 1 << draw.randrange(8)
        path.write_bytes(wrong)
        found = {v.name: v for v in verify_copy(entries, "birch", MemberFiles(own))}
        assert found[check].holds is False, (place, found)
    for wrong in (b"null\n", b"[]\n", b"\xff\n", b'{"number":"a","entry":1}\n', data[:40] + b"\n"):
        path.write_bytes(wrong)
        found = {v.name: v for v in verify_copy(entries, "birch", MemberFiles(own))}
        assert found[check].holds is False


def test_a_head_that_a_crash_cut_short_is_left_out_and_mended(entries, own):
    path = own / "heads.jsonl"
    heads = MemberFiles(own).heads()
    path.write_bytes(path.read_bytes() + b'{"entry":"0123')
    files = MemberFiles(own)
    assert files.heads() == heads
    newest = replay(entries).head
    files.see_head(newest)
    files.see_head(newest)
    assert MemberFiles(own).heads() == [*heads, newest]
    assert copies_at(entries, own)["own heads"].says == f"{len(heads) + 1} heads"


def copies_at(entries, place):
    return {verdict.name: verdict for verdict in verify_copy(entries, "birch", MemberFiles(place))}


def test_a_head_with_another_root_or_that_nobody_signed_is_a_finding(entries, key, own):
    """An operator that shows members a root of another tree could prove anything to them."""
    last = MemberFiles(own).heads()[-1]
    consortium = replay(entries).consortium.hash()
    other = LedgerHead.signed(key, consortium, last.number, last.entry, ROOT)
    lines = (own / "heads.jsonl").read_bytes()
    (own / "heads.jsonl").write_bytes(lines + other.encoded() + b"\n")
    found = copies_at(entries, own)["own heads"]
    assert (found.holds, found.entry) == (False, last.number)
    unsigned = other.model_copy(update={"root": last.root})
    (own / "heads.jsonl").write_bytes(lines + unsigned.encoded() + b"\n")
    found = copies_at(entries, own)["own heads"]
    assert found.holds is False
    assert "a head that the operator did not sign" in found.says


def test_a_second_statement_of_one_settlement_is_refused(own):
    files = MemberFiles(own)
    (told,) = files.statements()
    answer = files.answer(told.settlement)
    files.keep_statement(told, answer, b"")
    line = Line(**told.line.model_dump() | {"fee": told.line.fee - 1})
    with pytest.raises(FedfactError, match="another statement of settlement"):
        files.keep_statement(told.model_copy(update={"line": line}), answer, b"")
    assert files.statements() == [told]


def test_an_acknowledgement_of_another_statement_is_told(entries, key, house):
    """Nobody is told anything but what follows from the ledger."""
    entries = lie.before_witnesses(entries)
    number = place_of(entries, "acknowledged", 1)
    evidence = Evidence(**lie.body(entries[number])["said"])
    head = evidence.read_head()
    member = Key(bytes.fromhex((house.members["birch"] / "member.key").read_text()))
    content = head.content | {"statement": turn(head.content["statement"])}
    text = canonical(head.dump() | {"content": content})
    signed = {"head": text.decode(), "signature": member.sign("message", text)}
    wrong = lie.changed(entries, key, number, set_at("said", value=signed))
    assert failed(wrong) == {"acknowledgements": number}
    says = {verdict.name: verdict.says for verdict in verify(wrong)}
    assert "birch was told something else" in says["acknowledgements"]


@pytest.mark.parametrize("share", [60, pytest.param(600, marks=pytest.mark.thorough)])
def test_a_dishonest_operator_never_makes_it_crash(entries, key, share):
    """Any value of any entry made another, all signed anew: a verdict each, and never all good."""
    draw, harmless = random.Random(share), 0
    wild = [None, True, -1, 0, 10**12, 2**63 - 1, "", "0" * 64, "1e+99", "elm", [], {}, "left"]

    def leaves(value, path=()):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in inside:
            yield (*path, step)
            if isinstance(inner, dict | list):
                yield from leaves(inner, (*path, step))

    for _ in range(share):
        number = draw.randrange(len(entries))
        path = draw.choice(list(leaves(lie.body(entries[number]))))
        wrong = lie.changed(entries, key, number, set_at(*path, value=draw.choice(wild)))
        if wrong != entries:
            harmless += not failed(wrong)
    assert harmless <= share // 20  # such as why somebody was absent
