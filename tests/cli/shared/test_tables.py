"""No amount is ever cut, however narrow the terminal is, and amounts have one unit each."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

RULES = ["sandwich", "rebate", "shared"]
AMOUNTS = ("fee", "charge", "reward", "rebate", "net")


@pytest.fixture(params=[(80, "xterm-256color"), (60, "xterm-256color"), (60, "dumb"), (24, "dumb")])
def narrow(request, monkeypatch):
    columns, kind = request.param
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", kind)
    return columns


def written(minor):
    return f"{minor / 100:,.2f}"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("more", [[], ["--penalty"]])
def test_every_amount_of_a_settlement_is_there_in_full(fedfact, examples, narrow, rule, more):
    command = ["settle", examples / "hospitals.csv", "--terms", examples / "terms.toml"]
    command += ["--rule", rule, "--seed", 3, "--unit", 0.01, "--error-scale", 2e12, *more]
    run, document = fedfact(*command), json.loads(fedfact(*command, "--json").out)
    assert run.code == 0
    assert "…" not in run.out
    words = re.findall(r"[^\s]+", run.out)
    shown = set(AMOUNTS) & set(re.findall(r"[a-z]+", run.out.partition("surplus")[0]))
    assert {"fee", "net"} <= shown
    for row in document["agents"]:
        for name in {*shown, *(["penalty"] if more else [])}:
            if name in row and (row[name] or name in ("fee", "net")):
                assert written(row[name]) in words
    assert max(map(len, run.out.splitlines())) <= max(narrow, 60)


@pytest.mark.parametrize("rule", RULES)
def test_every_amount_of_a_statement_is_there_in_full(fedfact, examples, narrow, rule):
    command = ["settle", examples / "hospitals.csv", "--terms", examples / "terms.toml"]
    command += ["--rule", rule, "--seed", 3, "--statement", "Willow"]
    run, document = fedfact(*command), json.loads(fedfact(*command, "--json").out)
    for line in document["lines"]:
        assert f"{written(line['amount'])} EUR  {line['effect']}\n" in run.out
        assert line["filled"] in run.out


@pytest.mark.parametrize("agents", [10, 1000])
def test_every_amount_of_advice_is_there_in_full(fedfact, examples, narrow, agents):
    command = ["advise", "--cost", 0.5, "--terms", examples / "terms.toml", "--agents", agents]
    run, document = fedfact(*command), json.loads(fedfact(*command, "--json").out)
    assert "…" not in run.out.replace("if …", "").replace("if you …", "")
    for outcome in document["outcomes"]:
        for name in ("worst", "realised"):
            assert f"{outcome[name] / 100:z,.2f}" in run.out  # JSON has cents throughout
    for deviation in document["deviations"]:
        assert deviation["name"] in run.out.replace("\n", " ")
        assert f"{deviation['rebate']:+.1%}" in run.out


def in_a_terminal(columns, *command, **environment):
    """What a terminal of so many columns is sent."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "fedfact", *map(str, command)],
        stdout=follower,
        stderr=follower,
        env=env | environment,
    )
    os.close(follower)
    sent = b""
    try:
        while piece := os.read(leader, 1 << 16):
            sent += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(leader)
    assert process.wait() == 0
    return sent.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}])
def test_in_a_real_terminal(examples, columns, environment):
    text = in_a_terminal(
        columns,
        "settle",
        examples / "hospitals.csv",
        "--terms",
        examples / "terms.toml",
        **environment,
    )
    text = text.replace("\x1b[1m", "").replace("\x1b[0m", "")  # bold
    assert "\x1b" not in text
    assert "5,215.65" in text
    assert "2,251.25 EUR" in text
    assert "no room here for" in text
    assert "…" not in text
    tables = [line for line in text.splitlines() if not line.startswith(("note:", "surplus"))]
    assert max(map(len, tables)) <= columns
