"""What several test files share: running the command line, and a small file of agents."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from fedfact import cli

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    """Nothing says how wide the screen is, though it may where tests are started."""
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


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


WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.fixture
def python_without():
    """Run code in a Python in which a package is not installed."""

    def run(absent, code):
        command = [sys.executable, "-c", WITHOUT.format(absent=absent) + code]
        return subprocess.run(command, capture_output=True, text=True, check=False)

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


# A command that is killed, or meets Ctrl-C, when the file of this name is put in its place for
# the n-th time: before that, or after.
PROCESS = """
import os, signal, sys
from fedfact import cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # though a parent may ignore it
name, number, when = sys.argv.pop(1).split(",")
put, seen = os.replace, []

def replace(source, target, **options):
    seen.append(os.path.basename(target))
    due = seen[-1] == name and seen.count(name) == int(number)
    if due and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    put(source, target, **options)
    if due:
        os.kill(os.getpid(), signal.SIGINT if when == "ctrl-c" else signal.SIGKILL)

os.replace = replace
"""


@pytest.fixture
def start_process():
    """Start a command in a process of its own, to end at a moment: "name,number,when"."""
    started = []

    def start(moment, *words, before=""):
        code = f"{PROCESS}\n{before}\ncli.main()"
        arguments = [sys.executable, "-c", code, moment, *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(list(map(str, arguments)), text=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
