"""The settlement of what was delivered: lost answers, an early end, a void settlement."""

from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure

from ..lost_answers import dropping


def test_the_last_answer_lost_costs_nothing(make_house, wired, sound):
    """Else an operator would keep what comes back to whom it does not hear in the last round."""
    house, twin = make_house(agents=4, rounds=4), make_house("twin", agents=4, rounds=4)
    record, whole = house.run(wired(house, after=dropping({4}))), twin.run()
    assert record.rounds[-1].absent == {"alder": "timeout"}
    assert record.lines == whole.lines
    assert record.acknowledged["alder"].said.read_head().content["agrees"] is True
    assert (house.agents["alder"] / "model.bin").is_file()
    sound(house)


def test_an_early_end_is_not_the_agents_fault(make_house, wired, sound):
    house = make_house(agents=4, rounds=10)

    def after(agent, kind, reply):
        if kind == "round":
            (house.directory / "finish").touch()
        return reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert len(record.rounds) == 1
    for name, line in record.lines.items():
        contract = record.contracts[name]
        assert record.deliveries[name].delivered < contract.samples
        assert line.samples == contract.samples
        assert line.fee <= contract.fee
        assert line.charge == 0
        assert record.acknowledged[name].said.read_head().content["agrees"] is True


def test_an_early_end_after_a_lost_answer_costs_nobody_what_comes_back(make_house, wired, sound):
    """Else the operator would end the training when it suits it."""
    house = make_house(agents=4, rounds=10)

    def after(agent, kind, reply):
        if kind == "round" and read_message(reply, 1 << 20).head.content["round"] == 3:
            (house.directory / "finish").touch()
        return dropping({3})(agent, kind, reply)

    house.run(wired(house, after=after))
    record = sound(house)
    assert record.rounds[-1].absent == {"alder": "timeout"}
    assert not record.deliveries["alder"].left
    assert record.lines["alder"].rebate > 0
    assert record.acknowledged["alder"].said.read_head().content["agrees"] is True


def test_a_void_settlement_leaves_who_trained_the_model(make_house, wired):
    house = make_house(rounds=2)

    def before(agent, kind, request):
        return Failure("timeout") if (agent, kind) == ("alder", "round") else request

    record = house.run(wired(house, before))
    assert record.settled.void
    for name in ("birch", "cedar"):
        assert (house.agents[name] / "model.bin").is_file()
    assert not (house.agents["alder"] / "model.bin").exists()
