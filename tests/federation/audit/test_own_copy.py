"""A member's own copies against the ledger: what it can show, and what it cannot deny."""

import os
import shutil
import tracemalloc

import pytest

from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import is_sound
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure

from ..lost_answers import contested, dropping


def test_replies_thrown_away_by_the_operator_are_disputed_and_found(make_house, wired):
    house = make_house(members=4, rounds=6)
    record = house.run(wired(house, after=dropping({4, 5, 6})))
    assert record.deliveries["alder"].left
    said = record.acknowledged["alder"].said.read_head().content
    assert said["why"] == ["I answered in time until round 6, not 3"]
    assert contested(house, "alder") == ["own rounds"]


def test_nonces_that_were_never_asked_for_are_found_by_their_members(make_house, wired):
    house = make_house(members=4, rule="sandwich", rounds=2)

    def before(member, kind, request):
        return Failure("unreachable") if (member, kind) == ("cedar", "open") else request

    record = house.run(wired(house, before))
    assert record.nonces.withheld == ["cedar"]
    assert contested(house, "cedar") == ["own nonce"]
    assert contested(house, "birch") == []


def test_a_member_that_left_cannot_deny_it(make_house, wired, sound):
    house = make_house(members=4, rounds=4)

    def before(member, kind, request):
        if (member, kind) == ("birch", "round"):
            asked = read_message(request, 1 << 20).head.content["round"]
            if asked == 3:
                (house.members["birch"] / "season-1/leave").touch()
        return request

    house.run(wired(house, before))
    (house.members["birch"] / "season-1/leave").unlink()
    record = sound(house)
    assert record.gone == {"birch"}
    assert [entry.kind for entry in house.entries()].count("leaves") == 1
    assert contested(house, "birch") == []


def test_who_declined_is_not_told_that_it_withheld_a_nonce(make_house):
    house = make_house(members=4, rule="sandwich", rounds=2)
    house.configure("elm", data="digits:3/4", true_cost=1.5, most_fee=1)
    assert "elm" in house.run().declined
    assert contested(house, "elm") == []


def test_evidence_whose_links_lead_elsewhere_is_refused(finished, tmp_path, fedfact):
    """`verify --member` opens what is in the directory that it was given, and nothing besides."""
    house, secret = finished.rebate, tmp_path / "secret"
    secret.write_text("of the auditor's own")
    kept = ("contract.json", "training.bin", "statements")
    for name in ("heads.jsonl", *(f"season-1/{each}" for each in kept)):
        evidence = tmp_path / f"with {name.replace('/', ' ')}"
        shutil.copytree(house.members["birch"], evidence)
        target = evidence / name
        if target.is_dir():
            shutil.rmtree(target)
            target.symlink_to(house.members["alder"] / "season-1/statements")
        else:
            target.unlink()
            target.symlink_to(secret)
        run = fedfact("verify", house.directory / "ledger.db", "--member", evidence)
        assert "leads out of" in run.out + run.err
        assert run.code in (2, 3)


def test_a_config_that_leads_elsewhere_is_not_read_for_the_name(finished, tmp_path, fedfact):
    house, evidence = finished.rebate, tmp_path / "evidence"
    shutil.copytree(house.members["birch"], evidence)
    (evidence / "season-1/contract.json").unlink()
    (evidence / "member.toml").unlink()
    (tmp_path / "secret.toml").write_text("of_the_auditors_own = 1\n")
    (evidence / "member.toml").symlink_to(tmp_path / "secret.toml")
    run = fedfact("verify", house.directory / "ledger.db", "--member", evidence)
    assert run.code == 2
    assert "member.toml: leads out of" in run.err


def test_evidence_that_is_a_pipe_blocks_nobody(finished, tmp_path, fedfact):
    house, evidence = finished.rebate, tmp_path / "evidence"
    shutil.copytree(house.members["birch"], evidence)
    (evidence / "season-1/contract.json").unlink()
    os.mkfifo(evidence / "season-1/contract.json")
    run = fedfact("verify", house.directory / "ledger.db", "--member", evidence)
    assert run.code == 2
    assert "contract.json: is no plain file" in run.err


@pytest.mark.parametrize(
    "name",
    [
        "heads.jsonl",
        *(f"season-1/{name}" for name in ("contract.json", "opened.json")),
        "season-1/statements/settlement-*.json",
    ],
)
def test_evidence_that_is_absurdly_large_is_refused_before_it_is_read(finished, tmp_path, name):
    """A file of holes: it takes no room on a disk, and would take all of it in memory."""
    house, evidence = finished.rebate, tmp_path / "evidence"
    shutil.copytree(house.members["birch"], evidence)
    path = next(evidence.glob(name))
    os.truncate(path, 200 << 20)
    tracemalloc.start()
    try:
        verdicts = verify_copy(house.entries(), "birch", MemberFiles(evidence))
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [each.says for each in verdicts if "209,715,200 bytes; give" in each.says], verdicts
    assert taken < 100 << 20


def test_verify_changes_no_byte_of_its_evidence(finished, tmp_path, fedfact):
    house = finished.rebate
    shutil.copytree(house.root, tmp_path / "house")
    before = seen(tmp_path)
    run = fedfact("verify", tmp_path / "house/operator", "--member", tmp_path / "house/birch")
    assert run.code == 0
    assert seen(tmp_path) == before


def seen(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(
    ("lost", "check"),
    [
        ("season-1/opened.json", "own nonce"),
        ("heads.jsonl", "own heads"),
        ("season-1/training.bin", "own rounds"),
        ("season-1/statements/settlement-*.json", "own statements"),
        ("season-1/statements/answer-*.json", "own answers"),
    ],
)
@pytest.mark.parametrize("rule", ["rebate", "sandwich", "sized"])
def test_a_copy_that_is_gone_accuses_nobody_and_ticks_nothing(
    finished, tmp_path, rule, lost, check
):
    house = getattr(finished, rule)
    own = tmp_path / "birch"
    shutil.copytree(house.members["birch"], own)
    next(own.glob(lost)).unlink()
    found = {each.name: each for each in verify_copy(house.entries(), "birch", MemberFiles(own))}
    assert found.pop(check).holds is None
    assert all(each.holds for each in found.values()), found
    assert is_sound([*found.values()])


def test_heads_that_are_empty_are_not_ticked(finished, tmp_path):
    shutil.copytree(finished.rebate.members["birch"], tmp_path / "birch")
    (tmp_path / "birch" / "heads.jsonl").write_bytes(b"")
    copy = verify_copy(finished.rebate.entries(), "birch", MemberFiles(tmp_path / "birch"))
    assert [(each.holds, each.says.partition(":")[0]) for each in copy if each.holds is None] == [
        (None, "not checked")
    ]
