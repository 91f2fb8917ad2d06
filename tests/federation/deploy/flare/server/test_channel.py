"""Who can be asked in a job, who is waited for, and who can only be in the next one."""

from types import SimpleNamespace

import pytest

pytest.importorskip("nvflare")

from fedfact.federation.deploy.flare.server.channel import FlareTransport
from fedfact.federation.deploy.flare.server.notice import Board, Notice


@pytest.fixture
def board(tmp_path):
    return Board(tmp_path)


@pytest.fixture
def transport(tmp_path):
    """Of a job with ann, bob and cid, all of them heard from; dan came too late for it."""
    job = SimpleNamespace(get_job_id=lambda: "j")
    made = FlareTransport(
        None, job, SimpleNamespace(triggered=False), {"ann", "bob", "cid"}, Board(tmp_path)
    )
    for name in ("ann", "bob", "cid"):
        made.heard(name)
    return made


def test_members_that_are_there_are_not_waited_for(transport):
    assert transport.wait_for({"ann", "bob"}, 60) == set()


def test_a_member_whose_process_has_ended_is_for_the_next_job(transport, board):
    board.say(Notice("j", ("bob",)))
    assert transport.wait_for({"ann", "bob"}, 60) == {"bob"}


def test_a_slow_member_is_waited_for_so_long(transport):
    transport._silent.add("cid")
    assert transport.wait_for({"cid"}, 0.3) == set()
    assert transport.reachable() == {"ann", "bob"}


def test_a_member_that_never_was_in_the_job_is_waited_for_when_it_is_back(transport, board):
    board.say(Notice("j", ("dan",)))
    assert transport.wait_for({"dan"}, 60) == set()
    board.say(Notice("j", ("dan",), end=True))
    assert transport.wait_for({"dan"}, 60) == {"dan"}
