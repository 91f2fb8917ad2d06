"""Hostile backups by somebody who knows the passphrase: nothing is written outside, ever."""

import json

import pytest

from fedfact.errors import FedfactError, InputError
from fedfact.federation.backup.packed import About, Piece, packed
from fedfact.federation.backup.restore import restore
from fedfact.federation.backup.sealed import Sealer
from fedfact.federation.wire.canonical import canonical

WORDS = "apple river stone"
ABOUT = About(
    format=1, of="member", consortium=None, time="2026-11-19T00:00:00+00:00", entries=None
)

pytestmark = pytest.mark.usefixtures("quick")


def raw(path="x", mode=0o600, size=0, **more):
    data = canonical({"path": path, "mode": mode, "size": size} | more)
    return len(data).to_bytes(4, "big") + data


@pytest.fixture
def unpack(tmp_path):
    """Restores these parts; everything that is there afterwards outside the backup itself."""

    def run(*parts, about=ABOUT):
        outside = tmp_path / "deep" / "er"
        outside.mkdir(parents=True, exist_ok=True)
        with (tmp_path / "hostile.backup").open("wb") as file:
            sealer = Sealer(file, WORDS)
            for each in (packed(about), *parts):
                sealer.write(each)
            sealer.close()
        try:
            restore(tmp_path / "hostile.backup", outside / "new", WORDS)
        finally:
            run.there = sorted(
                path.relative_to(tmp_path).as_posix()
                for path in tmp_path.rglob("*")
                if path.name != "hostile.backup"
            )

    return run


def test_plain_files_and_folders_are_restored_with_their_modes(unpack, tmp_path):
    unpack(
        raw("member.key", 0o600, 3) + b"abc",
        raw("season-1", 0o755, None),
        raw("season-1/terms.json", 0o666, 1) + b"x",
        raw("empty", 0o000, 0),
    )
    new = tmp_path / "deep/er/new"
    assert (new / "member.key").read_bytes() == b"abc"
    modes = {
        path.relative_to(new).as_posix(): path.stat().st_mode & 0o777 for path in new.rglob("*")
    }
    assert modes == {
        "member.key": 0o600,
        "season-1": 0o755,
        "season-1/terms.json": 0o644,  # nobody else writes
        "empty": 0o400,
    }
    assert new.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x",
        "..",
        ".",
        "",
        "a/../../x",
        "a//b",
        "a/",
        "./a",
        "..\\x",
        "a\\..\\..\\x",
        "C:/x",
        "a\0b",
        "a\nb",
        "x" * 256,
        "a/" * 2048 + "a",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(unpack, path):
    with pytest.raises(InputError, match=r"no path inside|at most 4096"):
        unpack(raw("a", size=None), raw(path, size=1), b"x")
    assert unpack.there == ["deep", "deep/er"]


@pytest.mark.parametrize(
    "parts",
    [
        [raw("x", size=1) + b"1", raw("x", size=1) + b"2"],
        [raw("x", size=1) + b"1", raw("x/y", size=1) + b"2"],
        [raw("x/y", size=1) + b"2"],
        [raw("x", size=None), raw("x", size=None)],
        [raw("x", mode=0o4755)],
        [raw("x", mode=-1)],
        [raw("x", size=-1)],
        [raw("x", size=1 << 62)],
        [raw("x", size=5) + b"1234"],
        [raw("x", link="/etc/passwd")],
        [raw("x", kind="link")],
        [raw("flare", size=None)],
        [raw("ledger.db", size=1) + b"x"],
        [raw("ledger.url", size=1) + b"x"],
        [b"\xff\xff\xff\xff"],
        [b"\0\0"],
        [b"\0\0\0\2{"],
        [b"\0\0\0\1{"],
        [json.dumps({"path": "x"}).encode()],
    ],
)
def test_parts_that_cannot_be_are_refused_and_nothing_is_left(unpack, parts):
    with pytest.raises(InputError, match=r"hostile\.backup"):
        unpack(raw("first", size=1) + b"x", *parts)
    assert unpack.there == ["deep", "deep/er"]


def test_an_operators_backup_without_a_ledger_as_it_was_exported_is_refused(unpack):
    about = ABOUT.model_copy(update={"of": "operator", "entries": 1})
    for parts in ([], [raw("ledger.jsonl", size=3) + b"{}\n"]):
        with pytest.raises(FedfactError, match=r"ledger\.jsonl"):
            unpack(*parts, about=about)
        assert unpack.there == ["deep", "deep/er"]


def test_a_backup_of_another_format_is_refused(unpack):
    later = packed(ABOUT).replace(b'"format":1', b'"format":2')
    with pytest.raises(InputError, match="about of format 2"):
        unpack(about=type("Later", (), {"encoded": lambda self: later[4:]})())


def test_a_part_says_what_it_is():
    assert packed(Piece(path="a", mode=0o600, size=2))[4:] == b'{"mode":384,"path":"a","size":2}'
