"""A data set is its file and one line of the registry: then studies, members and help know it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fedfact

FILE = '''\
"""Toy: the digits by another name."""

from dataclasses import replace

from . import digits

DESCRIPTION = replace(
    digits.DESCRIPTION,
    name="toy",
    title="Toy",
    load=lambda directory, by, progress: replace(digits.read(), name="toy"),
)
'''

USE = """
import json
from pathlib import Path

from fedfact import read_study
from fedfact.data import load
from fedfact.data.member_data import load_site
from fedfact.federation.agreement import read_federation_terms
from fedfact.study.collapse.run import recipe_of
from fedfact.training import prepare
from fedfact.training.networks import NETWORKS

Path("terms.toml").write_text('[training]\\nnetwork = "toy"\\n')
print(json.dumps({
    "loaded": load("toy").name,
    "part": len(load_site("toy:0/3", Path("."))),
    "study": read_study("toy").agents,
    "epochs": recipe_of("toy", 2).epochs,
    "network": NETWORKS["toy"].model,
    "job": prepare("toy", agents=3, samples=[5] * 3).dataset.name,
}))
"""


@pytest.fixture(scope="module")
def python_with_toy(tmp_path_factory):
    """Run Python, in a new directory, on a copy of the source that has one more data set."""
    root = tmp_path_factory.mktemp("toy")
    shutil.copytree(
        Path(fedfact.__file__).parent, root / "fedfact", ignore=shutil.ignore_patterns("__pyc*")
    )
    (root / "fedfact" / "data" / "sets" / "toy.py").write_text(FILE)
    registry = root / "fedfact" / "data" / "registry.py"
    text = registry.read_text()
    assert text.count('    "ham10000",\n') == 1
    registry.write_text(text.replace('    "ham10000",\n', '    "ham10000",\n    "toy",\n'))

    def run(*arguments):
        command = [sys.executable, *arguments]
        env = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "100"}
        done = subprocess.run(
            command, cwd=root, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_everything_that_takes_a_data_set_takes_it(python_with_toy):
    assert json.loads(python_with_toy("-c", USE)) == {
        "loaded": "toy",
        "part": 479,
        "study": 16,
        "epochs": 2,
        "network": "digits_cnn",
        "job": "toy",
    }


@pytest.mark.parametrize("command", ["run", "train", "lab collapse"])
def test_the_help_names_it(python_with_toy, command):
    assert "toy" in python_with_toy("-m", "fedfact", *command.split(), "--help")
