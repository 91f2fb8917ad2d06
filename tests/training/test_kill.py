"""Killed at any moment and started again, a training ends as one that was never killed.

The commands run as processes of their own and are killed for good, when their files show how far
they are, or by themselves at a known moment.
"""

import random
import signal
import time
from dataclasses import replace

import pytest

from fedfact.training import RECIPES, Machine
from fedfact.training.kept import run
from fedfact.training.setup import prepare

pytestmark = pytest.mark.slow

EPOCHS, H, SAMPLES, PATIENCE = 6, 3, (150, 70), 240
COMMAND = (
    *("train", "digits", "--device", "cpu", "--samples", "150,70"),
    *("--epochs", EPOCHS, "--local-steps", H),
)


def finish(output):
    """The same training in this process."""
    notes = []
    recipe = replace(RECIPES["digits"], epochs=EPOCHS, local_steps=H)
    job = prepare("digits", samples=SAMPLES, recipe=recipe)
    run(job, Machine("cpu", plain=True), output=output, note=notes.append)
    return notes


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The directory of a training that nobody stopped."""
    folder = tmp_path_factory.mktemp("whole")
    assert finish(folder) == []
    return folder


@pytest.fixture
def start(start_process):
    """Start the command, to be killed at a moment."""

    def run(output, moment="none,0,never"):
        return start_process(moment, *COMMAND, "-o", output)

    return run


def end(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def wait_for_news(process, path):
    """Until the file is there and another than before, or the process has ended."""

    def version():
        return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None

    before, deadline = version(), time.monotonic() + PATIENCE
    while process.poll() is None and version() in (None, before):
        assert time.monotonic() < deadline, f"no news of {path}"
        time.sleep(0.005)


def same_files(output, whole):
    return all(
        (output / name).read_bytes() == (whole / name).read_bytes()
        for name in ("summary.json", "model.pt", "local.checkpoint", "federated.checkpoint")
    )


@pytest.mark.thorough
def test_killed_again_and_again_it_ends_the_same(tmp_path, whole, start):
    """Each process goes on from the last and dies at a moment of its own."""
    code, out, err = end(start(tmp_path, "local.checkpoint,3,before"))
    assert (code, out) == (-signal.SIGKILL, ""), err
    assert list(tmp_path.glob(".local.checkpoint.*"))  # written, but not put in its place
    process = start(tmp_path)
    wait_for_news(process, tmp_path / "federated.checkpoint")
    time.sleep(random.uniform(0, 0.1))  # any moment: the result must not depend on it
    process.kill()
    assert end(process)[0] in (-signal.SIGKILL, 0)
    code, out, err = end(start(tmp_path, "model.pt,1,before"))
    assert (code, out) == (-signal.SIGKILL, ""), err
    assert [note.split(": ")[1] for note in finish(tmp_path)] == [
        "found finished, going on from there"
    ] * 2
    assert same_files(tmp_path, whole)


def test_ctrl_c_leaves_a_checkpoint_to_go_on_from(tmp_path, whole, start):
    code, out, err = end(start(tmp_path, "local.checkpoint,2,ctrl-c"))
    assert (code, out) == (130, ""), err
    assert f"the same command goes on from {tmp_path}" in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["local.checkpoint"]
    assert finish(tmp_path) == [
        f"{tmp_path / 'local.checkpoint'}: found unfinished, going on from there"
    ]
    assert same_files(tmp_path, whole)
