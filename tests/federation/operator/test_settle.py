"""The settlement of what was delivered: lost answers, an early end, a void settlement."""

import shutil

import pytest

from fedfact.errors import InputError
from fedfact.federation.audit.verify import verify
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure

from ..lost_answers import dropping


def test_the_last_answer_lost_costs_that_round_and_nothing_else(make_house, wired, sound):
    """Else an operator would keep what comes back to whom it does not hear in the last round."""
    house, twin = make_house(members=4, rounds=4), make_house("twin", members=4, rounds=4)
    record, whole = house.run(wired(house, after=dropping({4}))), twin.run()
    assert record.rounds[-1].absent == {"alder": "timeout"}
    line, was = record.lines["alder"], whole.lines["alder"]
    assert not record.deliveries["alder"].left
    assert (line.samples, line.counted, was.samples) == (75, 100, 100)
    assert (line.charge, line.rebate, line.pool) == (0, was.rebate, was.pool)
    assert line.fee == -(-2_000_000 * (456 + 75 - 75) // (75 * (456 + 75)))
    assert record.acknowledged["alder"].said.read_head().content["agrees"] is True
    assert (house.members["alder"] / "season-1/model.bin").is_file()
    sound(house)


def test_an_early_end_is_not_the_members_fault(make_house, wired, sound):
    house = make_house(members=4, rounds=10)

    def after(member, kind, reply):
        if kind == "round":
            (house.directory / "season-1/finish").touch()
        return reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert len(record.rounds) == 1
    for name, line in record.lines.items():
        contract = record.contracts[name]
        assert record.deliveries[name].delivered < contract.samples
        assert line.samples == line.counted == contract.samples  # at its pace
        assert line.fee <= contract.fee
        assert line.charge == 0
        assert record.acknowledged[name].said.read_head().content["agrees"] is True


def test_an_early_end_after_a_lost_answer_costs_nobody_what_comes_back(make_house, wired, sound):
    """Else the operator would end the training when it suits it."""
    house = make_house(members=4, rounds=10)

    def after(member, kind, reply):
        if kind == "round" and read_message(reply, 1 << 20).head.content["round"] == 3:
            (house.directory / "season-1/finish").touch()
        return dropping({3})(member, kind, reply)

    house.run(wired(house, after=after))
    record = sound(house)
    assert record.rounds[-1].absent == {"alder": "timeout"}
    assert not record.deliveries["alder"].left
    line = record.lines["alder"]
    assert (line.counted, line.samples, line.charge) == (100, 66, 0)  # two rounds of three
    assert line.rebate > 0
    assert record.acknowledged["alder"].said.read_head().content["agrees"] is True


def test_a_void_settlement_leaves_who_trained_the_model(make_house, wired):
    house = make_house(rounds=2)

    def before(member, kind, request):
        return Failure("timeout") if (member, kind) == ("alder", "round") else request

    record = house.run(wired(house, before))
    assert record.settled.void
    for name in ("birch", "cedar"):
        assert (house.members[name] / "season-1/model.bin").is_file()
    assert not (house.members["alder"] / "season-1/model.bin").exists()
    assert sorted(record.handed) == ["birch", "cedar"]
    assert record.owed == {}


def test_under_shared_less_than_half_of_the_signed_size_is_void(make_house, wired, sound):
    """The model goes to those who trained, and no money moves."""
    sizes = {"alder": 1, "birch": 1, "cedar": 1, "elm": 4}
    house = make_house(members=4, rule="shared", scale=40000.0, rounds=2, sizes=sizes)

    def before(member, kind, request):
        return Failure("timeout") if (member, kind) == ("elm", "round") else request

    record = house.run(wired(house, before))
    assert record.settled.void == "too little size"
    assert record.void_in_words == (
        "those who delivered have 3 of the size of 7 that signed, too little to settle by the "
        "shared rule; no money moves"
    )
    assert (record.lines, record.balances(), record.phase) == ({}, {}, "finished")
    assert sorted(record.deliveries) == sorted(record.handed) == ["alder", "birch", "cedar"]
    assert (house.members["alder"] / "season-1/model.bin").is_file()
    sound(house)


def test_of_a_void_settlement_it_is_known_who_has_not_got_the_model(make_house, wired):
    house = make_house(rounds=2)

    def away(*parts):
        return lambda member, kind, request: (
            Failure("timeout") if (member, kind) in parts else request
        )

    record = house.run(wired(house, away(("alder", "round"), ("cedar", "model"))))
    assert record.owed == {"cedar": "model"}
    assert record.phase == "settled, 1 models to hand out"
    assert acknowledgements(house) == "1 models, 1 to hand out"
    record = house.run(wired(house, away(("alder", "round"))))
    assert (record.owed, record.phase) == ({}, "finished")
    assert acknowledgements(house) == "2 models, 0 to hand out"
    assert (house.members["cedar"] / "season-1/model.bin").is_file()


def acknowledgements(house):
    return {each.name: each.says for each in verify(house.entries())}["acknowledgements"]


def paused_at(house, wired, number):
    """A house whose training pauses before this round."""

    def before(member, kind, request):
        late = kind == "round" and read_message(request, 1 << 20).head.content["round"] == number
        return Failure("unreachable") if late else request

    with pytest.raises(Paused):
        house.run(wired(house, before))


def test_a_lost_model_does_not_keep_what_was_delivered_from_being_settled(make_house, wired, sound):
    house, whole = make_house(members=4, rounds=10), None
    paused_at(house, wired, 4)
    shutil.copytree(house.root, whole := house.root.with_name("whole"))
    shutil.rmtree(house.directory / "season-1/models")
    (house.directory / "season-1/models").mkdir()
    with pytest.raises(InputError, match=r"round-3\.bin: cannot be read .* resume with --finish"):
        house.run()
    (house.directory / "season-1/finish").touch()
    record = house.run()
    lost = sound(house)
    assert (record.phase, len(record.rounds)) == ("settled, 4 disputes open", 3)
    for name, place in house.members.items():
        said = record.acknowledged[name].said.read_head().content
        assert said["why"] == ["the model that it names did not come with it"]
        assert len(MemberFiles(place).statements()) == 1
        assert not (place / "season-1/model.bin").exists()
    assert "without the model" in (house.directory / "operator.log").read_text()
    twin = type(house).__new__(type(house))
    twin.root, twin.directory = whole, whole / "operator"
    twin.members = {name: whole / name for name in house.members}
    (twin.directory / "season-1/finish").touch()
    twin.run()
    assert sound(twin).lines == lost.lines  # amounts need no model


def test_a_model_that_is_lost_after_the_last_round_holds_up_no_settlement(make_house, wired):
    house = make_house(members=4, rule="sandwich", rounds=2)

    def before(member, kind, request):
        if kind == "open":
            (house.directory / "season-1/models" / "round-2.bin").write_bytes(b"damaged")
        return request

    with pytest.raises(InputError, match=r"is not the model that the ledger names; restore it"):
        house.run(wired(house, before))
    assert house.record().phase == "settled, 4 statements to hand out"
    (house.directory / "season-1/finish").touch()
    assert house.run().phase == "settled, 4 disputes open"  # that the model did not come
