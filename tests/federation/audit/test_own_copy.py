"""A member's own copies against the ledger: what it can show, and what it cannot deny."""

import shutil

import pytest

from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import is_sound
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure

from ..lost_answers import contested, dropping


def test_replies_thrown_away_by_the_operator_are_disputed_and_found(make_house, wired):
    house = make_house(agents=4, rounds=6)
    record = house.run(wired(house, after=dropping({4, 5, 6})))
    assert record.deliveries["alder"].left
    said = record.acknowledged["alder"].said.read_head().content
    assert said["why"] == ["I answered in time until round 6, not 3"]
    assert contested(house, "alder") == ["own rounds"]


def test_nonces_that_were_never_asked_for_are_found_by_their_agents(make_house, wired):
    house = make_house(agents=4, rule="sandwich", rounds=2)

    def before(agent, kind, request):
        return Failure("unreachable") if (agent, kind) == ("cedar", "open") else request

    record = house.run(wired(house, before))
    assert record.nonces.withheld == ["cedar"]
    assert contested(house, "cedar") == ["own nonce"]
    assert contested(house, "birch") == []


def test_an_agent_that_left_cannot_deny_it(make_house, wired, sound):
    house = make_house(agents=4, rounds=4)

    def before(agent, kind, request):
        if (agent, kind) == ("birch", "round"):
            asked = read_message(request, 1 << 20).head.content["round"]
            if asked == 3:
                (house.agents["birch"] / "leave").touch()
        return request

    house.run(wired(house, before))
    (house.agents["birch"] / "leave").unlink()
    record = sound(house)
    assert record.gone == {"birch"}
    assert [entry.kind for entry in house.entries()].count("leaves") == 1
    assert contested(house, "birch") == []


def test_who_declined_is_not_told_that_it_withheld_a_nonce(make_house):
    house = make_house(agents=4, rule="sandwich", rounds=2)
    house.configure("elm", data="digits:3/4", true_cost=1.5, most_fee=1)
    assert "elm" in house.run().declined
    assert contested(house, "elm") == []


@pytest.mark.parametrize(
    ("lost", "check"),
    [
        ("opened.json", "own nonce"),
        ("heads.jsonl", "own heads"),
        ("training.bin", "own rounds"),
        ("statements/settlement-*.json", "own statements"),
        ("statements/answer-*.json", "own answers"),
    ],
)
@pytest.mark.parametrize("rule", ["rebate", "sandwich"])
def test_a_copy_that_is_gone_accuses_nobody_and_ticks_nothing(
    finished, tmp_path, rule, lost, check
):
    house = getattr(finished, rule)
    own = tmp_path / "birch"
    shutil.copytree(house.agents["birch"], own)
    next(own.glob(lost)).unlink()
    found = {each.name: each for each in verify_copy(house.entries(), "birch", MemberFiles(own))}
    assert found.pop(check).holds is None
    assert all(each.holds for each in found.values()), found
    assert is_sound([*found.values()])


def test_heads_that_are_empty_are_not_ticked(finished, tmp_path):
    shutil.copytree(finished.rebate.agents["birch"], tmp_path / "birch")
    (tmp_path / "birch" / "heads.jsonl").write_bytes(b"")
    copy = verify_copy(finished.rebate.entries(), "birch", MemberFiles(tmp_path / "birch"))
    assert [(each.holds, each.says.partition(":")[0]) for each in copy if each.holds is None] == [
        (None, "not checked")
    ]
