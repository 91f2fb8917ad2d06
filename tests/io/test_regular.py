"""Pipes, devices, links out of a directory and files that are too large are refused at once."""

import os
import socket
import tracemalloc
from pathlib import Path

import pytest

from fedfact.errors import InputError
from fedfact.io import limits, regular
from fedfact.io.files import read_text, read_toml
from fedfact.io.regular import is_directory, is_file, open_regular, read_bytes


def test_a_regular_file_is_read(tmp_path):
    (tmp_path / "own").write_bytes(b"bytes")
    (tmp_path / "link").symlink_to("own")
    for name in ("own", "link"):
        assert read_bytes(tmp_path / name, 5) == b"bytes"
        assert read_bytes(tmp_path / name, 5, within=tmp_path) == b"bytes"
    assert is_file(tmp_path / "own")
    assert is_directory(tmp_path)


def test_one_that_is_too_large_is_refused_unread(tmp_path):
    with (tmp_path / "own").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="1,099,511,627,776 bytes; give one of at most 10"):
        read_bytes(tmp_path / "own", 10)


def test_reading_takes_no_more_memory_than_the_file_has_bytes(tmp_path):
    (tmp_path / "own").write_bytes(b"x" * 37_000)
    tracemalloc.start()
    try:
        assert len(read_bytes(tmp_path / "own", limits.LEDGER)) == 37_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * regular.BLOCK + 100_000


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end_or_refused(tmp_path, monkeypatch):
    path = tmp_path / "own"
    path.write_bytes(b"x" * 10)
    before = path.stat()
    path.write_bytes(b"x" * 10 + b"y" * (3 * regular.BLOCK))
    size = path.stat().st_size
    monkeypatch.setattr(regular.os, "fstat", lambda _: before)
    assert read_bytes(path, size) == path.read_bytes()
    with pytest.raises(InputError, match="grows beyond the"):
        read_bytes(path, size - 1)


def test_pipes_devices_and_sockets_block_nobody(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as open_socket:
        open_socket.bind(str(tmp_path / "socket"))
    for path in (tmp_path / "pipe", Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(InputError, match="is no plain file"):
            open_regular(path, 10)
        assert not is_file(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path / "socket", "a file")


@pytest.mark.parametrize("place", ["inside/file", "inside/folder/file"])
def test_what_links_lead_out_of_a_directory_is_refused(tmp_path, place):
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("private")
    (tmp_path / "inside" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "inside" / "file").symlink_to("../outside/file")
    with pytest.raises(InputError, match="leads out of"):
        read_bytes(tmp_path / place, 10, within=tmp_path / "inside")
    (tmp_path / "linked").symlink_to("inside")  # a directory may be named by a link
    (tmp_path / "inside" / "own").write_text("own")
    assert read_bytes(tmp_path / "linked" / "own", 10, within=tmp_path / "linked") == b"own"


def test_a_name_that_no_file_can_have_is_no_file():
    assert not is_file(Path("x" * 10_000))
    assert not is_file(Path("x\0y"))
    assert not is_directory(Path("x" * 10_000))


@pytest.mark.parametrize(
    "text",
    [
        "a." * 200_000 + "a = 1",
        "[" + "'a' . " * 60_000 + "a]",
        'x = {"a"' + '."a"' * 99_999 + "=1}",
    ],
    ids=["bare", "quoted", "inline"],
)
def test_a_key_of_many_parts_is_refused_at_once(tmp_path, text):
    (tmp_path / "own.toml").write_text(f"name = 'x'\n{text}")
    with pytest.raises(InputError, match="line 2: a key of more than 16 parts"):
        read_toml(tmp_path / "own.toml")


def test_many_numbers_with_a_point_are_no_long_key(tmp_path):
    text = f"x = [{', '.join(['0.5'] * 1000)}]\ny.a.b.c.d = 1.5\nz = 'w.w.w'"
    (tmp_path / "own.toml").write_text(text)
    assert read_toml(tmp_path / "own.toml")["y"] == {"a": {"b": {"c": {"d": 1.5}}}}


def test_a_large_config_is_refused_by_its_size(tmp_path):
    (tmp_path / "own.toml").write_text("#" * (limits.TOML + 1))
    with pytest.raises(InputError, match="has 2,097,153 bytes; give a TOML file"):
        read_toml(tmp_path / "own.toml")
