"""Who is in a job, who is gone, who is back: by what the sites say."""

import os

import pytest

from fedfact.federation.deploy.flare.server.attendance import Attendance
from fedfact.federation.deploy.flare.server.notice import Board, Notice, Outcome
from fedfact.federation.deploy.flare.server.status import (
    Status,
    read_status,
    supervise_lock,
    write_status,
)
from fedfact.io.files import alone

IN, NOT_IN, SILENT = {"j"}, set(), {"?"}


@pytest.fixture
def attendance():
    made = Attendance({"ann", "bob", "cid"})
    made.begin("j")
    look(made, 6, ann=IN, bob=IN, cid=IN)
    return made


def look(attendance, times, running=True, **sites):
    for _ in range(times):
        attendance.look(sites, running=running)


def test_nothing_is_said_while_all_are_there(attendance):
    assert attendance.news() is None


def test_one_look_is_not_enough(attendance):
    look(attendance, 1, ann=IN, bob=SILENT, cid=IN)
    assert attendance.news() is None
    look(attendance, 1, ann=IN, bob=SILENT, cid=IN)
    assert attendance.news() == Notice("j", ("bob",), end=False)
    assert attendance.news() is None


def test_a_member_that_is_not_registered_is_gone(attendance):
    look(attendance, 2, ann=IN, cid=IN)
    assert attendance.news() == Notice("j", ("bob",), end=False)


def test_a_member_that_is_back_ends_the_job_for_good(attendance):
    look(attendance, 2, ann=IN, bob=SILENT, cid=IN)
    attendance.news()
    look(attendance, 2, ann=IN, bob=NOT_IN, cid=IN)
    assert attendance.news() == Notice("j", ("bob",), end=True)
    look(attendance, 2, ann=IN, bob=SILENT, cid=IN)
    assert attendance.news() is None


def test_sites_have_time_to_start_a_job():
    attendance = Attendance({"ann", "bob"})
    attendance.begin("j")
    look(attendance, 20, running=False, ann=NOT_IN, bob=NOT_IN)
    look(attendance, 6, ann=NOT_IN, bob=NOT_IN)
    assert attendance.news() is None


def test_a_member_whose_site_cannot_run_jobs_is_left_out_until_it_was_away(attendance):
    for _ in range(2):
        assert not attendance.left_out
        attendance.begin("j")
        look(attendance, 8, ann=IN, bob=NOT_IN, cid=IN)
        attendance.close(got_on=False)
    assert attendance.left_out == {"bob"}
    attendance.begin("j")
    look(attendance, 8, ann=IN, bob=NOT_IN, cid=IN)
    assert attendance.news() is None
    look(attendance, 1, ann=IN, bob=SILENT, cid=IN)
    assert not attendance.left_out


def test_a_member_that_comes_late_twice_is_not_left_out_where_the_protocol_gets_on(attendance):
    for _ in range(4):
        attendance.begin("j")
        look(attendance, 8, ann=IN, bob=NOT_IN, cid=IN)
        attendance.close(got_on=True)
    assert not attendance.left_out


def test_a_notice_is_read_once_and_by_its_job_only(tmp_path):
    board, reader = Board(tmp_path), Board(tmp_path)
    assert reader.news("j") is None
    board.say(Notice("j", ("bob",), end=True))
    assert reader.news("j") == Notice("j", ("bob",), end=True)
    assert reader.news("j") is None
    board.say(Notice("other"))
    assert reader.news("j") is None


def test_an_outcome_is_of_one_job(tmp_path):
    board = Board(tmp_path)
    assert board.outcome("j") is None
    board.report(Outcome("j", "refused", "no room"))
    assert board.outcome("j") == Outcome("j", "refused", "no room")
    assert board.outcome("other") is None
    (tmp_path / "outcome.json").write_text("{torn")
    assert board.outcome("j") is None


def test_a_status_is_there_while_somebody_supervises(tmp_path):
    assert read_status(tmp_path) is None  # nothing was set up: a federation in process has no kits
    (tmp_path / "flare" / "server").mkdir(parents=True)
    assert read_status(tmp_path) is None
    status = Status(server=True, registered=frozenset({"ann", "bob"}), job="j", state="RUNNING")
    supervise_lock(tmp_path).touch()
    with alone(supervise_lock(tmp_path), wait=False):
        write_status(tmp_path, status)
        process, said = read_status(tmp_path)
        assert (process.pid, said) == (os.getpid(), status)
    assert read_status(tmp_path) is None
