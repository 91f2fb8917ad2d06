"""The public surface: what it is, that it is all there, and what it loads."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fedfact
import fedfact.mechanism

SRC = Path(fedfact.__file__).parent
RESULT = SRC.parents[1] / "results" / "neurips2024" / "mnist-iid"
PACKAGES = sorted(
    ".".join(("fedfact", *path.parent.relative_to(SRC).parts)) for path in SRC.rglob("__init__.py")
)


def test_public_names_of_the_package():
    assert fedfact.__all__ == [
        "RULES",
        "Applicant",
        "DeploymentError",
        "FedfactError",
        "InputError",
        "LedgerError",
        "Machine",
        "Population",
        "Settlement",
        "Terms",
        "TrainingError",
        "__version__",
        "advise",
        "calibrate",
        "others_like",
        "plot",
        "read_agents",
        "read_ledger",
        "read_result",
        "read_runs",
        "read_study",
        "read_terms",
        "run_federation",
        "run_study",
        "settle",
        "statement",
        "verify",
    ]


def in_order(name):
    """Constants, then classes, then functions, as ruff sorts them."""
    return (0 if name.isupper() and name != "_" else 1 if name[:1].isupper() else 2, name)


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_sorted_complete_and_real(name):
    module = importlib.import_module(name)
    assert module.__all__ == sorted(set(module.__all__), key=in_order)
    for public in module.__all__:
        assert getattr(module, public) is not None
    source = ast.parse(Path(module.__file__).read_text())
    bodies = [source.body, *(node.body for node in source.body if isinstance(node, ast.If))]
    offered = {
        alias.asname or alias.name
        for body in bodies
        for node in body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    defined = {
        node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else node.target.id
        for node in source.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name))
    }
    assert set(module.__all__) <= offered | defined
    assert {each for each in offered if not each.startswith("_")} - set(module.__all__) == (
        {"RULE_NAMES", "Terms"} if name == "fedfact.mechanism.rules" else set()
    )


def test_what_is_not_offered_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'setle'"):
        fedfact.setle  # noqa: B018
    assert set(fedfact.__all__) <= set(dir(fedfact))


@pytest.mark.parametrize(
    ("absent", "asked", "extra"),
    [
        ("torch", "fedfact.Machine", "train"),
        ("torch", "fedfact.run_study", "train"),
        ("torch", "fedfact.training.Machine", "train"),
        ("matplotlib", "fedfact.plot", "plot"),
        ("pyarrow", f"fedfact.read_result(Path({str(RESULT)!r}))", "train"),
    ],
)
def test_what_an_extra_brings_is_said(python_without, absent, asked, extra):
    code = f"""
from pathlib import Path
import fedfact.training
try:
    {asked}
except fedfact.FedfactError as error:
    print(error)
"""
    out = python_without(absent, code)
    assert out.stderr == ""
    assert out.stdout == f"this needs {absent}: pip install 'fedfact[{extra}]'\n"


def test_errors_have_one_root_and_only_refused_inputs_are_value_errors():
    errors = [fedfact.InputError, fedfact.LedgerError, fedfact.TrainingError]
    errors.append(fedfact.DeploymentError)
    assert all(issubclass(each, fedfact.FedfactError) for each in errors)
    assert [issubclass(each, ValueError) for each in errors] == [True, False, False, False]


def test_every_mechanism_function_names_its_equation():
    source = re.compile(r"Eq\. \d|Thm \d|Lemma \d|Alg\. \d|Algorithm \d|Ours")
    for public in fedfact.mechanism.__all__:
        thing = getattr(fedfact.mechanism, public)
        if inspect.isfunction(thing):
            assert source.search(thing.__doc__), public


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ("fedfact.mechanism", ("scipy", "torch", "matplotlib", "pyarrow")),
        ("fedfact, fedfact.cli", ("scipy", "torch", "matplotlib", "pyarrow", "nvflare")),
        (
            "fedfact.settlement, fedfact.advice, fedfact.federation.audit.verify",
            ("torch", "sklearn", "matplotlib", "pyarrow", "nvflare"),
        ),
        ("fedfact.calibration", ("scipy", "torch", "matplotlib", "pyarrow")),
    ],
)
def test_what_is_light_loads_nothing_heavy(modules, absent):
    code = f"import sys, {modules}; print([m for m in {absent} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_python_m_fedfact_is_the_command():
    command = [sys.executable, "-m", "fedfact", "--version"]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    assert out.stdout == f"fedfact {fedfact.__version__}\n"


def test_typed_marker_is_shipped():
    assert (SRC / "py.typed").is_file()


def test_what_reads_a_file_takes_its_path_as_text_too(tmp_path):
    root = SRC.parents[1]
    agents = root / "examples" / "hospitals.csv"
    terms = root / "examples" / "terms.toml"
    runs = root / "results" / "calibration" / "digits" / "runs.csv"
    ledger = root / "tests" / "federation" / "ledgers" / "rebate.jsonl"
    study = RESULT / "study.toml"
    assert fedfact.read_agents(str(agents)).rows() == fedfact.read_agents(agents).rows()
    assert fedfact.read_terms(str(terms)) == fedfact.read_terms(terms)
    assert len(fedfact.read_runs(str(runs))) == len(fedfact.read_runs(runs))
    assert fedfact.read_result(str(RESULT)).rows() == fedfact.read_result(RESULT).rows()
    assert fedfact.read_study(str(study)) == fedfact.read_study(study)
    assert fedfact.read_ledger(str(ledger)) == fedfact.read_ledger(ledger)
    small = fedfact.read_study("digits", ["samples=30", "training.epochs=2"], agents=4, seeds=1)
    done = fedfact.run_study(small, fedfact.Machine("cpu"), str(tmp_path / "digits"))
    assert done.path == tmp_path / "digits"
