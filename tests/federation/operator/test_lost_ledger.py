"""A ledger that is gone, empty or ahead of the clock: what an operator is told in time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from fedfact.errors import InputError
from fedfact.federation.ledger.state import LedgerState
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.forewarning import forewarnings
from fedfact.federation.operator.mending.compare import StaleLedger
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure, InProcess


def pause(house, wired):
    """Have it pause in its second round."""

    def before(member, kind, request):
        second = kind == "round" and read_message(request, 1 << 20).head.content["round"] == 2
        return Failure("unreachable") if second else request

    with pytest.raises(Paused):
        house.run(wired(house, before))


def test_a_ledger_that_is_gone_is_not_begun_anew(make_house, wired):
    house = make_house(members=4)
    pause(house, wired)
    (house.directory / "ledger.db").rename(house.root / "backup.db")
    with pytest.raises(InputError, match=r"the ledger is gone, but .*round-0\.bin says .* restore"):
        house.run()
    assert not (house.directory / "ledger.db").exists()
    (house.root / "backup.db").rename(house.directory / "ledger.db")
    assert house.run().phase == "finished"


@pytest.mark.parametrize("sign", ["operator.log", "flare/server/status.json"])
def test_what_else_says_that_it_was_started(make_house, sign):
    house = make_house()
    (house.directory / sign).parent.mkdir(parents=True, exist_ok=True)
    (house.directory / sign).touch()
    with pytest.raises(InputError, match=f"the ledger is gone, but .*{sign} says"):
        house.run()
    assert not (house.directory / "ledger.db").exists()


def test_a_ledger_by_url_that_is_empty_though_models_are_there_is_not_begun_anew(
    make_house, wired, tmp_path
):
    house = make_house(members=4, ledger=f"sqlite:///{tmp_path / 'elsewhere.db'}")
    pause(house, wired)
    (tmp_path / "elsewhere.db").unlink()
    with pytest.raises(
        StaleLedger, match="this ledger ends at no entry, and alder was shown entry"
    ):
        house.run()
    with pytest.raises(InputError, match=r"the ledger is empty, but .*round-0\.bin says"):
        house.run(InProcess({}))  # though no member is there to say so
    with OperatorDirectory(house.directory) as opened:
        assert opened.ledger.entries() == []
        with pytest.raises(InputError, match="the ledger is empty"):
            forewarnings(opened, LedgerState(), finish=False)


def test_members_that_do_not_answer_at_the_first_start_do_not_bar_the_second(make_house, wired):
    """What was asked before there was an entry leaves no sign that there were some."""
    house = make_house()

    def before(member, kind, request):
        return Failure("timeout") if kind == "shown" else request

    assert house.run(wired(house, before)).phase == "finished"


def test_a_federation_that_only_waited_for_members_is_begun(make_house):
    """Its ledger was made, and has no entry yet."""
    house = make_house()
    OperatorDirectory(house.directory).ledger.close()
    (house.directory / "kits" / "server").mkdir(parents=True)
    (house.directory / "kits" / "server" / "status.json").touch()
    assert house.run().phase == "finished"


def test_a_ledger_ahead_of_the_clock_and_a_lost_model_are_told_of(make_house, wired):
    house = make_house(members=4)
    pause(house, wired)
    state = house.state()
    with OperatorDirectory(house.directory) as opened:
        assert forewarnings(opened, state, finish=True) == []
        (house.directory / "season-1/models" / "round-1.bin").unlink()
        (lost,) = forewarnings(opened, state, finish=True)
        assert "members will get no model" in lost
        assert forewarnings(opened, state, finish=False) == []
        ahead = (datetime.now(UTC) + timedelta(days=3)).isoformat(timespec="milliseconds")
        state.last = replace(state.last, time=ahead)
        (early,) = forewarnings(opened, state, finish=False)
    assert f"the time {ahead[:19]} UTC, which is yet to come. If this machine's clock" in early
