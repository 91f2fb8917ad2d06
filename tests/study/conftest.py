"""What the tests of studies share: a tiny study, its results as lines, the theory once more."""

import importlib.util
import json
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fedfact.study.config.load import read_study
from fedfact.study.run import run_study
from fedfact.training import Machine

# Seven agents: two groups of three and one left over. Some lose by federation after three epochs.
TINY = """\
name = "tiny"
dataset = "digits"
agents = 7
partitions = ["iid", "dirichlet:0.3"]
seeds = 2

[costs]
kind = "gaussian"
mean = 4e-4

[training]
epochs = 3
local_steps = 2
"""


@pytest.fixture(scope="session")
def theory():
    """FACT computed slowly; under --import-mode=importlib the folder is not on the path."""
    spec = importlib.util.spec_from_file_location("theory", Path(__file__).with_name("theory.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tiny_toml(tmp_path_factory):
    """The file of the tiny study."""
    path = tmp_path_factory.mktemp("study") / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="session")
def run_tiny(tiny_toml):
    """Run the tiny study, some keys set, into a directory; return its results."""

    def run(output, *overrides, resume=False, **options):
        study = read_study(str(tiny_toml), overrides)
        return run_study(study, Machine("cpu"), output, resume=resume, **options)

    return run


@pytest.fixture(scope="session")
def tiny(run_tiny, tmp_path_factory):
    """The directory of the tiny study, run once; not to be changed."""
    output = tmp_path_factory.mktemp("tiny") / "out"
    run_tiny(output)
    return output


@pytest.fixture(scope="session")
def lines():
    """The lines of one of a study's tables, as dictionaries, those where columns are so."""

    def read(output, table, **where):
        rows = pq.read_table(output / f"{table}.parquet").to_pylist()
        return [row for row in rows if all(row[key] == value for key, value in where.items())]

    return read


@pytest.fixture(scope="session")
def summary_of():
    return lambda output: json.loads((output / "summary.json").read_text())


@pytest.fixture(scope="session")
def contents():
    """What is in a directory, byte by byte, less what depends on the time and the machine."""

    def read(output):
        return {
            str(path.relative_to(output)): _timeless(path)
            for path in sorted(output.rglob("*"))
            if path.is_file() and path.name != "manifest.json"
        }

    return read


def _timeless(path):
    if path.parent.name == "trained" and path.suffix == ".json":
        document = json.loads(path.read_text())
        return {key: value for key, value in document.items() if key != "seconds"}
    return path.read_bytes()


@pytest.fixture
def no_training(monkeypatch):
    """Within it nothing can be trained."""

    @contextmanager
    def refuse():
        with monkeypatch.context() as patch:
            patch.setattr("fedfact.training.kept.training.train_local", None)
            patch.setattr("fedfact.training.kept.training.train_federated", None)
            yield

    return refuse
