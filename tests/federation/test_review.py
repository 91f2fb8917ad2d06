"""Attacks that a reviewer carried out, each now without success or without going unseen."""

import numpy as np
import pytest

from fedfact.federation.agent_files import AgentFiles
from fedfact.federation.consortium import Consortium
from fedfact.federation.desk import Desk
from fedfact.federation.enrolling import agree, enrol
from fedfact.federation.entries import Declined
from fedfact.federation.message import read_message
from fedfact.federation.rounds import LAST_TO_BEGIN, NOT_BEGUN
from fedfact.federation.transport import Failure, InProcess
from fedfact.federation.verify import verify, verify_copy
from fedfact.mechanism import InputError
from fedfact.training.site import check_update, from_bytes, to_bytes


def contested(house, name):
    copy = verify_copy(house.entries(), name, AgentFiles(house.agents[name]))
    return [each.name for each in copy if not each.holds]


def test_who_never_attests_is_sent_no_more_models(make_house, wired, sound):
    """A free rider that signs and then only listens gets the first models, and no others."""
    house, got = make_house(agents=4, rounds=6), []

    def before(agent, kind, request):
        if (agent, kind) == ("elm", "round"):
            got.append(read_message(request, 1 << 20).head.content["round"])
            return Failure("timeout")
        return request

    house.run(wired(house, before))
    record = sound(house)
    assert got == list(range(1, LAST_TO_BEGIN + 1))
    assert record.rounds[-1].absent == {"elm": NOT_BEGUN}
    assert "elm" not in record.lines


def test_replies_thrown_away_by_the_operator_are_disputed_and_found(make_house, wired):
    house = make_house(agents=4, rounds=4)

    def after(agent, kind, reply):
        drop = (agent, kind) == ("alder", "round") and read_message(reply, 1 << 20)
        return Failure("timeout") if drop and drop.head.content["round"] == 4 else reply

    record = house.run(wired(house, after=after))
    assert record.deliveries["alder"].left
    said = record.acknowledged["alder"].said.read_head().content
    assert said["why"] == ["I answered in time until round 4, not 3"]
    assert contested(house, "alder") == ["own rounds"]


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


def test_a_training_too_short_for_what_is_agreed_is_declined(make_house):
    short = make_house(rounds=1)
    for place in (short.directory, *short.agents.values()):
        published = (place / "terms.json").read_text()
        (place / "terms.json").write_text(published.replace('"local_steps":7', '"local_steps":1'))
    with pytest.raises(InputError, match="0 agents take part"):
        short.run()
    declined = short.record().declined
    assert {each.why for each in declined.values()} == {
        "the training is too short to use the agreed samples"
    }
    assert all(each.holds for each in verify(short.entries()))


def test_a_void_settlement_leaves_who_trained_the_model(make_house, wired):
    house = make_house(rounds=2)

    def before(agent, kind, request):
        return Failure("timeout") if (agent, kind) == ("alder", "round") else request

    record = house.run(wired(house, before))
    assert record.settled.void
    for name in ("birch", "cedar"):
        assert (house.agents[name] / "model.bin").is_file()
    assert not (house.agents["alder"] / "model.bin").exists()


def test_a_model_out_of_all_proportion_is_not_averaged(make_house):
    house = make_house()
    with Consortium(house.directory) as consortium:
        plan = consortium.published.plan()
    start = plan.initial()
    check_update(start, start, plan)
    weights = from_bytes(start, plan.layout())
    name = next(name for name, value in weights.items() if value.is_floating_point())
    weights[name] = weights[name] * 0 + 3e38
    with pytest.raises(InputError, match="out of all proportion"):
        check_update(to_bytes(weights), start, plan)


def test_nonces_that_were_never_asked_for_are_found_by_their_agents(make_house, wired):
    house = make_house(agents=4, rule="sandwich", rounds=2)

    def before(agent, kind, request):
        return Failure("unreachable") if (agent, kind) == ("cedar", "open") else request

    record = house.run(wired(house, before))
    assert record.nonces.withheld == ["cedar"]
    assert contested(house, "cedar") == ["own nonce"]
    assert contested(house, "birch") == []


def test_nobody_declines_without_its_own_word(make_house):
    house = make_house(agents=4)
    with Consortium(house.directory) as consortium:
        desk = Desk(consortium, InProcess(house.handlers()))
        enrol(desk)
        lie = Declined(agent="elm", by="agent", why="no", said=None)
        desk.add(("declined", lie))
        agree(desk)
    found = {each.name: each for each in verify(house.entries())}["enrolments"]
    assert found.holds is False
    assert "lets elm decline without its word" in found.says


def test_words_that_reach_a_terminal_are_printable(make_house):
    with pytest.raises(InputError, match="control characters"):
        Declined.take({"agent": "elm", "by": "operator", "why": "\x1b[2J", "said": None})


def test_data_that_the_network_cannot_take_is_refused_before_anything_is_signed(make_house):
    house = make_house(agents=4)
    place = house.agents["elm"]
    labels = np.arange(200) % 10
    pictures = np.arange(200 * 28 * 28, dtype=np.uint32).reshape(200, 28, 28).astype(np.uint8)
    np.savez(place / "wrong.npz", images=pictures, labels=labels)
    house.configure("elm", data="wrong.npz", true_cost=1.5)
    record = house.run()
    assert sorted(record.contracts) == ["alder", "birch", "cedar"]
    assert "refused a request (enrol)" in (place / "agent.log").read_text()
    assert "enrol, elm: error" in (house.directory / "operator.log").read_text()
