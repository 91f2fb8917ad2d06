"""Rounds: who is asked, whose model counts, and what becomes of a round without a quorum."""

import json

import pytest

from fedfact.errors import InputError, LedgerError
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.entries import Leaves
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.rounds import LAST_TO_BEGIN, NOT_BEGUN
from fedfact.federation.operator.session import Paused, Session
from fedfact.federation.wire.message import Evidence, read_message
from fedfact.federation.wire.transport import Failure, InProcess
from fedfact.training.model_bytes import from_bytes, to_bytes
from fedfact.training.site.average import check_update

from ..lost_answers import contested


def test_who_never_attests_is_sent_no_more_models(make_house, wired, sound):
    """A free rider that signs and then only listens gets the first models, and no others."""
    house, got = make_house(members=4, rounds=6), []

    def before(member, kind, request):
        if (member, kind) == ("elm", "round"):
            got.append(read_message(request, 1 << 20).head.content["round"])
            return Failure("timeout")
        return request

    house.run(wired(house, before))
    record = sound(house)
    assert got == list(range(1, LAST_TO_BEGIN + 1))
    assert record.rounds[-1].absent == {"elm": NOT_BEGUN}
    assert "elm" not in record.lines


def test_a_model_out_of_all_proportion_is_not_averaged(make_house):
    house = make_house()
    with OperatorDirectory(house.directory) as consortium:
        plan = consortium.published.plan()
    start = plan.initial()
    check_update(start, start, plan)
    weights = from_bytes(start, plan.layout())
    name = next(name for name, value in weights.items() if value.is_floating_point())
    weights[name] = weights[name] * 0 + 3e38
    with pytest.raises(InputError, match="out of all proportion"):
        check_update(to_bytes(weights), start, plan)


def test_a_word_of_leaving_stands_though_its_round_did_not_come_about(make_house, wired):
    house = make_house(members=4, rounds=4, quorum=4)
    (house.members["birch"] / "season-1/leave").touch()
    with pytest.raises(Paused, match="round 1: 3 members took part"):
        house.run(wired(house))
    (house.members["birch"] / "season-1/leave").unlink()
    assert house.record().gone == {"birch"}
    (house.directory / "season-1/finish").touch()
    with pytest.raises(Paused, match="round 1"):  # there is nothing to settle yet
        house.run()
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess({}))
        said = Evidence(**json.loads(house.entries()[-1].body)["said"])
        with pytest.raises(LedgerError, match="leaves twice"):
            session.add(("leaves", Leaves(member="birch", round=1, said=said)))
        with pytest.raises(LedgerError, match="leaving in round 2 out of order"):
            session.add(("leaves", Leaves(member="elm", round=2, said=said)))
        session.add(("leaves", Leaves(member="elm", round=1, said=said)))
    found = {each.name: each for each in verify(house.entries())}["rounds"]
    assert "holds a message that is no round of elm" in found.says


def test_a_round_that_did_not_come_about_is_answered_as_before(make_house, wired, sound):
    """Though the ledger has grown since: by the word of who left."""
    house = make_house(members=4, rounds=4, quorum=3)

    def before(member, kind, request):
        if (member, kind) == ("elm", "round"):
            (house.members["elm"] / "season-1/leave").touch()
        away = (member, kind) == ("birch", "round")
        return Failure("timeout") if away else request

    with pytest.raises(Paused, match="round 1: 2 members took part"):
        house.run(wired(house, before))
    assert house.record().gone == {"elm"}
    record = house.run()
    sound(house)
    assert sorted(record.rounds[0].attested) == ["alder", "birch", "cedar"]
    assert contested(house, "alder") == contested(house, "elm") == []
