"""What several test files share: running the command line, and a small file of agents."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from fedfact import cli

ROOT = Path(__file__).parents[1]


@dataclass
class Run:
    code: int
    out: str
    err: str


@pytest.fixture
def fedfact(monkeypatch, capsys):
    """Run a command in this process: exit status, stdout, stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["fedfact", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture
def agents_csv(tmp_path):
    path = tmp_path / "agents.csv"
    path.write_text(
        "agent,reported_cost,samples\n"
        "ann,4e-6,500\nbob,2e-6,707\ncy,1e-6,1000\ndee,3e-6,577\neve,5e-6,447\nfay,6e-6,408\n"
    )
    return path
