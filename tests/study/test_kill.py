"""Killed at any moment and resumed, a study ends as one that was never killed."""

import random
import signal
import time

import pytest

pytestmark = pytest.mark.slow

PATIENCE = 240

# Checkpoints are written after every epoch, and no page is made.
BEFORE = """
import types
import fedfact.training.kept

fedfact.training.kept.PAUSE = 0
pages = sys.modules["fedfact.report.study.page"] = types.ModuleType("pages")
pages.write_report = lambda results, folder, report: folder / "report.html"
"""


@pytest.fixture
def start(start_process, tiny_toml):
    """Start the tiny study's command, to be killed at a moment."""

    def run(output, moment="none,0,never", *options):
        words = ["run", tiny_toml, "--device", "cpu", "-o", output, *options]
        return start_process(moment, *words, before=BEFORE)

    return run


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
