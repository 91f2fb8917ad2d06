"""A result as text, as an HTML table and as a pandas frame."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from fedfact import InputError
from fedfact.results import Tabular, html_table, text_table


@dataclass(frozen=True, repr=False)
class Prices(Tabular):
    """A result of two columns and a number of rows."""

    count: int

    def rows(self):
        return [{"name": f"<b{i}>", "price": i / 3} for i in range(self.count)]


def test_repr_aligns_names_left_and_numbers_right():
    assert repr(Prices(2)).splitlines() == [
        "Prices",
        "name     price",
        "<b0>         0",
        "<b1>  0.333333",
    ]


def test_repr_counts_the_rows_it_leaves_out():
    lines = repr(Prices(23)).splitlines()
    assert len(lines) == 1 + 1 + 20 + 1
    assert lines[-1] == "... 3 more rows"


def test_numpy_numbers_and_nothing_read_as_numbers():
    rows = [{"n": np.int64(7), "x": np.float64(0.1)}, {"n": None, "x": np.float64(12)}]
    assert text_table(rows).splitlines() == ["n    x", "7  0.1", "    12"]


def test_html_has_every_row_and_escapes_cells():
    html = Prices(23)._repr_html_()
    assert html.count("<tr>") == 24
    assert "<td>&lt;b0&gt;</td><td>0</td>" in html
    assert "<b0>" not in html


def test_no_rows():
    assert repr(Prices(0)) == "Prices\n(no rows)"
    assert html_table([]) == "<p>(no rows)</p>"


def test_to_frame_holds_the_rows():
    pytest.importorskip("pandas")
    frame = Prices(3).to_frame()
    assert list(frame.columns) == ["name", "price"]
    assert frame["price"].tolist() == [0, 1 / 3, 2 / 3]


def test_to_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pip install pandas"):
        Prices(1).to_frame()
