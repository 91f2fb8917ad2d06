"""CSV and JSON: how many rows and columns are taken, and what a spreadsheet would run."""

import csv
import io

import pytest

from fedfact.errors import InputError
from fedfact.io import limits
from fedfact.io.tables import read_columns, to_csv


def test_more_rows_or_columns_than_are_taken_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "own.csv"
    monkeypatch.setattr(limits, "ROWS", 3)
    monkeypatch.setattr(limits, "COLUMNS", 4)
    path.write_text("agent\na\nb\nc\n")
    assert read_columns(path, ("agent",)).names("agent") == ["a", "b", "c"]
    path.write_text("agent\na\nb\nc\nd\n")
    with pytest.raises(InputError, match="more than 3 rows"):
        read_columns(path, ("agent",))
    path.write_text("agent,a,b,c,d\n1,2,3,4,5\n")
    with pytest.raises(InputError, match="has 5 columns; give at most 4"):
        read_columns(path, ("agent",))


@pytest.mark.parametrize("cell", ["=1+1", "+x", "-x", "@x", "\tx", "'=1", "''@", "'x", "x=1"])
def test_what_is_written_comes_back_and_is_no_formula(tmp_path, cell):
    text = to_csv({"agent": [cell, "b"], "net": [-7, 8.5]})
    written = list(csv.reader(io.StringIO(text, newline="")))[1][0]
    assert written[0] not in "=+-@\t\r"
    (tmp_path / "own.csv").write_bytes(text.encode())
    read = read_columns(tmp_path / "own.csv", ("agent", "net"))
    assert read.columns["agent"] == [cell, "b"]
    assert read.columns["net"] == ["-7", "8.5"]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"agents": ' * 5_000])
def test_json_that_is_nested_too_deeply_is_refused(tmp_path, text):
    (tmp_path / "own.json").write_text(text)
    with pytest.raises(InputError, match="is not valid JSON"):
        read_columns(tmp_path / "own.json", ("agent",))
