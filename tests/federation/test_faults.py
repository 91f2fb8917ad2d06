"""Members that misbehave, operators that err: nobody else suffers, the ledger stays sound."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from fedfact import InputError
from fedfact.federation.agreement.statement_message import StatementMessage
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.season import SeasonState
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.review import objections
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.run import run
from fedfact.federation.operator.session import Session
from fedfact.federation.operator.settle import reverse
from fedfact.federation.wire.message import read_message, write_message
from fedfact.federation.wire.transport import Failure, InProcess


def head(data):
    return read_message(data, len(data)).head


def body(data):
    return read_message(data, len(data)).body


def said_otherwise(key, reply, changes=None, weights=None, **parts):
    """The reply with other words or another body, signed by who sends it."""
    said = head(reply)
    fields = {"federation": said.federation, "kind": said.kind, "sender": said.sender}
    return write_message(
        key,
        **fields | {"to": said.to, "answers": said.answers} | parts,
        content=said.content | (changes or {}),
        body=body(reply) if weights is None else weights,
    )


def spoilt(weights, value):
    numbers = np.frombuffer(weights, "<f4").copy()
    numbers[7] = value
    return numbers.tobytes()


class Rogue:
    """What a member could send in round 2 in place of its honest reply; it has the others' too."""

    def __init__(self, key, seen):
        self.key, self.seen = key, seen

    def nan_weights(self, reply):
        return said_otherwise(self.key, reply, weights=spoilt(body(reply), np.nan))

    def infinite_weights(self, reply):
        return said_otherwise(self.key, reply, weights=spoilt(body(reply), -np.inf))

    def short_weights(self, reply):
        return said_otherwise(self.key, reply, weights=body(reply)[:-4])

    def long_weights(self, reply):
        return said_otherwise(self.key, reply, weights=body(reply) + bytes(4))

    def no_weights(self, reply):
        return said_otherwise(self.key, reply, weights=b"")

    def more_samples_than_agreed(self, reply):
        return said_otherwise(self.key, reply, {"samples": 142, "used": 142})

    def more_used_than_it_has(self, reply):
        return said_otherwise(self.key, reply, {"samples": 100, "used": 101})

    def fewer_used_than_before(self, reply):
        return said_otherwise(self.key, reply, {"used": 63})

    def other_samples_than_before(self, reply):
        return said_otherwise(self.key, reply, {"used": 64, "index": "00" * 32})

    def another_round(self, reply):
        return said_otherwise(self.key, reply, {"round": 3})

    def another_start(self, reply):
        return said_otherwise(self.key, reply, {"start": "00" * 32})

    def fewer_steps(self, reply):
        return said_otherwise(self.key, reply, {"steps": 1})

    def no_samples(self, reply):
        return said_otherwise(self.key, reply, {"used": 0})

    def more_words(self, reply):
        return said_otherwise(self.key, reply, {"cost": 3})

    def anothers_reply(self, reply):
        return self.seen["alder", 2]

    def anothers_attestation(self, reply):
        return said_otherwise(self.key, self.seen["alder", 2], sender="birch")

    def its_reply_of_the_round_before(self, reply):
        return self.seen["birch", 1]

    def another_name(self, reply):
        return said_otherwise(self.key, reply, sender="alder")

    def another_kind(self, reply):
        return said_otherwise(self.key, reply, kind="agree")

    def no_question(self, reply):
        return said_otherwise(self.key, reply, answers=None)

    def unsigned(self, reply):
        length = int.from_bytes(reply[:4], "big")
        return reply[: 4 + length] + bytes(64) + reply[4 + length + 64 :]

    def a_changed_body(self, reply):
        return reply[:-1] + bytes([reply[-1] ^ 1])

    def cut_short(self, reply):
        return reply[:50]

    def nothing(self, reply):
        return b""

    def noise(self, reply):
        return bytes(range(256)) * 40

    def deep_json(self, reply):
        text = b"[" * 100_000
        return len(text).to_bytes(4, "big") + text + bytes(64)


@pytest.mark.parametrize("what", [name for name in vars(Rogue) if not name.startswith("_")])
def test_a_reply_that_is_wrong_counts_as_none(make_house, wired, sound, what):
    house, seen = make_house(members=4), {}
    rogue = Rogue(MemberFiles(house.members["birch"]).key, seen)

    def after(member, kind, reply):
        if kind == "round" and isinstance(reply, bytes):
            number = head(reply).content["round"]
            seen[member, number] = reply
            if (member, number) == ("birch", 2):
                return getattr(rogue, what)(reply)
        return reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert [done.absent for done in record.rounds] == [{}, {"birch": "error"}, {}]
    assert record.deliveries["birch"].dump() == {
        "member": "birch", "promised": 141, "delivered": 141, "counted": 141, "attended": 2,
        "asked": 3, "billed": 94, "last_round": 3, "left": False,
    }  # fmt: skip
    assert sorted(record.lines) == ["alder", "birch", "cedar", "elm"]


def test_replies_of_others_and_of_before_are_worth_nothing_anywhere(make_house, wired, sound):
    """Every reply but the first of each member is replaced by one that was true once."""
    house, old = make_house(members=5, rounds=2), {}

    def after(member, kind, reply):
        if kind == "shown":  # comes before all others
            return reply
        if member == "elm":
            old.setdefault("elm", reply)
            return old["elm"]
        if member == "fir":
            return old.get("cedar", Failure("timeout"))
        old[member] = reply
        return reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert sorted(record.lines) == ["alder", "birch", "cedar"]
    assert "fir" not in record.enrolments  # it enrolled in another's name
    assert record.declined["elm"].why == "no answer: error"


def test_a_member_that_crashes_is_no_ones_business(make_house, wired, sound):
    house = make_house(members=4)

    def crash(kind, request):
        raise RuntimeError(f"boom in {kind}")

    members = house.handlers() | {"elm": crash}
    house.run(InProcess(members))
    record = sound(house)
    assert sorted(record.lines) == ["alder", "birch", "cedar"]
    assert not any("boom" in entry.body for entry in house.entries())


# ------------------------------------------------------------------- wrong statements


@pytest.fixture(scope="module")
def told(finished):
    """For each rule, what birch is told, its contract and the terms."""
    found = {}
    for rule in ("rebate", "sandwich", "shared", "sized"):
        record = getattr(finished, rule).record()
        for name, each in record.statement_messages(sorted(record.lines)).items():
            found[rule, name] = each, record.contracts[name], record.money
    return found


def changed(told, **changes):
    """What is told with other values, by name; those of the line are found there."""
    line = {k: v for k, v in changes.items() if k in told.line.dump()}
    rest = {k: v for k, v in changes.items() if k not in line}
    return StatementMessage.take(told.dump() | rest | {"line": told.line.dump() | line})


@pytest.mark.parametrize("rule", ["rebate", "sandwich", "shared", "sized"])
def test_a_right_statement_is_not_objected_to(told, rule):
    for (each, _), (said, contract, terms) in told.items():
        if each == rule:
            assert objections(said, contract, terms, contract.samples) == []


@pytest.mark.parametrize(
    ("rule", "change", "why"),
    [
        ("rebate", lambda t: {"fee": t.line.fee + 1}, "fee is"),
        ("rebate", lambda t: {"fee": t.line.fee + 1, "net": t.line.net - 1}, "fee is"),
        ("rebate", lambda t: {"rebate": t.line.rebate - 1, "net": t.line.net - 1}, "rebate is"),
        ("rebate", lambda t: {"charge": 1, "net": t.line.net - 1}, "charge is"),
        ("rebate", lambda t: {"net": t.line.net - 1}, "net is"),
        ("rebate", lambda t: {"samples": 140}, "samples is"),
        ("rebate", lambda t: {"last_round": 2}, "samples is"),
        ("rebate", lambda t: {"left": True}, "rebate is"),
        ("rebate", lambda t: {"members": 5}, "are not what the contract allows for"),
        ("rebate", lambda t: {"members": 3}, "rebate is"),
        ("rebate", lambda t: {"pool": 0, "rebate": 0, "net": -t.line.fee}, "any others would put"),
        ("rebate", lambda t: {"member": "alder"}, "member is alder, by my count birch"),
        ("rebate", lambda t: {"counted": 140}, "counted is"),
        ("rebate", lambda t: {"attended": 2}, "samples is 141, by my count 94"),
        ("rebate", lambda t: {"attended": 1, "samples": 47}, "counted for 1 of 3"),
        ("rebate", lambda t: {"asked": 4}, "counted for 3 of 4"),
        ("rebate", lambda t: {"size": 5}, "4 members with a size of 5 are not what"),
        ("shared", lambda t: {"fee": t.line.fee + 1, "net": t.line.net - 1}, "fee is"),
        ("shared", lambda t: {"pool": -9}, "less than any others would put up"),
        ("shared", lambda t: {"charge": 1, "net": t.line.net - 1}, "charge is"),
        ("sized", lambda t: {"size": 9}, "fee is"),
        ("sized", lambda t: {"size": 4, "members": 3}, "3 members with a size of 4 are not what"),
        ("sized", lambda t: {"size": 9, "members": 3}, "fee is"),
        ("sized", lambda t: {"size": 10, "members": 3}, "3 members with a size of 10 are not"),
        ("sized", lambda t: {"pool": -1}, "a pool below 0"),
        ("sandwich", lambda t: {"reward": t.line.reward + 1}, "reward is"),
        ("sandwich", lambda t: {"won": not t.line.won}, "reward is"),
        ("sandwich", lambda t: {"rebate": 1, "net": t.line.net + 1}, "rebate is"),
        ("sandwich", lambda t: {"charge": 1, "net": t.line.net - 1}, "charge is"),
    ],
)
def test_a_wrong_statement_is_objected_to(told, rule, change, why):
    said, contract, terms = told[rule, "birch"]
    used = {3: contract.samples, 2: 128}  # had it used fewer until then
    other = changed(said, **change(said))
    found = objections(other, contract, terms, used[other.last_round], in_time=[1, 2, 3])
    assert any(why in each for each in found), found


@pytest.mark.parametrize(
    ("answered", "disputed"),
    [
        (15, False),
        (16, False),  # killed as it answered: gone in any case, and one answer may get lost
        (17, True),  # three were thrown away
        (18, True),  # with this one it had not left
        (20, True),
    ],
)
def test_leaving_is_disputed_where_lost_answers_made_it_so(told, answered, disputed):
    said, contract, terms = told["rebate", "birch"]
    other = changed(said, rounds=20, last_round=14 + (answered < 17), attended=14, left=True)
    found = objections(
        other, contract, terms, contract.samples, in_time=range(1, answered + 1), planned=20
    )
    assert any("answered" in each for each in found) is disputed, found


def test_a_larger_federation_than_was_signed_for_is_objected_to(told):
    """More samples of others make a larger fee: no more than all agreed to are ever billed."""
    said, contract, terms = told["rebate", "birch"]
    most = contract.samples + contract.others_samples
    for M, wrong in ((most, False), (most + 1, True), (10 * most, True)):
        K = Fraction(20000) / Fraction("0.01")
        fee = math.ceil(K / 141 - K / M)
        net = said.line.rebate - fee
        other = changed(said, samples=141, fee=fee, net=net)
        other = StatementMessage.take(other.dump() | {"samples": M})
        found = objections(other, contract, terms, 141)
        assert bool(found) == wrong, found


@pytest.mark.parametrize("words", [{"statement": {}}, {"note": "all is well"}])
def test_a_statement_that_brings_words_of_its_own_is_refused(told, words):
    """What people read follows from the figures that they sign, and from nothing else."""
    said, _, _ = told["rebate", "birch"]
    (name,) = words
    with pytest.raises(InputError, match=f"not a valid statement message: {name}"):
        StatementMessage.take(said.dump() | words)


def test_a_wrong_statement_is_disputed_and_the_dispute_is_in_the_ledger(
    make_house, wired, sound, monkeypatch
):
    """A fault of the operator's program: it tells birch of a fee that is one too high."""
    house = make_house(members=4)
    real = SeasonState.statement_messages

    def faulty(record, members):
        right = real(record, members)
        if "birch" in right:
            line = right["birch"].line
            right["birch"] = changed(right["birch"], fee=line.fee + 1, net=line.net - 1)
        return right

    monkeypatch.setattr(SeasonState, "statement_messages", faulty)
    house.run()
    monkeypatch.undo()
    record = house.record()
    said = {name: each.said.read_head().content for name, each in record.acknowledged.items()}
    assert {name: each["agrees"] for name, each in said.items()} == {
        "alder": True, "birch": False, "cedar": True, "elm": True,
    }  # fmt: skip
    fee = record.lines["birch"].fee
    assert said["birch"]["why"][0] == f"fee is {fee + 1}, by my count {fee}"
    found = {each.name: each for each in verify(house.entries())}["acknowledgements"]
    assert found.holds is False
    assert "birch was told something else" in found.says


def settle_again(house, why="birch was told of a wrong fee"):
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess(house.handlers()))
        reverse(session, why)
        assert session.record.balances() == {}
        assert session.record.phase == "settlement reversed"
        run(session)


@pytest.mark.parametrize("rule", ["rebate", "sandwich"])
def test_a_settlement_is_reversed_and_made_anew(make_house, sound, essence, rule):
    house = make_house(members=4, rule=rule, rounds=2)
    before = house.run()
    settle_again(house)
    after = sound(house)
    assert essence(before) == essence(after)
    assert after.settlement > before.settlement
    kinds = [entry.kind for entry in house.entries()]
    assert (kinds.count("settlement"), kinds.count("reversal"), kinds.count("reveal")) == (2, 1, 1)
    assert (kinds.count("line"), kinds.count("acknowledged")) == (8, 8)
    for name, place in house.members.items():
        told = MemberFiles(place).statements()
        assert [each.settlement for each in told] == [before.settlement, after.settlement]
        assert told[0].line == told[1].line == after.lines[name]
    moved = {}
    for entry in house.entries():
        if entry.kind in ("line", "reversal"):
            for posting in postings_of(entry):
                moved[posting["account"]] = moved.get(posting["account"], 0) + posting["amount"]
    assert moved == after.balances()  # two settlements less one reversal: paid once


def postings_of(entry):
    return json.loads(entry.body)["postings"]


def test_there_is_nothing_to_reverse_before_a_settlement(make_house):
    house = make_house()
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess({}))
        with pytest.raises(InputError, match="no settlement to reverse"):
            reverse(session, "because")


def test_a_void_settlement_can_be_reversed_too(make_house, wired, sound):
    house = make_house(rounds=1)

    def before(member, kind, request):
        return Failure("timeout") if (member, kind) == ("birch", "round") else request

    house.run(wired(house, before))
    settle_again(house)
    assert sound(house).settled.void


def test_a_killed_operator_goes_on_from_a_reversal(make_house, sound, essence):
    house = make_house(members=4, rounds=1)
    before = house.run()
    with OperatorDirectory(house.directory) as consortium:
        reverse(Session(consortium, InProcess({})), "x" * 1000)
    house.run()
    assert essence(sound(house)) == essence(before)
