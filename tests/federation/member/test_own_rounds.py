"""What a member keeps of its rounds: all of them, at a cost that does not grow with them."""

import os
from pathlib import Path

import pytest

from fedfact import InputError
from fedfact.federation.member import own_rounds
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.own_rounds import EARLIER, LAST, LastRound, OwnRound

IO = Path("/proc/self/io")


def a_round(number, late=False):
    own = OwnRound(round=number, used=min(10 * number, 500), late=late)
    return LastRound(f"{number:064x}", own, b"reply" * number, b"state")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "season-1").mkdir()
    return MemberFiles(tmp_path)


def test_all_rounds_are_kept_and_the_last_one_whole(files):
    assert (files.last_round(), files.rounds()) == (None, [])
    for number in (1, 2, 5):
        files.keep_round(a_round(number, late=number == 2))
    assert files.last_round() == a_round(5)
    assert [(own.round, own.late) for own in files.rounds()] == [(1, False), (2, True), (5, False)]


def test_a_round_that_is_answered_again_is_there_once_and_stays_late(files):
    files.keep_round(a_round(1))
    files.keep_round(a_round(2, late=True))
    files.keep_round(a_round(2))
    assert [(own.round, own.late) for own in files.rounds()] == [(1, False), (2, True)]


def test_killed_between_the_two_files_it_goes_on_with_nothing_lost_or_twice(files, monkeypatch):
    for number in (1, 2, 3):
        files.keep_round(a_round(number))
    whole = [own.round for own in files.rounds()]

    def killed(*rest):
        raise KeyboardInterrupt

    for torn in (None, 7):
        with monkeypatch.context() as patch:
            patch.setattr(own_rounds, "write_whole", killed)
            with pytest.raises(KeyboardInterrupt):
                files.keep_round(a_round(4))
        if torn:  # of the line only a part reached the disk
            earlier = files.folder / EARLIER
            os.truncate(earlier, earlier.stat().st_size - torn)
        again = MemberFiles(files.directory)
        assert again.last_round() == a_round(3)
        assert [own.round for own in again.rounds()] == whole
    again.keep_round(a_round(4))
    assert [own.round for own in again.rounds()] == [1, 2, 3, 4]


def test_lost_or_changed_lines_are_found(files):
    for number in (1, 2, 3):
        files.keep_round(a_round(number))
    path = files.folder / EARLIER
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with pytest.raises(InputError, match=r"rounds\.jsonl: is not as the member wrote it"):
            files.rounds()
    path.write_bytes(data[:40])
    with pytest.raises(InputError, match=r"rounds\.jsonl: lacks rounds that were kept; restore it"):
        files.keep_round(a_round(4))
    path.unlink()
    for attempt in (files.rounds, lambda: files.keep_round(a_round(4))):
        with pytest.raises(InputError, match=r"rounds\.jsonl: cannot be .*"):
            attempt()


def counted():
    """Bytes that this process has read and written, as the system counts them."""
    said = dict(line.split(": ") for line in IO.read_text().splitlines())
    return int(said["rchar"]), int(said["wchar"])


def pretend(files, rounds):
    """Have it be as if so many rounds had been kept, one by one."""
    chain, lines = "0" * 64, []
    for number in range(1, rounds):
        lines.append(OwnRound(round=number, used=500, late=False).encoded() + b"\n")
        chain = own_rounds.chained(chain, lines[-1])
    (files.folder / EARLIER).write_bytes(b"".join(lines))
    last = LastRound("0" * 64, OwnRound(round=rounds, used=500, late=False), b"r", b"s")
    own_rounds.write_last(files.folder, last, sum(map(len, lines)), chain)


@pytest.mark.slow
@pytest.mark.skipif(not IO.exists(), reason="only Linux counts bytes")
def test_a_round_costs_the_same_after_a_hundred_thousand(files):
    cost = {}
    for rounds in (100, 100_000):
        pretend(files, rounds)
        for number in (rounds + 1, rounds + 2):
            last = LastRound("0" * 64, OwnRound(round=number, used=500, late=False), b"r", b"s")
            before = counted()
            files.keep_round(last)
            files.last_round()
            cost[rounds] = [after - b for after, b in zip(counted(), before, strict=True)]
        assert [own.round for own in files.rounds()] == list(range(1, rounds + 3))
    for early, late in zip(cost[100], cost[100_000], strict=True):
        assert abs(late - early) < 100, cost  # larger numbers have more digits
    assert (files.folder / LAST).stat().st_size < 500
