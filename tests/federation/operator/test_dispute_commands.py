"""A dispute from the member's answer to the arbiter's decision, as commands."""

import json

import pytest

from fedfact.errors import InputError
from fedfact.federation.operator.founding import check_new, create
from fedfact.federation.wire.keys import Key, read_secret

from ..lost_answers import dropping


@pytest.fixture
def arbiter(fedfact, tmp_path):
    """An arbiter's key, and its public part."""
    key = tmp_path / "arbiter.key"
    said = json.loads(fedfact("federation", "arbiter-key", key, "--json").out)
    assert said == {"arbiter": Key(read_secret(key)).public}
    again = fedfact("federation", "arbiter-key", key)
    assert again.out == f'arbiter = "{said["arbiter"]}"\n'
    return key, said["arbiter"]


def test_a_dispute_as_commands(arbiter, make_house, wired, fedfact, tmp_path):
    key, public = arbiter
    house = make_house(members=4, rounds=6, arbiter=public)
    house.run(wired(house, after=dropping({4, 5, 6})))
    ledger, decision = tmp_path / "ledger.jsonl", tmp_path / "decision.json"
    out = fedfact("federation", "status", house.directory).out
    assert "alder disputes its statement (I answered in time until round 6, not 3)" in out
    assert ": answer by 20" in out
    run = fedfact("federation", "dispute", "answer", house.directory, "alder", "--says", "too late")
    assert run.code == 0
    assert (
        "answered, to be decided by the arbiter"
        in fedfact("federation", "status", house.directory).out
    )
    house.run()
    assert fedfact("ledger", "export", house.directory, "-o", ledger).code == 0
    words = ["federation", "dispute", "decide", ledger, "alder", "--key", key, "-o", decision]
    words += ["--outcome", "reversed", "--says", "they came in time"]
    for wrong, says in (
        ("alder", "'alder' gives no counts; write MEMBER=SAMPLES:ROUNDS:LAST"),
        ("alder=1:2", "gives no counts"),
        ("alder=1:2:x", "gives no counts"),
        ("alder=1:1:1,alder=2:2:2", "'alder' has counts twice"),
        ("alder=0:1:1", "not a valid counts: delivered"),
        ("alder=101:6:6", "alder cannot have delivered 101 samples"),
    ):
        run = fedfact(*words, "--corrected", wrong)
        assert (run.code, says in run.err) == (2, True), run.err
        assert not decision.exists()
    assert fedfact(*words, "--corrected", "alder=100:6:6").code == 0
    enter = ["federation", "dispute", "enter", house.directory, decision]
    assert fedfact(*enter).code == 0
    out = fedfact("federation", "status", house.directory).out
    assert "settlement reversed" in out
    run = fedfact(*enter)
    assert run.code == 2
    assert "and none stands now" in run.err
    record = house.run()
    assert (record.phase, record.deliveries["alder"].attended) == ("finished", 6)
    assert "disputes" in fedfact("verify", house.directory).out
    decision.write_text("{}")
    assert "ask the arbiter for it again" in fedfact(*enter).err


def test_nobody_decides_about_its_own_work_or_money(make_house, tmp_path, fedfact):
    house = make_house(members=4)
    own = Key(read_secret(house.members["alder"] / "member.key")).public
    terms = tmp_path / "terms.toml"
    terms.write_text((house.root / "terms.toml").read_text() + f'[disputes]\narbiter = "{own}"\n')
    offered = check_new(terms, list(house.members))
    assert offered.disputes.arbiter == own
    keys = {name: house.state().members[name] for name in house.members}
    with pytest.raises(InputError, match="the arbiter has the key of alder"):
        create(tmp_path / "new", terms, keys)
    operator = Key(read_secret(house.directory / "operator.key")).public
    terms.write_text(terms.read_text().replace(own, operator))
    new = tmp_path / "other"
    new.mkdir()
    (new / "operator.key").write_text((house.directory / "operator.key").read_text())
    (new / "operator.key").chmod(0o600)
    with pytest.raises(InputError, match="the arbiter has the operator's key"):
        create(new, terms, keys)
    terms.write_text(terms.read_text().replace(operator, "abc"))
    with pytest.raises(InputError, match=r"not a valid arbitration: arbiter"):
        check_new(terms, list(house.members))
