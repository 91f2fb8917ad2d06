"""Proofs in files, heads from many members, and heads that third parties signed."""

import json
import shutil
from dataclasses import replace

import pytest

from fedfact.errors import FedfactError, InputError
from fedfact.federation.audit.heads import compare_heads, heads_in
from fedfact.federation.audit.proofs import compare_with_own, heads_of, verify_proof
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.export import export
from fedfact.federation.ledger.proof_files import (
    GrowthProof,
    MemberProof,
    head_at,
    prove_growth,
    prove_member,
)
from fedfact.federation.ledger.state import replay
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.run import cosigned
from fedfact.federation.wire.canonical import canonical
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.ledger_head import Cosigned, LedgerHead

from .. import dishonest as lie

STRANGER = Key(bytes([9]) * 32)


@pytest.fixture(scope="module")
def house(finished):
    return finished.rebate


@pytest.fixture(scope="module")
def entries(house):
    return house.entries()


@pytest.fixture(scope="module")
def other(house, entries):
    """A second ledger by the same operator: what members were shown was not so."""
    number = lie.numbers(entries, "round")[0]
    key = lie.operator_key(house)
    return lie.changed(entries, key, number, lambda body: body.update(model=body["start"]))


def holds(proof):
    return [each.holds for each in verify_proof(proof)]


def with_own(proof, house, member):
    files = MemberFiles(house.members[member])
    terms = files.published()
    return compare_with_own(proof, terms.operator, terms.consortium, files.heads())


def test_a_members_proof_has_its_own_entries_and_nobody_elses(house, entries):
    proof = prove_member(entries, "birch")
    assert holds(proof) == [True, True]
    kinds = [each.entry["kind"] for each in proof.shown]
    assert kinds == [
        *("consortium", "member", "enrolment", "contract", "delivery", "line"),
        *("acknowledged", "witnessed"),
    ]
    text = proof.encoded().decode()
    assert not [name for name in house.members if name != "birch" and name in text]
    longest = max(len(each.path) for each in proof.shown)
    assert longest <= 6  # of some 40 entries: 32 bytes each
    last = lie.numbers(entries, "acknowledged")[-1]
    assert with_own(proof, house, "birch").says == (
        f"what the member was shown as far as entry {last} is in this ledger"
    )
    with pytest.raises(InputError, match=r"zelkova is no member of this ledger; its members are"):
        prove_member(entries, "zelkova")


def test_a_proof_of_growth_is_about_two_heads(house, entries):
    proof = prove_growth(entries, 12)
    assert holds(proof) == [True, True]
    assert [head.number for head in heads_of(proof)] == [12, len(entries) - 1]
    more = len(entries) - 13
    assert verify_proof(proof)[1].says == f"{more} entries were added, and none was changed"
    found = with_own(proof, house, "birch")  # birch has seen later ones than entry 12
    assert found.holds is None
    last = max(head.number for head in MemberFiles(house.members["birch"]).heads())
    assert found.says.endswith(f"ask for a proof --since {last} as well")
    assert with_own(prove_growth(entries, last), house, "birch").holds
    with pytest.raises(InputError, match="there is no entry 99"):
        prove_growth(entries, 99)


def test_a_forged_proof_does_not_hold(house, entries, other):
    proof = prove_member(entries, "birch").dump()
    line = next(k for k, each in enumerate(proof["shown"]) if each["entry"]["kind"] == "line")

    def forged(change):
        document = json.loads(json.dumps(proof))
        change(document)
        return MemberProof.take(document)

    def body(document):
        entry = document["shown"][line]["entry"]
        values = json.loads(entry["body"])
        entry["body"] = canonical(values | {"net": values["net"] + 1}).decode()

    def body_and_hash(document):
        body(document)
        entry = document["shown"][line]["entry"]
        entry["hash"] = replace(entries[0], **entry).own_hash()

    def path(document):
        document["shown"][line]["path"].pop()

    def number(document):
        document["shown"][line]["entry"]["number"] += 1

    def nonsense(document):
        document["shown"][line]["entry"] = {"kind": "line"}

    for change in (body, body_and_hash, path, number, nonsense):
        assert holds(forged(change)) == [True, False], change

    def head(document):
        document["head"]["root"] = "0" * 64

    def operator(document):
        document["consortium"]["operator"] = STRANGER.public

    assert holds(forged(head)) == [False, False]
    assert holds(forged(operator)) == [False, True]
    grown = prove_growth(entries, 12).dump()
    fork = head_at(other, len(other) - 1).dump()
    assert holds(GrowthProof.take(grown | {"earlier": fork})) == [True, False]
    grown["grew"]["path"] = grown["grew"]["path"][::-1]
    assert holds(GrowthProof.take(grown)) == [True, False]


def test_a_proof_from_a_second_ledger_is_found_by_the_heads_that_a_member_kept(house, other):
    last = max(head.number for head in MemberFiles(house.members["elm"]).heads())
    for fork in (prove_growth(other, last), prove_member(other, "elm")):
        assert holds(fork) == [True, True]  # by itself it is as good as any
        found = with_own(fork, house, "elm")
        assert found.holds is False
        assert "the operator signed both" in found.says
    unsigned = [entry for entry in other if entry.kind != "witnessed"]
    assert with_own(prove_member(unsigned[:-1], "elm"), house, "elm").holds is None


def test_a_proof_of_another_consortium_is_not_the_members(house, finished):
    proof = prove_member(finished.shared.entries(), "birch")
    found = with_own(proof, house, "birch")
    assert found.says == "the proof is of another consortium than the member's"


def test_two_signed_heads_that_contradict_each_other_prove_two_ledgers(house, entries, other):
    consortium = replay(entries[:1]).consortium
    last = len(other) - 1
    fork = head_at(other, last)
    own = MemberFiles(house.members["elm"]).heads()
    verdict, found = compare_heads({"elm": own, "oak": [fork]}, consortium, entries)
    assert (verdict.holds, verdict.entry) == (False, last)
    (pair,) = found
    assert pair.sources == ("the ledger", "oak")
    assert pair.other == fork
    assert pair.one == head_at(entries, last)
    for head in (pair.one, pair.other):
        assert head.is_by(consortium.operator, consortium.hash())  # what makes it a proof
    short = entries[: last - 8]
    verdict, found = compare_heads({"a": [head_at(entries, last)], "b": [fork]}, consortium, short)
    assert [pair.sources for pair in found] == [("a", "b")]
    verdict, found = compare_heads({"elm": own}, consortium, entries)
    assert (verdict.holds, found) == (True, [])
    verdict, found = compare_heads({"elm": own}, consortium, short)
    assert "the ledger was cut off" in verdict.says
    forged = LedgerHead.signed(STRANGER, consortium.hash(), 3, "0" * 64, "0" * 64)
    verdict, found = compare_heads({"elm": own, "oak": [forged]}, consortium, entries)
    assert (verdict.holds, found) == (None, [])  # anybody can write such a head
    assert "oak has heads the operator did not sign" in verdict.says


@pytest.fixture
def own(house, tmp_path):
    """A copy of a finished house."""
    shutil.copytree(house.root, tmp_path / "house")
    twin = type(house).__new__(type(house))
    twin.root, twin.directory = tmp_path / "house", tmp_path / "house/operator"
    twin.members = {name: twin.root / name for name in house.members}
    return twin


def test_a_third_party_signs_a_head_and_the_operator_enters_it(own):
    state = own.state()
    named = state.consortium.hash()
    signed = Cosigned.signed(STRANGER, named, state.head)
    cosigned(own.directory, signed)
    entries = own.entries()
    number = state.head.number
    says = {each.name: each for each in verify(entries)}["witnesses"].says
    assert says.endswith(f"; co-signed by key {STRANGER.public[:16]} up to entry {number}")
    head = state.head
    other = LedgerHead.signed(lie.operator_key(own), named, number, "1" * 64, head.root)
    for wrong, why in (
        (signed, "before the last one that was signed by this key"),
        (signed.model_copy(update={"key": lie.operator_key(own).public}), "not signed by that key"),
        (Cosigned.signed(STRANGER, "0" * 64, head), "or is of another consortium"),
        (Cosigned.signed(Key(bytes(32)), named, other), "is of another ledger than this"),
        (Cosigned.signed(lie.operator_key(own), named, head), "that the operator signed twice"),
    ):
        with pytest.raises(FedfactError, match=why):
            cosigned(own.directory, wrong)
    assert own.entries() == entries
    forged = Cosigned.signed(Key(bytes(32)), named, other).dump()
    wrong = lie.changed(entries, lie.operator_key(own), len(entries) - 1, lambda body: forged)
    found = {each.name: each for each in verify(wrong)}["witnesses"]
    assert (found.holds, found.entry) == (False, len(entries) - 1)


def test_proofs_heads_and_signatures_as_commands(own, fedfact, tmp_path):
    ledger = tmp_path / "ledger.jsonl"
    ledger.write_bytes(export(own.entries()))
    proof, growth, signed = (tmp_path / f"{name}.json" for name in ("proof", "growth", "signed"))
    assert fedfact("ledger", "prove", ledger, "--member", "elm", "-o", proof).code == 0
    assert fedfact("ledger", "prove", ledger, "--since", 5, "-o", growth).code == 0
    assert fedfact("ledger", "prove", ledger, "-o", growth).code == 2
    for file in (proof, growth):
        run = fedfact("verify", file, "--member", own.members["elm"], "--json")
        said = json.loads(run.out)
        assert (run.code, said["sound"]) == (0, True)
        own_heads = True if file == proof else None  # of a head before the last that it was shown
        assert [each["holds"] for each in said["checks"]] == [True, True, own_heads]
        assert fedfact("verify", file).out.endswith("The proof is sound.\n")
    renamed = proof.read_bytes().replace(b'"member":"elm","shown"', b'"member":"fir","shown"')
    proof.write_bytes(renamed)
    run = fedfact("verify", proof)
    assert run.code == 3
    assert "is not of fir, whose proof this is to be" in run.out
    proof.write_text("{}")
    assert "is no proof" in fedfact("verify", proof).err
    heads = ",".join(str(own.members[name] / "heads.jsonl") for name in ("elm", "birch"))
    run = fedfact("verify", ledger, "--heads", heads)
    assert run.code == 0
    assert "all of this ledger" in run.out
    key = tmp_path / "third.key"
    assert fedfact("ledger", "cosign", ledger, "--key", key, "-o", signed).code == 0
    assert fedfact("federation", "cosigned", own.directory, signed).code == 0
    assert "co-signed by key" in fedfact("verify", own.directory).out


def test_two_ledgers_are_told_by_the_command(own, other, fedfact, tmp_path):
    fork = tmp_path / "heads.jsonl"
    fork.write_bytes(head_at(other, len(other) - 1).encoded() + b"\n")
    assert heads_in(fork) == [head_at(other, len(other) - 1)]
    run = fedfact("verify", own.directory, "--heads", fork, "--json")
    (pair,) = json.loads(run.out)["contradictions"]
    assert run.code == 3
    assert [each["from"] for each in pair["heads"]] == ["the ledger", str(fork)]
    run = fedfact("verify", own.directory, "--heads", fork)
    assert "These two heads contradict each other, and the operator signed both" in run.out
    fork.write_text("nonsense\n")
    assert fedfact("verify", own.directory, "--heads", fork).code == 2
