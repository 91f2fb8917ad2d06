"""Killed at any moment and resumed, a study ends as one that was never killed."""

import random
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow

PATIENCE = 240

# Is killed when the file of this name is put in its place, before it is or after. Checkpoints are
# written after every epoch; no page is made.
PROCESS = """
import os, signal, sys, types
from fedfact import cli
import fedfact.study.trained

fedfact.study.trained.PAUSE = 0
pages = sys.modules["fedfact.report.study"] = types.ModuleType("pages")
pages.write_report = lambda results, folder, report: folder / "report.html"
name, number, when = sys.argv.pop(1).split(",")
put, seen = os.replace, []

def replace(source, target, **options):
    seen.append(os.path.basename(target))
    due = seen[-1] == name and seen.count(name) == int(number)
    if due and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    put(source, target, **options)
    if due:
        os.kill(os.getpid(), signal.SIGKILL)

os.replace = replace
cli.main()
"""


@pytest.fixture
def start(tiny_toml):
    """Start the tiny study's command, to be killed at a moment."""
    started = []

    def run(output, moment="none,0,never", *options):
        words = ["run", tiny_toml, "--device", "cpu", "-o", output, *options]
        arguments = [sys.executable, "-c", PROCESS, moment, *words]
        started.append(
            subprocess.Popen(
                list(map(str, arguments)),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


def end(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def test_killed_at_chosen_moments_it_ends_the_same(
    tiny, start, run_tiny, contents, no_training, tmp_path
):
    """Each process goes on from the last and dies at a later moment."""
    output, trained = tmp_path / "out", tmp_path / "out" / "trained"
    for moment, left in (
        ("iid-seed0.federated,2,before", {"iid-seed0.local", "iid-seed0.federated"}),
        ("agents.parquet,1,before", {path.name for path in (tiny / "trained").iterdir()}),
    ):
        code, out, err = end(start(output, moment, "--resume"))
        assert (code, out) == (-signal.SIGKILL, ""), err
        assert {path.name for path in trained.glob("[!.]*")} == left
    assert not (output / "summary.json").exists()
    with no_training():  # all is trained, not all is written
        run_tiny(output, resume=True)
    assert contents(output) == contents(tiny)


def test_killed_at_a_random_moment_it_ends_the_same(tiny, start, run_tiny, contents, tmp_path):
    output = tmp_path / "out"
    process, deadline = start(output), time.monotonic() + PATIENCE
    while process.poll() is None and not (output / "study.toml").exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(random.uniform(0, 1.5))  # any moment: the result must not depend on it
    process.kill()
    assert end(process)[0] in (-signal.SIGKILL, 0)
    run_tiny(output, resume=True)
    assert contents(output) == contents(tiny)
