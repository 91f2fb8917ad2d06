"""The ledger: it only grows, by whole batches, whatever happens to the process or the disk."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from fedfact.errors import FedfactError, LedgerError
from fedfact.federation.agreement.lines import Posting
from fedfact.federation.audit.laws import Fault
from fedfact.federation.audit.verify import chain, times
from fedfact.federation.ledger.entry import FIRST, Entry, Unreadable
from fedfact.federation.ledger.export import export, read_export
from fedfact.federation.ledger.store import Ledger, read_ledger
from fedfact.federation.wire.keys import Key
from fedfact.io import limits

KEY = Key(bytes(range(32)))


def batch(number, size=3, account="operator"):
    return [(1, "posting", Posting(account=account, amount=number)) for _ in range(size)]


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "ledger.db")


@pytest.fixture
def ledger(place):
    with_it = Ledger.at(place, new=True)
    yield with_it
    with_it.close()


def test_entries_are_chained_and_signed(ledger):
    assert ledger.entries() == []
    first, second = ledger.add(KEY, batch(1, 1)), ledger.add(KEY, batch(2, 2))
    entries = ledger.entries()
    assert entries == [*first, *second]
    assert [entry.number for entry in entries] == [0, 1, 2]
    assert entries[0].previous == FIRST
    assert [entry.previous for entry in entries[1:]] == [entry.hash for entry in entries[:-1]]
    assert chain(entries).startswith("3 entries")
    assert ledger.entries(2) == second[1:]
    assert ledger.entries(9) == []
    assert [json.loads(entry.body)["amount"] for entry in entries] == [1, 2, 2]


def test_a_ledger_can_only_be_read_and_added_to():
    assert {name for name in vars(Ledger) if not name.startswith("_")} == {
        "at",
        "add",
        "close",
        "copy",  # into an empty one, of entries as they are
        "entries",
    }
    entry = Entry(0, 1, "a", "b", "c", "d", "e", "f")
    with pytest.raises(AttributeError):
        entry.body = "other"


def test_nothing_is_added_by_an_empty_batch(ledger):
    assert ledger.add(KEY, []) == []
    assert ledger.entries() == []


def test_a_clock_that_is_set_back_never_turns_the_times_back(ledger, monkeypatch):
    hours = iter([9, 12, 10, 8, 11, 13])

    class Clock(datetime):
        @classmethod
        def now(cls, zone):
            return datetime(2026, 7, 1, next(hours), tzinfo=zone)

    monkeypatch.setattr("fedfact.federation.ledger.store.datetime", Clock)
    for _ in range(2):
        ledger.add(KEY, batch(1))
    entries = ledger.entries()
    assert [entry.time[11:13] for entry in entries] == ["09", "12", "12", "12", "12", "13"]
    assert times(entries)


@pytest.mark.parametrize("days", [400, 2_900_000, -400])
def test_a_clock_that_is_set_by_days_is_refused_before_an_entry_has_its_time(
    place, ledger, monkeypatch, days
):
    """Times never go back: after one from the year 9999 there could be no other."""
    ledger.add(KEY, batch(1))

    class Clock(datetime):
        @classmethod
        def now(cls, zone):
            return datetime.now(zone) + timedelta(days=days)

    with monkeypatch.context() as patch:
        patch.setattr("fedfact.federation.ledger.store.datetime", Clock)
        with pytest.raises(LedgerError, match=r"clock was set while this ran, to .* see"):
            ledger.add(KEY, batch(2))
    ledger.add(KEY, batch(3))
    assert [json.loads(entry.body)["amount"] for entry in ledger.entries()] == [1] * 3 + [3] * 3
    assert times(ledger.entries())


def test_a_time_that_is_yet_to_come_is_found_and_one_of_today_is_not(ledger, monkeypatch):
    for hours, found in ((20, None), (28, "yet to come"), (24 * 365 * 7000, "yet to come")):
        at = (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")
        entries = [Entry(0, 1, "posting", at, "{}", FIRST, "hash", "signature")]
        if found is None:
            assert times(entries)
            continue
        with pytest.raises(Fault, match=found):
            times(entries)


class Wrong:
    def encoded(self):
        raise RuntimeError("in the middle")


@pytest.mark.parametrize("place_of_it", [0, 1, 2])
def test_an_exception_in_the_middle_leaves_nothing(ledger, place_of_it):
    ledger.add(KEY, batch(1))
    documents = batch(2)
    documents.insert(place_of_it, (1, "posting", Wrong()))
    with pytest.raises(RuntimeError, match="in the middle"):
        ledger.add(KEY, documents)
    assert len(ledger.entries()) == 3
    ledger.add(KEY, batch(3))
    assert chain(ledger.entries()).startswith("6 entries")


def test_a_second_writer_is_found_before_anything_is_written(place, ledger):
    other = Ledger.at(place)
    assert ledger.entries() == other.entries() == []
    ledger.add(KEY, batch(1))
    for _ in range(2):
        with pytest.raises(LedgerError, match="written to by somebody else; stop that one"):
            other.add(KEY, batch(2))
    ledger.add(KEY, batch(3))
    assert [json.loads(entry.body)["amount"] for entry in ledger.entries()] == [1] * 3 + [3] * 3
    other.close()
    again = Ledger.at(place)
    again.add(KEY, batch(4))
    again.close()
    with pytest.raises(LedgerError, match="somebody else"):
        ledger.add(KEY, batch(5))
    assert chain(read_ledger(place)).startswith("9 entries")


def test_a_writer_between_reading_and_writing_is_found_too(place, ledger, monkeypatch):
    """The other one adds its entries after the head was read: the data base refuses."""
    ledger.add(KEY, batch(1))
    other, sign = Ledger.at(place), Key.sign

    def slow(key, purpose, data):
        if other is not None and not slow.done:
            slow.done = True
            other.add(KEY, batch(2))
        return sign(key, purpose, data)

    slow.done = False
    monkeypatch.setattr(Key, "sign", slow)
    with pytest.raises(LedgerError, match="somebody else"):
        ledger.add(KEY, batch(3))
    other.close()
    assert [json.loads(entry.body)["amount"] for entry in ledger.entries()] == [1] * 3 + [2] * 3


def test_a_locked_data_base_is_a_refusal(place, ledger, monkeypatch):
    sa.event.listen(
        ledger._engine, "connect", lambda raw, _: raw.execute("PRAGMA busy_timeout=10").close()
    )
    ledger._engine.dispose()
    holder = sqlite3.connect(place, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="locked"):
        ledger.add(KEY, batch(1))
    holder.execute("ROLLBACK")
    holder.close()
    assert len(ledger.add(KEY, batch(1))) == 3


def test_a_reader_never_keeps_the_writer_waiting(place, ledger):
    ledger.add(KEY, batch(1))
    reader = sqlite3.connect(place, isolation_level=None)
    reader.execute("BEGIN")
    wanted = "SELECT count(*) FROM fedfact_ledger"
    assert reader.execute(wanted).fetchone() == (3,)
    began = time.monotonic()
    ledger.add(KEY, batch(2))  # a lock that is held is waited for ten seconds, then refused
    assert time.monotonic() - began < 5
    assert reader.execute(wanted).fetchone() == (3,)  # it reads on as it began
    reader.execute("COMMIT")
    assert reader.execute(wanted).fetchone() == (6,)
    reader.close()


def test_when_it_is_closed_all_of_it_is_in_the_one_file(place, ledger, tmp_path):
    ledger.add(KEY, batch(1))
    assert (tmp_path / "ledger.db-wal").stat().st_size > 0
    ledger.close()
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]
    copy = tmp_path / "copy.db"
    copy.write_bytes((tmp_path / "ledger.db").read_bytes())
    assert chain(read_ledger(str(copy))).startswith("3 entries")


def test_of_a_killed_writer_the_log_is_part_of_the_ledger(place, ledger, tmp_path):
    ledger.add(KEY, batch(1))
    backup = tmp_path / "backup"
    backup.mkdir()
    for path in list(tmp_path.glob("ledger.db*")):  # as a kill would leave them
        if not path.name.endswith("-shm"):
            (backup / path.name).write_bytes(path.read_bytes())
    assert chain(read_ledger(str(backup / "ledger.db"))).startswith("3 entries")


def test_a_ledger_on_a_read_only_medium_can_be_read(place, ledger, tmp_path, monkeypatch):
    ledger.add(KEY, batch(1))
    ledger.close()
    monkeypatch.setattr("os.access", lambda path, how: how != os.W_OK)
    before = (tmp_path / "ledger.db").read_bytes()
    assert chain(read_ledger(place)).startswith("3 entries")
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]
    assert (tmp_path / "ledger.db").read_bytes() == before


@pytest.mark.thorough
def test_a_ledger_on_a_medium_mounted_read_only_can_be_read(tmp_path):
    disk = tmp_path / "disk ä?"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no rights to mount a disk here")
    try:
        ledger = Ledger.at(str(disk / "ledger.db"), new=True)
        ledger.add(KEY, batch(1))
        ledger.close()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert chain(read_ledger(str(disk / "ledger.db"))).startswith("3 entries")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# Children of one process add batches until they are killed, at times drawn at random.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from fedfact.federation.wire.document import Document
from fedfact.federation.wire.keys import Key
from fedfact.federation.ledger.store import Ledger

class Posting(Document):
    account: str
    amount: int

place, times = sys.argv[1], int(sys.argv[2])
key, size = Key(bytes(32)), 7
random.seed(5)
seen = 0
for turn in range(times):
    heard, tell = os.pipe()
    child = os.fork()
    if child == 0:
        ledger = Ledger.at(place, new=True)
        while True:
            posting = Posting(account="operator", amount=turn)
            ledger.add(key, [(1, "posting", posting)] * size)
            os.write(tell, b".")
    if turn % 2:
        os.read(heard, 1)  # one batch is there
    time.sleep(random.uniform(0, 0.1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(heard)
    os.close(tell)
    ledger = Ledger.at(place, new=True)
    entries = ledger.entries()
    ledger.close()
    assert len(entries) % size == 0, (turn, len(entries))
    assert len(entries) >= seen
    seen = len(entries)
print(seen)
"""


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("times", [15, pytest.param(120, marks=pytest.mark.thorough)])
def test_a_killed_writer_never_leaves_part_of_a_batch(place, times):
    assert int(run(KILLED, place, times)) >= 7 * (times // 2)
    assert not chain(read_ledger(place)).startswith("0 ")


# Several processes add to one ledger as fast as they can; each opens it anew when refused.
RACE = """
import sys
from fedfact.federation.wire.document import Document
from fedfact.federation.wire.keys import Key
from fedfact.federation.ledger.store import Ledger
from fedfact.errors import LedgerError

class Posting(Document):
    account: str
    amount: int

place, own = sys.argv[1], int(sys.argv[2])
key, added, refused = Key(bytes(32)), 0, 0
while added < 5:
    ledger = Ledger.at(place)
    ledger.entries()
    try:
        while added < 5:
            ledger.add(key, [(1, "posting", Posting(account="operator", amount=own))] * 4)
            added += 1
    except LedgerError as error:
        assert "somebody else" in str(error) or "locked" in str(error), error
        refused += 1
    finally:
        ledger.close()
print(refused)
"""


def test_writers_that_race_lose_and_double_nothing(place, ledger):
    command = [sys.executable, "-c", RACE, place]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    racers = [subprocess.Popen([*command, str(number)], **pipes) for number in range(3)]
    ends = [racer.communicate(timeout=120) for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0, 0], ends
    entries = ledger.entries()
    assert chain(entries).startswith("60 entries")
    amounts = [json.loads(entry.body)["amount"] for entry in entries]
    assert [amounts[k : k + 4] for k in range(0, 60, 4)] == [[each] * 4 for each in amounts[::4]]
    assert sorted(amounts) == [0] * 20 + [1] * 20 + [2] * 20


# The system refuses to let any file grow beyond a size; then it allows it again.
FULL = """
import resource, sys
from fedfact.federation.wire.document import Document
from fedfact.federation.wire.keys import Key
from fedfact.federation.ledger.store import Ledger
from fedfact.errors import LedgerError

class Posting(Document):
    account: str
    amount: int

place, room = sys.argv[1], int(sys.argv[2])
key, size = Key(bytes(32)), 50
ledger = Ledger.at(place, new=True)
documents = [(1, "posting", Posting(account="operator", amount=1))] * size
ledger.add(key, documents)
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
batches = 1
try:
    while True:
        ledger.add(key, documents)
        batches += 1
except LedgerError as error:
    print(error)
for _ in range(3):
    try:
        ledger.add(key, documents)
        batches += 1  # other hashes may need a page less of the index, and just fit in
    except LedgerError:
        continue
assert len(ledger.entries()) == batches * size
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert len(ledger.entries()) == batches * size
ledger.add(key, documents)
entries = ledger.entries()
assert len(entries) == (batches + 1) * size
"""


@pytest.mark.parametrize("room", [90_000, 131_072, 200_001])
def test_a_full_disk_is_a_clear_stop_and_nothing_is_half_written(place, room):
    says = run(FULL, place, room)
    assert says.startswith("the ledger cannot be used (")
    assert "nothing was written by halves. Make room" in says
    assert chain(read_ledger(place))


def fill(ledger):
    for number in range(100):
        ledger.add(KEY, batch(number, 10))


def test_a_full_data_base_is_a_clear_stop_and_goes_on_after_room_is_made(ledger):
    pages = [12]

    @sa.event.listens_for(ledger._engine, "connect")
    def limit(raw, _):
        raw.execute(f"PRAGMA max_page_count={pages[0]}").close()

    ledger._engine.dispose()
    with pytest.raises(
        LedgerError, match=r"database or disk is full.*nothing was written by halves"
    ):
        fill(ledger)
    written = len(ledger.entries())
    assert written
    assert written % 10 == 0
    pages[0] = 1000
    ledger._engine.dispose()
    ledger.add(KEY, batch(7, 10))
    assert chain(ledger.entries()).startswith(f"{written + 10} entries")


def test_places_without_a_ledger_are_refused_and_left_alone(tmp_path):
    with pytest.raises(FedfactError, match="there is no ledger"):
        read_ledger(str(tmp_path / "nothing.db"))
    with pytest.raises(FedfactError, match="there is no ledger"):
        read_ledger(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "text.db").write_text("this is no data base, but a letter to my aunt\n" * 100)
    with pytest.raises(FedfactError, match=r"text\.db: the ledger cannot be used .*not a database"):
        read_ledger(str(tmp_path / "text.db"))
    (tmp_path / "empty.db").touch()
    with pytest.raises(FedfactError, match="there is no ledger in this data base"):
        read_ledger(str(tmp_path / "empty.db"))
    assert (tmp_path / "empty.db").read_bytes() == b""


def test_a_foreign_data_base_is_refused_and_not_written_to(tmp_path):
    path = tmp_path / "photos.db"
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE photos (name TEXT)")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(FedfactError, match=r"photos\.db: there is no ledger in this data base"):
        read_ledger(str(path))
    assert path.read_bytes() == before
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE fedfact_ledger (number INTEGER, story TEXT)")
    foreign.close()
    with pytest.raises(FedfactError, match=r"photos\.db: holds more, or other, than a ledger"):
        read_ledger(str(path))


@pytest.mark.parametrize("name", ["what?.db", "100%.db", "a#b.db", "ä ö.db", "q?mode=ro.db"])
def test_a_file_may_have_any_name(tmp_path, name):
    ledger = Ledger.at(str(tmp_path / name), new=True)
    ledger.add(KEY, batch(1))
    ledger.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert len(read_ledger(str(tmp_path / name))) == 3


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("kind", b"\x80"),
        ("body", b"bytes"),
        ("time", "CAST(x'ff' AS TEXT)"),
        ("hash", b"\x00"),
        ("signature", b""),
    ],
)
def test_a_row_that_holds_no_text_is_refused(place, ledger, column, value):
    ledger.add(KEY, batch(1))
    with sqlite3.connect(place) as raw:
        wanted = value if isinstance(value, str) else f"x'{value.hex()}'"
        raw.execute(f"UPDATE fedfact_ledger SET {column} = {wanted} WHERE number = 1")
    raw.close()
    with pytest.raises(Unreadable, match="entry 1: cannot be read; restore the ledger"):
        ledger.entries()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:pass:word@host:port/name",
        "postgresql://user:s3cret@host:99999999999/x",
        "nonsense://user:s3cret@host/name",
        "://s3cret",
        "sqlite:///x.db?timeout=s3cret",
        "postgresql+nodriver://u:s3cret@h/x",
        "mysql+mysqldb://u:s3cret@h/x",
        "sqlite://s3cret}te://s3cret}",
    ],
)
@pytest.mark.parametrize("reads", [Ledger.at, read_ledger])
def test_a_wrong_url_is_refused_without_being_repeated(tmp_path, monkeypatch, url, reads):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FedfactError) as refused:
        reads(url)
    assert "s3cret" not in str(refused.value)
    assert "pass:word" not in str(refused.value)


NASTY = "lines\n\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\x00\ufeff\"'\\ and 🌲"


def test_an_export_reads_back_whatever_the_texts(tmp_path):
    entries = [
        Entry(number, 1, NASTY, NASTY, f'{{"why":"{NASTY}"}}', FIRST, "hash", "signature")
        for number in range(3)
    ]
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(export(entries))
    assert read_export(path) == entries == read_ledger(str(path))
    path.write_bytes(b"")
    assert read_export(path) == []


@pytest.fixture
def exported(ledger, tmp_path):
    ledger.add(KEY, batch(1))
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(export(ledger.entries()))
    return path


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (lambda text: b"\xef\xbb\xbf" + text, 1),
        (lambda text: text[:-1], 3),
        (lambda text: text[:-9], 3),
        (lambda text: text + b"\n", 4),
        (lambda text: text + b"{}\n", 4),
        (lambda text: text + b"[]\n", 4),
        (lambda text: text + b"[" * 50_000 + b"\n", 4),
        (lambda text: text + b"1" * 5000 + b"\n", 4),
        (lambda text: text.replace(b"\n", b"\r\n"), 1),
        (lambda text: text.replace(b'"number":1,', b'"number":1, '), 2),
        (lambda text: text.replace(b'"number":1,', b'"number":true,'), 2),
        (lambda text: text.replace(b'"number":1,', b'"number":1.0,'), 2),
        (lambda text: text.replace(b'"number":1,', b'"number":"1",'), 2),
        (lambda text: text.replace(b'"number":1,', b'"number":1' + b"0" * 30 + b","), 2),
        (lambda text: text.replace(b'"number":1,', b""), 2),
        (lambda text: text.replace(b'"number":1,', b'"more":1,"number":1,'), 2),
        (lambda text: text.replace(b'"number":1,', b'"number":1,"number":1,'), 2),
        (lambda text: text.replace(b'"season":1,', b"", 1), 1),
        (lambda text: text.replace(b'"season":1,', b'"season":true,', 1), 1),
        (lambda text: text.replace(b'"season":1,', b'"season":1.0,', 1), 1),
        (lambda text: text.replace(b"posting", b"\xff", 1), 1),
        (lambda text: text.replace(b'"posting"', b"null", 1), 1),
        (lambda text: text.replace(b'"posting"', b"[]", 1), 1),
        (lambda text: text.replace(b'"posting"', b'"\\ud800"', 1), 1),
        (lambda text: text.replace(b'"posting"', b'"\\u0070osting"', 1), 1),
    ],
)
def test_an_export_is_exactly_as_it_was_written(exported, wrong, line):
    exported.write_bytes(wrong(exported.read_bytes()))
    with pytest.raises(LedgerError, match=rf"ledger\.jsonl, line {line}: is"):
        read_export(exported)


def test_a_line_that_is_too_long_is_refused_before_it_is_read(exported, monkeypatch):
    text = exported.read_bytes()
    monkeypatch.setattr(limits, "ENTRY", len(text))
    monkeypatch.setattr(limits, "MIB", 0)
    assert len(read_export(exported)) == 3
    exported.write_bytes(text + b"[" + b"{}," * len(text) + b"{}]\n")
    with pytest.raises(Unreadable, match="line 4: is longer than an entry can be") as refused:
        read_export(exported)
    assert len(refused.value.before) == 3


def test_an_export_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(LedgerError, match="cannot be read"):
        read_ledger(str(tmp_path / "nothing.jsonl"))
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(LedgerError, match="cannot be read"):
        read_export(tmp_path / "folder.jsonl")


def test_a_directory_names_its_ledger(tmp_path, place, ledger):
    ledger.add(KEY, batch(1))
    assert read_ledger(str(tmp_path)) == ledger.entries()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ledger.url").write_text(f"sqlite:///{place}\n")
    assert read_ledger(str(tmp_path / "elsewhere")) == ledger.entries()


def test_the_hash_covers_every_part_of_an_entry(ledger):
    entry = ledger.add(KEY, batch(1))[0]
    changed = {"number": 7, "season": 2, "kind": "x", "time": "x", "body": "x", "previous": "x"}
    for name, value in changed.items():
        other = replace(entry, **{name: value})
        assert other.own_hash() != other.hash
    assert asdict(entry).keys() == {*changed, "hash", "signature"}
    moved = replace(entry, kind=entry.kind + entry.time, time="")
    assert moved.own_hash() != entry.hash
