"""Nonces are opened when nothing that the draw depends on can change, and by a quorum."""

import pytest

from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.session import Paused, Session
from fedfact.federation.wire.transport import Failure, InProcess, Stopped


def test_the_draw_is_not_known_while_anything_it_depends_on_may_change(make_house, wired):
    house, kinds = make_house(members=4, rule="sandwich"), []

    def before(member, kind, request):
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
    house = make_house(members=4, rule=rule, rounds=2)

    def before(member, kind, request):
        away = kind == "open" and member != "cedar"
        return Failure("unreachable") if away else request

    if rule == "rebate":  # there is no draw to steer
        assert house.run(wired(house, before)).settled is not None
        return
    with pytest.raises(Paused, match="1 members opened their nonces and the quorum is 2"):
        house.run(wired(house, before))
    assert house.run().nonces.withheld == []


class Jobs:
    """A wire on which members that are away can only be back in another run."""

    def __init__(self, wired, house, away=()):
        self.wire, self.away, self.waited = wired(house, self.before), set(away), []

    def before(self, member, kind, request):
        return Failure("unreachable") if member in self.away and kind == "open" else request

    def __getattr__(self, name):
        return getattr(self.wire, name)

    def wait_for(self, members, timeout):
        self.waited.append(set(members))
        return self.away & members


def test_a_member_that_comes_back_in_another_run_is_asked_there(make_house, wired, sound):
    house = make_house(members=4, rule="sandwich", rounds=2)
    with pytest.raises(Stopped):
        house.run(Jobs(wired, house, ["cedar"]))
    assert house.record().phase == "nonces to open"
    assert house.run(Jobs(wired, house)).nonces.withheld == []
    assert sound(house).phase == "finished"


def test_a_member_that_had_its_chance_has_withheld_its_nonce(make_house, wired):
    """Else one that comes and goes would hold up the others for ever."""
    house = make_house(members=4, rule="sandwich", rounds=2)
    with pytest.raises(Stopped):
        house.run(Jobs(wired, house, ["cedar"]))
    assert house.run(Jobs(wired, house, ["cedar"])).nonces.withheld == ["cedar"]


def test_who_left_is_not_waited_for(make_house, wired):
    house = make_house(members=4, rule="sandwich", rounds=2)
    (house.members["cedar"] / "season-1/leave").touch()
    jobs = Jobs(wired, house, ["cedar"])
    house.run(jobs)
    assert jobs.waited == [set()]
