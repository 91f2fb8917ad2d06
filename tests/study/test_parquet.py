"""A few bytes of Parquet can stand for gigabytes: these are refused before memory is taken."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fedfact.errors import InputError
from fedfact.study.files.parquet import read_table


def test_numbers_texts_and_lists_come_back(tmp_path):
    table = {"agent": ["a", "b"], "x": [1.5, -2.0], "labels": [[1, 2], [3]], "won": [True, False]}
    pq.write_table(pa.table(table), tmp_path / "own.parquet")
    found = read_table(tmp_path / "own.parquet", tmp_path)
    assert {
        name: [*map(list, found["labels"])] if name == "labels" else found[name].tolist()
        for name in found
    } == table


def one_text_for_many_rows():
    rows = pa.array(np.zeros(1_000_000, np.int32))
    return pa.table({"agent": pa.DictionaryArray.from_arrays(rows, pa.array(["x" * 100_000]))})


BOMBS = {
    "rows": lambda: pa.table({"x": np.zeros(50_000_000, np.int8)}),
    "one long list": lambda: pa.table({"x": [np.zeros(50_000_000, np.int8)]}),
    "a text for many rows": one_text_for_many_rows,
    "columns": lambda: pa.table({f"c{k}": [0] for k in range(2_000)}),
}


@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS)
def test_what_unpacks_to_too_much_is_refused(tmp_path, make):
    pq.write_table(make(), tmp_path / "own.parquet")
    assert (tmp_path / "own.parquet").stat().st_size < 2_000_000
    code = (
        "import sys, resource\n"
        "from pathlib import Path\n"
        "from fedfact.study.files.parquet import read_table\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    read_table(Path(sys.argv[1]), Path(sys.argv[1]).parent)\n"
        "except Exception as error:\n"
        "    print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    run = [sys.executable, "-c", code, tmp_path / "own.parquet"]
    said, grown = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[:2]
    assert "holds more than 20,000,000 values, or 256 MiB" in said
    assert int(grown) < 100 * 1024  # KiB


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
