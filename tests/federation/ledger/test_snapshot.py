"""Reading a ledger's file changes nothing, sees what is newest, and takes plain tables only."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from fedfact.errors import InputError, LedgerError
from fedfact.federation.agreement.delivery import Delivery
from fedfact.federation.ledger import Ledger, read_ledger
from fedfact.federation.ledger.snapshot import copy_of
from fedfact.federation.wire.keys import Key

KEY = Key(bytes(range(32)))


def said(number):
    """Any document will do."""
    return (
        1,
        "delivery",
        Delivery(
            member=f"m{number}",
            promised=1,
            delivered=1,
            counted=1,
            attended=1,
            asked=1,
            billed=1,
            last_round=1,
            left=False,
        ),
    )


def written(path, entries=3):
    ledger = Ledger.at(str(path), new=True)
    for number in range(entries):
        ledger.add(KEY, [said(number)])
    ledger.close()
    return path


def state(folder):
    """All that can be seen of a folder: names, bytes, times."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
    }


def test_a_schema_that_is_damaged_and_no_text_is_refused(tmp_path):
    path = written(tmp_path / "ledger.db")
    data = path.read_bytes()
    assert b"TEXT NOT NULL" in data
    path.write_bytes(data.replace(b"NOT NULL", b"NOT \x93\xba\xb1\xb2", 1))
    with pytest.raises(LedgerError, match="cannot be used"):
        read_ledger(str(path))


# A writer that is killed with its pages in the file and its journal beside it.
TORN = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=DELETE")
connection.execute("PRAGMA cache_size=1")
connection.execute("PRAGMA synchronous=OFF")
connection.execute("BEGIN")
connection.execute("UPDATE fedfact_ledger SET body = zeroblob(20000)")
os.kill(os.getpid(), signal.SIGKILL)
"""

# A writer that is killed with its entries in the log only.
LOGGED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=WAL")
connection.execute(
    "INSERT INTO fedfact_ledger SELECT number + 10, season, kind, time, body, previous, "
    "hash || 'x', signature FROM fedfact_ledger"
)
os.kill(os.getpid(), signal.SIGKILL)
"""


def left_by(program, path):
    subprocess.run([sys.executable, "-c", program, path], check=False)


@pytest.mark.parametrize("writable", [True, False])
def test_a_hot_journal_is_rolled_back_in_the_copy_only(tmp_path, writable):
    path = written(tmp_path / "evidence.db")
    good = read_ledger(str(path))
    left_by(TORN, path)
    assert (tmp_path / "evidence.db-journal").stat().st_size > 0
    before = state(tmp_path)
    tmp_path.chmod(0o700 if writable else 0o500)
    assert read_ledger(str(path)) == good
    assert state(tmp_path) == before
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("shared", [True, False])
def test_what_is_in_the_log_only_is_read_and_the_log_stays(tmp_path, shared):
    path = written(tmp_path / "evidence.db")
    left_by(LOGGED, path)
    if not shared:
        (tmp_path / "evidence.db-shm").unlink()
    before = state(tmp_path)
    assert "evidence.db-wal" in before
    tmp_path.chmod(0o500)
    assert [entry.number for entry in read_ledger(str(path))] == [0, 1, 2, 10, 11, 12]
    assert state(tmp_path) == before
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_live_ledger_shows_its_newest_entry_and_nobody_waits(tmp_path, mode):
    path = written(tmp_path / "ledger.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as live:
        live.execute(f"PRAGMA journal_mode={mode}")
        for number in range(3, 30):
            live.execute(
                "INSERT INTO fedfact_ledger SELECT ?, season, kind, time, body, previous, ?, "
                "signature FROM fedfact_ledger WHERE number = 0",
                (number, str(number)),
            )
            assert len(read_ledger(str(path))) == number + 1
            if number % 10 == 0:
                live.execute("PRAGMA wal_checkpoint(RESTART)")
        live.execute("BEGIN EXCLUSIVE")  # a writer at work keeps no reader out
        assert len(read_ledger(str(path))) == 30


def test_a_copy_that_a_writer_came_between_is_taken_again(tmp_path, monkeypatch):
    path = written(tmp_path / "ledger.db")
    live = sqlite3.connect(path, isolation_level=None)
    live.execute("PRAGMA journal_mode=WAL")
    row = (
        "INSERT INTO fedfact_ledger SELECT ?, season, kind, time, body, previous, ?, signature "
        "FROM fedfact_ledger WHERE number = 0"
    )
    live.execute(row, (3, "3"))
    from fedfact.federation.ledger import snapshot

    once, copy_one = [], snapshot._copy_one

    def meanwhile(source, target, *, needed):
        copy_one(source, target, needed=needed)
        if needed and not once:  # the file is copied: now all goes from the log into it
            once.append(live.execute("PRAGMA wal_checkpoint(RESTART)").fetchall())
            live.execute(row, (4, "4"))

    monkeypatch.setattr(snapshot, "_copy_one", meanwhile)
    assert [entry.number for entry in read_ledger(str(path))] == [0, 1, 2, 3, 4]
    live.close()


BAD = {
    "a view": "ALTER TABLE fedfact_ledger RENAME TO own; "
    "CREATE VIEW fedfact_ledger AS SELECT * FROM own",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON fedfact_ledger BEGIN SELECT 1; END",
    "another table": "CREATE TABLE more (x TEXT)",
    "an index of an expression": "CREATE INDEX i ON fedfact_ledger (upper(kind))",
    "a virtual table": "DROP TABLE fedfact_ledger; "
    "CREATE VIRTUAL TABLE fedfact_ledger USING fts5(number, season, kind)",
    "a column that is worked out": "ALTER TABLE fedfact_ledger ADD COLUMN x TEXT AS (kind)",
    "a key that is text": "DROP TABLE fedfact_ledger; CREATE TABLE fedfact_ledger "
    "(number TEXT, season TEXT, kind TEXT, time TEXT, body TEXT, previous TEXT, hash TEXT, "
    "signature TEXT)",
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_what_is_no_plain_table_is_refused(tmp_path, change):
    path = written(tmp_path / "evidence.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(change)
    before = state(tmp_path)
    with pytest.raises(LedgerError, match="than a ledger's"):
        read_ledger(str(path))
    assert state(tmp_path) == before


def test_a_journal_that_names_another_file_removes_none(tmp_path):
    path = written(tmp_path / "evidence.db")
    left_by(TORN, path)
    victim, journal = tmp_path / "victim", tmp_path / "evidence.db-journal"
    victim.write_text("of the auditor's own\n")
    name = os.fsencode(victim)
    tail = len(name).to_bytes(4, "big") + (sum(name) & 0xFFFFFFFF).to_bytes(4, "big")
    with journal.open("ab") as file:
        file.write(b"\0\0\0\1" + name + tail + bytes.fromhex("d9d505f920a163d7"))
    with pytest.raises(LedgerError, match="journal of several"):
        read_ledger(str(path))
    assert victim.exists()


@pytest.mark.parametrize("ending", ["", "-wal", "-journal"])
def test_a_pipe_in_the_place_of_a_file_blocks_nobody(tmp_path, ending):
    path = written(tmp_path / "ledger.db")
    place = tmp_path / f"ledger.db{ending}"
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(Exception, match=r"no plain file|there is no ledger"):
        read_ledger(str(path))


def test_a_url_of_sqlite_is_read_from_a_copy_too(tmp_path):
    path = written(tmp_path / "ledger.db")
    left_by(LOGGED, path)
    before = state(tmp_path)
    assert len(read_ledger(f"sqlite:///{path}")) == 6
    assert state(tmp_path) == before


@pytest.mark.parametrize("options", ["?timeout=5", "?uri=true", "?mode=rw&x=1"])
def test_a_url_with_options_would_be_read_in_its_place_and_is_refused(tmp_path, options):
    """A directory that somebody hands over may name its ledger so, in ``ledger.url``."""
    path = written(tmp_path / "ledger.db")
    left_by(LOGGED, path)
    (tmp_path / "ledger.url").write_text(f"sqlite:///{path}{options}\n")
    before = state(tmp_path)
    with pytest.raises(InputError, match=r"cannot be used; write .* or sqlite:///PATH"):
        read_ledger(str(tmp_path))
    assert state(tmp_path) == before


def test_a_full_disk_is_told_of(tmp_path, monkeypatch):
    path = written(tmp_path / "ledger.db")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fedfact.federation.ledger.snapshot.copyfileobj", full)
    with pytest.raises(LedgerError, match="no space left"), copy_of(path):
        pass
