"""Nonces are opened when nothing that the draw depends on can change, and by a quorum."""

import pytest

from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.session import Paused, Session
from fedfact.federation.wire.transport import Failure, InProcess


def test_the_draw_is_not_known_while_anything_it_depends_on_may_change(make_house, wired):
    house, kinds = make_house(agents=4, rule="sandwich"), []

    def before(agent, kind, request):
        if kind == "open":
            kinds.append([entry.kind for entry in house.entries()])
        return request

    house.run(wired(house, before))
    assert len(kinds) == 4
    assert all(before.count("delivery") == 4 for before in kinds)
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess(house.handlers()))
        asked = session.ask("round", {"birch": {"round": 4, "steps": 3}}, b"")["birch"]
    assert isinstance(asked, Failure)


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
