"""The package as others install it: the wheel alone, without extras, settles, advises, verifies."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fedfact.extras import EXTRAS, missing

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "tests" / "federation" / "ledgers" / "rebate.jsonl"
HEAVY = ("torch", "matplotlib", "pyarrow", "sklearn", "PIL", "nvflare", "psycopg", "pandas")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAMES = {"sklearn": "scikit-learn", "PIL": "pillow"}


def packages(requirements):
    return {re.match(r"[A-Za-z0-9-]+", each)[0].lower() for each in requirements}


@pytest.mark.parametrize(("package", "extra"), EXTRAS.items())
def test_the_extra_that_is_named_installs_the_package(package, extra):
    extras = PROJECT["optional-dependencies"]
    assert NAMES.get(package, package) in packages(extras[extra])
    assert NAMES.get(package, package) not in packages(PROJECT["dependencies"])


def test_a_missing_package_is_said_with_its_extra():
    absent = ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
    assert missing(absent) == "this needs torch: pip install 'fedfact[train]'"
    assert missing(ModuleNotFoundError("No module named 'foo'", name="foo")) is None


def test_all_is_every_extra_for_users():
    extras = PROJECT["optional-dependencies"]
    assert extras["all"] == ["fedfact[train,plot,flare,postgres]"]
    assert set(extras) == {"train", "plot", "flare", "postgres", "all", "dev"}


def test_constraints_pin_what_the_project_names():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = packages(line for line in lines if "==" in line)
    extras = PROJECT["optional-dependencies"]
    named = packages([*PROJECT["dependencies"], *(each for of in extras.values() for each in of)])
    assert named - {"fedfact"} <= pinned


def run(*command, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The wheel in an environment of its own, without extras; its ``fedfact``."""
    root = tmp_path_factory.mktemp("bare")
    source = root / "source"  # a copy: building leaves files beside the source
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "src",
        source / "src",
        ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
    )
    subprocess.run([sys.executable, "-m", "venv", root / "venv"], check=True)
    pip = [root / "venv" / "bin" / "pip", "--disable-pip-version-check", "-q"]
    done = run(*pip, "wheel", "--no-deps", "-w", root, source)
    assert done.returncode == 0, done.stderr
    (wheel,) = root.glob("fedfact-*.whl")
    done = run(*pip, "install", "-c", ROOT / "constraints.txt", wheel)
    assert done.returncode == 0, done.stderr
    return root / "venv" / "bin" / "fedfact"


@pytest.fixture
def fedfact(bare, tmp_path):
    """Run the bare command, elsewhere than in the repository."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return lambda *words: run(bare, *words, cwd=tmp_path, env=env)


@pytest.mark.thorough
def test_a_plain_install_brings_nothing_heavy(bare):
    code = f"import importlib.util as u; print([m for m in {HEAVY} if u.find_spec(m)])"
    assert run(bare.with_name("python"), "-c", code).stdout.strip() == "[]"


@pytest.mark.thorough
def test_a_plain_install_settles_advises_and_verifies(fedfact):
    examples = ROOT / "examples"
    terms = ("--terms", examples / "terms.toml")
    settled = fedfact("settle", examples / "hospitals.csv", *terms, "--json")
    assert json.loads(settled.stdout)["surplus"] >= 0
    advice = fedfact("advise", "--cost", "0.5", *terms, "--agents", "10", "--json")
    assert json.loads(advice.stdout)["verdict"] == "join"
    runs = ROOT / "results" / "calibration" / "digits" / "runs.csv"
    assert json.loads(fedfact("calibrate", runs, "--json").stdout)["terms"]["error_scale"] > 0
    verified = fedfact("verify", LEDGER, "--json")
    assert json.loads(verified.stdout)["sound"] is True
    assert "Statement for alder" in fedfact("statement", LEDGER, "alder").stdout
    shown = fedfact("ledger", "show", LEDGER, "--json")
    assert json.loads(shown.stdout)[0]["number"] == 0
    exported = fedfact("ledger", "export", LEDGER, "-o", "copy.jsonl")
    assert [done.returncode for done in (settled, advice, verified, shown, exported)] == [0] * 5


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("run", "digits"), "train"),
        (("train", "digits"), "train"),
        (("calibrate", "--data", "digits"), "train"),
        (("federation", "demo"), "flare"),
        (("compare",), "plot"),
        (("settle", ROOT / "examples" / "hospitals.csv", "--error-scale", "1e6", "--plot", "a.png"),
         "plot"),
    ],
)  # fmt: skip
def test_another_command_says_which_extra_it_needs(fedfact, words, extra):
    done = fedfact(*words)
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(rf"error: .*pip install 'fedfact\[{extra}\]'\n", done.stderr), done.stderr
    assert done.stdout == ""


def test_the_lock_has_every_version_with_its_hashes():
    """What CI installs is what `constraints.txt` says, by the hash of its file."""
    wanted = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M)
    lock = (ROOT / "requirements.lock").read_text()
    found = dict(
        re.findall(r"^([\w.-]+)==([^\s+]+)\S* \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.M)
    )
    assert list(found.items()) == wanted
    assert "://" not in lock


def test_the_bill_of_materials_has_every_package(tmp_path):
    spec = importlib.util.spec_from_file_location("sbom", ROOT / ".ci" / "sbom.py")
    sbom = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sbom)
    document = json.loads(json.dumps(sbom.document()))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"]
    )
    parts = document["components"]
    versions = {part["name"]: part["version"].partition("+")[0] for part in parts}
    pinned = (ROOT / "constraints.txt").read_text()
    assert versions == dict(re.findall(r"^([\w.-]+)==(\S+)$", pinned, re.M))
    for part in parts:
        assert part["type"] == "library"
        assert re.fullmatch(r"pkg:pypi/[a-z0-9-]+@[\w.%-]+", part["purl"])
        assert part["licenses"] != [{"license": {"name": "unknown"}}], part["name"]
        assert all(re.fullmatch("[0-9a-f]{64}", each["content"]) for each in part["hashes"])
    refs = [part["bom-ref"] for part in parts]
    assert len(set(refs)) == len(refs)
    assert document["dependencies"] == [{"ref": "fedfact", "dependsOn": refs}]
    assert document == sbom.document()  # the same lock, the same document
