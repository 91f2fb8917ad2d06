"""Processes are ended in an order in which none of them sees the other go."""

import subprocess
import sys
import time

import psutil
import pytest

from fedfact.federation.deploy.flare.guard import end_below, end_with_below, is_alive

# Starts a process and tells of its end, as FLARE does of a job's.
TELLTALE = """
import pathlib, subprocess, sys
job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(sys.argv[1], "started").touch()
job.wait()
pathlib.Path(sys.argv[1], "told").touch()
"""


@pytest.fixture
def telltale(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", TELLTALE, str(tmp_path)])
    while not (tmp_path / "started").exists():
        time.sleep(0.01)
    [job] = psutil.Process(process.pid).children()
    yield process, job
    process.kill()
    process.wait()


def test_from_the_top_down_nobody_tells(telltale, tmp_path):
    process, job = telltale
    end_with_below(process.pid)
    assert process.wait(0) is not None
    assert not is_alive(job)
    assert not (tmp_path / "told").exists()


def test_what_is_below_ends_alone(telltale, tmp_path):
    process, job = telltale
    end_below(process.pid)
    assert not is_alive(job)
    assert process.wait(10) == 0
    assert (tmp_path / "told").exists()


def test_what_has_ended_is_no_mistake(telltale):
    process, _ = telltale
    end_with_below(process.pid)
    process.wait()
    end_with_below(process.pid)
    end_below(process.pid)
