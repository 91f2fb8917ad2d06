"""Every command that reads a file, with 100,000 damaged files: refused in words, or taken.

A case fails on an exit code that docs/guide.md does not list, a traceback, a file left half-written
or a changed input, more than 10 s or 1 GiB. Repeat one with the command that the failure names.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from .base import AGENTS, FLAT, make_base
from .targets import TARGETS
from .worker import CODES, MEMORY, SECONDS, Sandbox, attempt

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
TIMES, LEAST, PROCESSES = 100, 500, 500
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
LIGHT = ("settle", "advise", "ledger", "verify", "statement")
"""Commands that load no torch: most of the real processes, which start in half a second."""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    root = tmp_path_factory.mktemp("fuzz") / "base"
    make_base(root)
    return root


def test_the_shares_make_the_count():
    assert TIMES * sum(target.share for target in TARGETS) >= 100_000
    assert len({target.name for target in TARGETS}) == len(TARGETS)
    of_a_command = Counter()
    for target in TARGETS:
        assert TIMES * target.share >= LEAST, target.name
        of_a_command[target.words[0]] += target.share
    assert max(of_a_command.values()) <= of_a_command.total() / 3, of_a_command


def test_the_guide_lists_these_exit_codes():
    text = (ROOT / "docs" / "guide.md").read_text()
    section = text.partition("## Exit status")[2].partition("\n## ")[0]
    assert {int(code) for code in re.findall(r"(?:^|, )(\d+) ", section.replace("\n", " "))} - {
        1
    } <= CODES
    assert all(re.search(rf"\b{code}\b", section) for code in CODES)


# A command that reserves 2 GiB to read a small file, whole or damaged: both must be told of.
HUNGRY = """
import os, sys
from pathlib import Path
from fedfact.io import files
from tests.fuzz import worker
from tests.fuzz.targets import TARGETS
worker.set_up_process()
sandbox = worker.Sandbox(Path(sys.argv[1]))
os.chdir(sandbox.folder)
worker.command(TARGETS[0].words)
worker.limit_memory()
files.read_bytes = lambda *_, **__: bytes(2 << 30)
print(repr(worker.stops_short(TARGETS[0], sandbox)))
print(repr(worker.attempt(TARGETS[0], sandbox, 1)))
"""


def test_memory_that_a_command_does_not_get_is_a_failure(tmp_path):
    (tmp_path / "agents.csv").write_text(AGENTS)
    (tmp_path / "flat.toml").write_text(FLAT)
    words = [sys.executable, "-c", HUNGRY, tmp_path]
    done = subprocess.run(words, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    whole, damaged = done.stdout.splitlines()
    assert "refuses undamaged files, exit code 2" in whole
    assert "takes more memory than 1 GiB" in damaged


def test_no_damaged_file_makes_a_command_fail(base):
    many = os.cpu_count() or 1
    edges = [TIMES * k // (4 * many) for k in range(4 * many + 1)]

    def work(part):
        words = [sys.executable, "-m", "tests.fuzz.worker", base, "all", *map(str, part)]
        return subprocess.run(words, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)

    tried, wrong = 0, []
    with ThreadPoolExecutor(many) as pool:
        for done in pool.map(work, pairwise(edges)):
            said = [json.loads(line) for line in done.stdout.splitlines()]
            wrong += [each for each in said if "target" in each]
            tried += sum(each.get("tried", 0) for each in said)
            assert done.returncode == 0, done.stderr[-3000:]
    told = [
        f"{each['problem']}\n  python -m tests.fuzz.worker BASE {each['target']!r} "
        f"{each['number']} {each['number'] + 1}"
        for each in wrong[:20]
    ]
    assert not told, f"{len(wrong)} of {tried}:\n" + "\n".join(told)
    assert tried >= 100_000


def test_nor_does_it_in_a_process_of_its_own(base, tmp_path):
    light = [target for target in TARGETS if target.words[0] in LIGHT]
    heavy = [target for target in TARGETS if target.ends and target not in light]
    own, wrong = threading.local(), []

    def work(number):
        kind = heavy if number % 12 == 0 else light
        target = kind[number // 12 % len(kind)] if kind is heavy else kind[number % len(kind)]
        if not hasattr(own, "root"):
            own.root = tmp_path / str(threading.get_ident())
            shutil.copytree(base, own.root)
        sandbox = Sandbox(own.root / target.folder)
        problem = attempt(target, sandbox, -1 - number, really)
        sandbox.restore()
        if problem:
            wrong.append(f"{target.name}, {-1 - number}: {problem}")

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(work, range(PROCESSES)))
    assert wrong == []


# The command in a process whose limits the system itself keeps.
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from fedfact import cli
code = 0
try:
    cli.main()
except SystemExit as stop:
    code = stop.code or 0
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
sys.exit(99 if grown > {memory} else code)
"""


def really(words, folder):
    """Run a command in a process of its own."""
    text = LIMITED.format(seconds=SECONDS, memory=MEMORY)
    made = [sys.executable, "-c", text, *words]
    if words[0] == "run" and "--resume" not in words:  # it would train: only the file matters
        made += ["-s", "training.epochs=1", "-s", "seeds=1", "--resume"]
    run = subprocess.run(
        made, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )
    return run.returncode, run.stdout, run.stderr
