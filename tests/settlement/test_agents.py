"""Files of agents: what is read, and how each kind of bad input is refused."""

import csv
import io
import json

import numpy as np
import pytest

from fedfact import InputError, Population, Terms, settle
from fedfact.io.tables import read_columns
from fedfact.settlement.agents import read_agents
from fedfact.settlement.document import encode

HEADER = "agent,reported_cost,samples\n"
GOOD = HEADER + "a,1e-3,10\nb,2e-3,20\nc,3e-3,30\n"


def write(tmp_path, text, name="agents.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_csv_columns_in_any_order_with_quotes_blank_lines_and_a_byte_order_mark(tmp_path):
    text = (
        '\ufeff\n\nsamples,agent , reported_cost,site\n10,"Ann, MD",1e-3,x\n\n 20.0 , b ,2e-3,y\n'
    )
    file = read_agents(write(tmp_path, text))
    assert file.agents == ["Ann, MD", "b"]
    assert file.samples.tolist() == [10, 20]
    assert file.samples.dtype == np.int64
    assert file.reported_cost.tolist() == [1e-3, 2e-3]
    assert file.ignored == ["site"]
    assert file.place(1) == "row 2 (line 6)"


def test_a_file_of_agents_shows_the_columns_that_are_there(tmp_path):
    file = read_agents(write(tmp_path, HEADER.strip() + ",capacity\na,1e-3,10,11\nb,2e-3,20,21\n"))
    assert file.rows() == [
        {"agent": "a", "reported_cost": 1e-3, "samples": 10, "capacity": 11},
        {"agent": "b", "reported_cost": 2e-3, "samples": 20, "capacity": 21},
    ]
    assert repr(file).splitlines() == [
        "AgentsFile",
        "agent  reported_cost  samples  capacity",
        "a              0.001       10        11",
        "b              0.002       20        21",
    ]


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"agents": rows}])
def test_json_says_the_same_as_csv(tmp_path, wrap):
    rows = [
        {"agent": "a", "reported_cost": 1e-3, "samples": 10, "capacity": 11, "true_cost": 2e-3},
        {"agent": "b", "reported_cost": 2e-3, "samples": 20, "capacity": 90, "true_cost": 2e-3},
    ]
    csv = HEADER.strip() + ",capacity,true_cost\na,0.001,10,11,0.002\nb,2e-3,20,9e1,2e-3\n"
    one = read_agents(write(tmp_path, json.dumps(wrap(rows)), "agents.json"))
    two = read_agents(write(tmp_path, csv))
    for name in ("reported_cost", "samples", "capacity", "true_cost"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()
    assert one.agents == two.agents


BAD_CSV = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "binary": (b"PK\x03\x04\0\0\xff", "is not UTF-8 text"),
    "latin-1": (HEADER.encode() + b"M\xfcnchen,1,1\n", "is not UTF-8 text"),
    "header only": (HEADER, "no agents"),
    "missing column": ("agent,samples\na,1\n", "column reported_cost is missing"),
    "semicolons": (GOOD.replace(",", ";"), "separated by commas"),
    "column twice": ("agent,samples,samples,reported_cost\na,1,1,1\n", "there twice"),
    "short row": (GOOD + "d,1\n", "row 4 (line 5): has 2 fields where the header has 3"),
    "long row": (GOOD + "d,1,2,3\n", "row 4 (line 5): has 4 fields"),
    "open quote": (GOOD + '"d,1,2\n', "is not valid CSV"),
    "NaN cost": (GOOD + "d,nan,5\n", "row 4 (line 5): reported_cost is nan"),
    "infinite cost": (GOOD + "d,inf,5\n", "reported_cost is inf; it must be a finite number"),
    "cost beyond floats": (GOOD + "d,1e400,5\n", "reported_cost is 1e400"),
    "zero cost": (
        GOOD + "d,0,5\n",
        "reported_cost is 0; it must be above 0, from 1e-100 to 1e+100",
    ),
    "true cost 1e308": (
        "agent,reported_cost,samples,true_cost\na,1,1,1e308\n",
        "row 1 (line 2): true_cost is 1e308; it must be above 0",
    ),
    "negative cost": (GOOD + "d,-1,5\n", "reported_cost is -1; it must be above 0"),
    "no cost": (GOOD + "d,,5\n", "reported_cost is empty; it must be a number"),
    "text cost": (GOOD + "d,cheap,5\n", "reported_cost is cheap; it must be a number"),
    "decimal comma": (GOOD + 'd,"0,5",5\n', "reported_cost is 0,5; it must be a number"),
    "underscore": (GOOD + "d,1,1_000\n", "samples is 1_000; it must be a number"),
    "zero samples": (GOOD + "d,1,0\n", "samples is 0; it must be above 0"),
    "negative samples": (GOOD + "d,1,-5\n", "samples is -5; it must be above 0"),
    "fractional samples": (GOOD + "d,1,2.5\n", "samples is 2.5; it must be a whole number"),
    "too many samples": (GOOD + "d,1,1e308\n", "samples is 1e308; it must be at most"),
    "no name": (GOOD + " ,1,5\n", "agent is  ; it must be a name"),
    "control character": (GOOD + "d\x07,1,5\n", "a name without control characters"),
    "same agent twice": (GOOD + " a,1,5\n", "row 4 (line 5): agent 'a' is there twice"),
    "two agents": (HEADER + "a,1,1\nb,1,1\n", "there are 2 agents; a settlement needs at least"),
    "half the losses": (
        "agent,reported_cost,samples,local_loss\na,1,1,1\nb,1,1,1\nc,1,1,1\n",
        "column federated_loss is missing",
    ),
    "NaN loss": (
        "agent,reported_cost,samples,local_loss,federated_loss\na,1,1,1,nan\n",
        "row 1 (line 2): federated_loss is nan",
    ),
    "bad left": ("agent,reported_cost,samples,left\na,1,1,perhaps\n", "true or false"),
    "no capacity": ("agent,reported_cost,samples,capacity\na,1,1,\n", "capacity is empty"),
    "capacity too small": (
        "agent,reported_cost,samples,capacity\na,1,5,5\nb,1,5,4\nc,1,5,5\n",
        "row 2 (line 3): agent 'b': it delivered 5 samples and has 4",
    ),
    "half a bed": (
        "agent,reported_cost,samples,size\na,1,1,2.5\n",
        "row 1 (line 2): size is 2.5; it must be a whole number",
    ),
    "too large": (
        "agent,reported_cost,samples,size\na,1,1,2e6\n",
        "size is 2e6; it must be at most 1,000,000",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD_CSV.values(), ids=BAD_CSV)
def test_bad_csv_is_refused_with_file_place_and_remedy(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as refusal:
        read_agents(path).population()
    assert message in str(refusal.value)
    assert str(refusal.value).startswith(str(path))
    assert "\n" not in str(refusal.value)


BAD_JSON = {
    "broken": ("[{", "is not valid JSON"),
    "number": ("3", "give a list of objects"),
    "empty list": ("[]", "give a list of objects"),
    "list of lists": ("[[1, 2, 3]]", "give a list of objects"),
    "missing value": (
        '[{"agent": "a", "reported_cost": 1, "samples": 1}, {"agent": "b", "samples": 1}]',
        "row 2: reported_cost is missing",
    ),
    "NaN": ('[{"agent": "a", "reported_cost": NaN, "samples": 1}]', "row 1: reported_cost is nan"),
    "null": ('[{"agent": "a", "reported_cost": null, "samples": 1}]', "reported_cost is empty"),
    "true": ('[{"agent": "a", "reported_cost": 1, "samples": true}]', "samples is True"),
    "list": ('[{"agent": "a", "reported_cost": [1], "samples": 1}]', "reported_cost is [1]"),
    "huge": (
        '[{"agent": "a", "reported_cost": 1' + "0" * 400 + ', "samples": 1}]',
        "row 1: reported_cost is 1000",
    ),
    "numeric name": ('[{"agent": 7, "reported_cost": 1, "samples": 1}]', "agent is 7"),
    "surrogate": (
        '[{"agent": "\\ud800", "reported_cost": 1, "samples": 1}]',
        "without control characters",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD_JSON.values(), ids=BAD_JSON)
def test_bad_json_is_refused_with_file_place_and_remedy(tmp_path, text, message):
    path = write(tmp_path, text, "agents.json")
    with pytest.raises(InputError) as refusal:
        read_agents(path)
    assert message in str(refusal.value)
    assert str(path) in str(refusal.value)


def test_unreadable_files_are_refused(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_agents(path)


def test_measured_losses_are_taken_where_they_are_and_left_when_told(tmp_path):
    text = "agent,reported_cost,samples,local_loss,federated_loss\n" + "".join(
        f"{name},1,1,2,1\n" for name in "abc"
    )
    file = read_agents(write(tmp_path, text))
    assert file.population().local_loss.tolist() == [2, 2, 2]
    assert file.population(measured=False).local_loss is None
    with pytest.raises(InputError, match="local_loss is missing"):
        read_agents(write(tmp_path, GOOD)).population(measured=True)


HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "'own'", '=HYPERLINK("x")', "plain", "1-2"]


def test_a_spreadsheet_runs_no_name_and_names_come_back(tmp_path):
    agents = Population(agents=HOSTILE, reported_cost=[1e-6] * 9, samples=[1000] * 9)
    settled = settle(agents, Terms(error_scale=1.0, unit=1e-6), seed=1)
    text = encode(settled, ".csv").decode()
    rows = list(csv.reader(io.StringIO(text)))
    assert not [cell for row in rows for cell in row if cell[:1] in "=+@\t\r" and cell]
    net = rows[0].index("net")
    assert [int(row[net]) for row in rows[1:]] == settled.net.tolist()  # amounts stay numbers
    assert any(cell.startswith("-") for row in rows[1:] for cell in row)
    (tmp_path / "own.csv").write_text(text)
    assert read_columns(tmp_path / "own.csv", ("agent",)).names("agent") == HOSTILE
