"""A few bytes of Parquet can stand for gigabytes: these are refused before memory is taken."""

import contextlib
import os
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fedfact.errors import InputError
from fedfact.study.files.pages import extent
from fedfact.study.files.parquet import read_table


def test_numbers_texts_and_lists_come_back(tmp_path):
    table = {"agent": ["a", "b"], "x": [1.5, -2.0], "labels": [[1, 2], [3]], "won": [True, False]}
    pq.write_table(pa.table(table), tmp_path / "own.parquet")
    found = read_table(tmp_path / "own.parquet", tmp_path)
    assert {
        name: [*map(list, found["labels"])] if name == "labels" else found[name].tolist()
        for name in found
    } == table


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_the_heads_of_the_pages_say_what_the_pages_hold(tmp_path, version, compression):
    path, rows = tmp_path / "own.parquet", 50_000
    table = pa.table({"x": np.arange(rows) / 7, "agent": ["a", "b"] * (rows // 2)})
    how = {"use_dictionary": ["agent"], "compression": compression}
    pq.write_table(
        table, path, row_group_size=20_000, data_page_version=version, data_page_size=4096, **how
    )
    about = pq.ParquetFile(path).metadata
    found = extent(path.read_bytes(), about)
    assert found.values == 2 * rows + 2 * 3  # and a dictionary of two in each of three groups
    chunks = [about.row_group(k).column(c) for k in range(3) for c in range(2)]
    heads = sum(chunk.total_uncompressed_size for chunk in chunks) - found.size
    assert 10 * found.pages < heads < 100 * found.pages
    assert read_table(path, tmp_path)["x"].tolist() == table["x"].to_pylist()


def written(table, path, **how):
    pq.write_table(table, path, **how)


def one_text_for_many_rows(path):
    rows = pa.array(np.zeros(1_000_000, np.int32))
    texts = pa.DictionaryArray.from_arrays(rows, pa.array(["x" * 100_000]))
    written(pa.table({"agent": texts}), path)


def one_text_for_a_long_list(path):
    written(pa.table({"agents": [["x" * 100_000] * 3_000]}), path)


def text_by_what_it_shares_with_the_one_before(path):
    how = {"use_dictionary": False, "column_encoding": {"agent": "DELTA_BYTE_ARRAY"}}
    written(pa.table({"agent": ["x" * 100_000] * 3_000}), path, **how)


def a_long_footer(path):
    written(pa.table({"x": [1]}).replace_schema_metadata({"x": "y" * 750_000}), path)


def footer_that_lies_about_its_size(path):
    how = {"use_dictionary": False, "write_statistics": False, "compression": "zstd"}
    written(pa.table({"agent": ["x" * 300_000_000]}), path, store_schema=False, **how)
    group = pq.ParquetFile(path).metadata.row_group(0)
    tell(path, {group.total_byte_size, group.column(0).total_uncompressed_size}, 1000)


def footer_that_lies_about_its_values(path):
    written(pa.table({"x": [np.zeros(50_000_000, np.int8)]}), path)
    tell(path, {pq.ParquetFile(path).metadata.row_group(0).column(0).num_values}, 1000)


def tell(path, wrong, instead):
    """Make the footer say another number wherever it says one of these."""
    data = path.read_bytes()
    start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    footer = data[start:-8]
    for number in wrong:
        assert footer.count(varint(number))
        footer = footer.replace(varint(number), varint(instead, len(varint(number))))
    path.write_bytes(data[:start] + footer + data[-8:])


def varint(number, length=1):
    """A number above 0 as Thrift has it, in at least so many bytes."""
    number, out = number << 1, []
    while number or len(out) < length:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out[:-1], out[-1] & 127])


TOO_MUCH = "holds more than 20,000,000 values, or 256 MiB"
BOMBS = {
    "rows": (lambda path: written(pa.table({"x": np.zeros(50_000_000, np.int8)}), path), TOO_MUCH),
    "one long list": (
        lambda path: written(pa.table({"x": [np.zeros(50_000_000, np.int8)]}), path),
        TOO_MUCH,
    ),
    "columns": (
        lambda path: written(pa.table({f"c{k}": [0] for k in range(2_000)}), path),
        TOO_MUCH,
    ),
    "a text for many rows": (one_text_for_many_rows, TOO_MUCH),
    "a text for a long list": (one_text_for_a_long_list, "which no study has"),
    "shared beginnings": (text_by_what_it_shares_with_the_one_before, "encoding"),
    "a long footer": (a_long_footer, TOO_MUCH),
    "a lie about the size": (footer_that_lies_about_its_size, TOO_MUCH),
    "a lie about the values": (footer_that_lies_about_its_values, TOO_MUCH),
}


@pytest.mark.parametrize(("make", "why"), BOMBS.values(), ids=BOMBS)
def test_what_unpacks_to_too_much_is_refused(tmp_path, make, why):
    make(tmp_path / "own.parquet")
    assert (tmp_path / "own.parquet").stat().st_size < 2_000_000
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from fedfact.study.files.parquet import read_table\n"
        "def most():\n"  # getrusage would begin with what the process that started this one has
        "    return int(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "before = most()\n"
        "try:\n"
        "    read_table(Path(sys.argv[1]), Path(sys.argv[1]).parent)\n"
        "except Exception as error:\n"
        "    print(error)\n"
        "print(most() - before)\n"
    )
    run = [sys.executable, "-c", code, tmp_path / "own.parquet"]
    said, grown = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[:2]
    assert why in said
    assert int(grown) < 100 * 1024  # KiB


def test_whatever_is_changed_in_the_head_of_a_page_it_is_read_or_refused(tmp_path):
    path = tmp_path / "own.parquet"
    pq.write_table(pa.table({"x": [1.5, 2.0, -1.0]}), path, compression="none")
    data = path.read_bytes()
    for at in range(4, len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]):
        for bit in range(8):
            wrong = bytearray(data)
            wrong[at] ^= 1 << bit
            path.write_bytes(wrong)
            with contextlib.suppress(InputError):
                assert [*read_table(path, tmp_path)] == ["x"]


def test_a_link_and_a_pipe_are_refused(tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "own.parquet")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "linked.parquet").symlink_to(tmp_path / "own.parquet")
    os.mkfifo(tmp_path / "study" / "pipe.parquet")
    for name, why in (("linked", "leads out of"), ("pipe", "no plain file"), ("no", "missing")):
        with pytest.raises(InputError, match=why):
            read_table(tmp_path / "study" / f"{name}.parquet", tmp_path / "study")


@pytest.mark.parametrize("bytes_", [b"", b"PAR1", b"PAR1" * 100, bytes(range(256))])
def test_what_is_no_parquet_is_refused(tmp_path, bytes_):
    (tmp_path / "own.parquet").write_bytes(bytes_)
    with pytest.raises(InputError, match="cannot be read"):
        read_table(tmp_path / "own.parquet", tmp_path)
