"""Attacks that a reviewer carried out, each now without success or without going unseen."""

import json

import numpy as np
import pytest

from fedfact.federation.agent_files import AgentFiles
from fedfact.federation.consortium import Consortium
from fedfact.federation.contract import contracts_for
from fedfact.federation.desk import Desk, Paused
from fedfact.federation.draw import WITHHELD
from fedfact.federation.enrolling import agree, enrol, roster_hash
from fedfact.federation.entries import Declined, Leaves, Nonces
from fedfact.federation.message import Evidence, read_message
from fedfact.federation.rounds import LAST_TO_BEGIN, NOT_BEGUN
from fedfact.federation.rounds import _round as one_round
from fedfact.federation.settling import deliver
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


def dropping(rounds):
    """An operator that throws away what alder answers in these rounds."""

    def after(agent, kind, reply):
        drop = (agent, kind) == ("alder", "round") and read_message(reply, 1 << 20)
        return Failure("timeout") if drop and drop.head.content["round"] in rounds else reply

    return after


def test_replies_thrown_away_by_the_operator_are_disputed_and_found(make_house, wired):
    house = make_house(agents=4, rounds=6)
    record = house.run(wired(house, after=dropping({4, 5, 6})))
    assert record.deliveries["alder"].left
    said = record.acknowledged["alder"].said.read_head().content
    assert said["why"] == ["I answered in time until round 6, not 3"]
    assert contested(house, "alder") == ["own rounds"]


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


def test_nobody_declines_by_the_word_with_which_it_agreed(make_house):
    house = make_house(agents=4)
    with Consortium(house.directory) as consortium:
        desk = Desk(consortium, InProcess(house.handlers()))
        enrol(desk)
        offer = contracts_for(desk.record.enrolments, desk.record.money, desk.record.federation)
        signed = consortium.key.sign("contract", offer["elm"].encoded())
        content = {"contract": offer["elm"].dump(), "signature": signed}
        agreed = desk.ask("agree", {"elm": content})["elm"].evidence
        desk.add(("declined", Declined(agent="elm", by="agent", why="no", said=agreed)))
        agree(desk)
    found = {each.name: each for each in verify(house.entries())}["enrolments"]
    assert found.holds is False
    assert "lets elm decline, which said something else" in found.says


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


def test_the_draw_is_not_known_while_anything_it_depends_on_may_change(make_house, wired):
    house, kinds = make_house(agents=4, rule="sandwich"), []

    def before(agent, kind, request):
        if kind == "open":
            kinds.append([entry.kind for entry in house.entries()])
        return request

    house.run(wired(house, before))
    assert len(kinds) == 4
    assert all(before.count("delivery") == 4 for before in kinds)
    with Consortium(house.directory) as consortium:
        desk = Desk(consortium, InProcess(house.handlers()))
        asked = desk.ask("round", {"birch": {"round": 4, "steps": 3}}, b"")["birch"]
    assert isinstance(asked, Failure)


def test_nonces_learnt_before_the_last_round_was_written_down_are_found(make_house):
    """An operator that holds a round back would know the draw, and choose whom to count."""
    house = make_house(agents=4, rule="sandwich", rounds=4)
    with Consortium(house.directory) as consortium:
        desk, held = Desk(consortium, InProcess(house.handlers())), []
        enrol(desk)
        agree(desk)
        add = desk.add

        def hold_back(*documents):
            (held.extend if len(desk.record.rounds) == 3 else lambda d: add(*d))(documents)

        desk.add = hold_back
        train_three(desk)
        roster = {"roster": roster_hash(desk.record.contracts)}
        said = desk.ask("open", dict.fromkeys(desk.record.contracts, roster))
        desk.add = add
        add(*held)
        deliver(desk)
        opened = {agent: message.evidence for agent, message in said.items()}
        add(("nonces", Nonces(opened=opened, withheld=[], rule=WITHHELD)))
        again = desk.ask("open", {"birch": roster})["birch"]
        assert isinstance(again, Failure), "it opens its nonce once"
    found = {each.name: each for each in verify(house.entries())}["seed"]
    assert found.holds is False
    assert "holds a nonce that alder opened at another time" in found.says


def train_three(desk):
    """Rounds until the fourth is not written down."""
    model = desk.plan.initial()
    desk.house.save_model(0, model)
    for number in range(1, 5):
        model = one_round(desk, number, model)


def test_no_draw_without_a_single_nonce(make_house, wired):
    house = make_house(agents=4, rule="sandwich", rounds=2)

    def before(agent, kind, request):
        if kind == "open":
            (house.directory / "finish").touch()
            return Failure("unreachable")
        return request

    with pytest.raises(Paused, match="0 agents opened their nonces"):
        house.run(wired(house, before))
    with Consortium(house.directory) as consortium:
        desk = Desk(consortium, InProcess({}))
        nonces = Nonces(opened={}, withheld=sorted(house.agents), rule=WITHHELD)
        desk.add(("nonces", nonces))
    found = {each.name: each for each in verify(house.entries())}["seed"]
    assert "leaves the draw to the operator alone" in found.says


def test_who_declined_is_not_told_that_it_withheld_a_nonce(make_house):
    house = make_house(agents=4, rule="sandwich", rounds=2)
    house.configure("elm", data="digits:3/4", true_cost=1.5, most_fee=1)
    assert "elm" in house.run().declined
    assert contested(house, "elm") == []


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


def test_a_word_of_leaving_stands_though_its_round_did_not_come_about(make_house, wired):
    house = make_house(agents=4, rounds=4, quorum=4)
    (house.agents["birch"] / "leave").touch()
    with pytest.raises(Paused, match="round 1: 3 agents took part"):
        house.run(wired(house))
    (house.agents["birch"] / "leave").unlink()
    assert house.record().gone == {"birch"}
    (house.directory / "finish").touch()
    with pytest.raises(Paused, match="round 1"):  # there is nothing to settle yet
        house.run()
    with Consortium(house.directory) as consortium:
        desk = Desk(consortium, InProcess({}))
        said = Evidence(**json.loads(house.entries()[-1].body)["said"])
        with pytest.raises(InputError, match="leaves twice"):
            desk.add(("leaves", Leaves(agent="birch", round=1, said=said)))
        with pytest.raises(InputError, match="leaving in round 2 out of order"):
            desk.add(("leaves", Leaves(agent="elm", round=2, said=said)))
        desk.add(("leaves", Leaves(agent="elm", round=1, said=said)))
    found = {each.name: each for each in verify(house.entries())}["rounds"]
    assert "holds a message that is no round of elm" in found.says


def test_a_round_that_did_not_come_about_is_answered_as_before(make_house, wired, sound):
    """Though the ledger has grown since: by the word of who left."""
    house = make_house(agents=4, rounds=4, quorum=3)

    def before(agent, kind, request):
        if (agent, kind) == ("elm", "round"):
            (house.agents["elm"] / "leave").touch()
        away = (agent, kind) == ("birch", "round")
        return Failure("timeout") if away else request

    with pytest.raises(Paused, match="round 1: 2 agents took part"):
        house.run(wired(house, before))
    assert house.record().gone == {"elm"}
    record = house.run()
    sound(house)
    assert sorted(record.rounds[0].attested) == ["alder", "birch", "cedar"]
    assert contested(house, "alder") == contested(house, "elm") == []


@pytest.mark.parametrize("rule", ["rebate", "sandwich"])
def test_without_a_quorum_of_nonces_a_draw_is_not_made(make_house, wired, rule):
    house = make_house(agents=4, rule=rule, rounds=2)

    def before(agent, kind, request):
        away = kind == "open" and agent != "cedar"
        return Failure("unreachable") if away else request

    if rule == "rebate":  # there is no draw to steer
        assert house.run(wired(house, before)).settled is not None
        return
    with pytest.raises(Paused, match="1 agents opened their nonces and the quorum is 2"):
        house.run(wired(house, before))
    assert house.run().nonces.withheld == []


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
