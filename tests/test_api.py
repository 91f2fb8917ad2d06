"""The public surface: what it is, that it is all there, and that layers only import downwards."""

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
# upwards
LAYERS = [
    "mechanism",
    "data",
    "models",
    "training",
    "federation",
    "lab",
    "study",
    "report",
    "cli",
]
SHARED = {"_version", "files", "folders", "progress"}


def test_public_names_of_the_package():
    assert sorted(fedfact.__all__) == [
        "InputError",
        "Population",
        "Settlement",
        "Terms",
        "__version__",
        "settle",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "fedfact",
        "fedfact.mechanism",
        "fedfact.data",
        "fedfact.models",
        "fedfact.training",
        "fedfact.lab",
    ],
)
def test_all_is_sorted_complete_and_real(name):
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    for public in module.__all__:
        assert getattr(module, public) is not None
    imported = {
        alias.asname or alias.name
        for node in ast.parse(Path(module.__file__).read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(module.__all__)


def test_every_mechanism_function_names_its_equation():
    source = re.compile(r"Eq\. \d|Thm \d|Lemma \d|Alg\. \d|Algorithm \d|Ours")
    for public in fedfact.mechanism.__all__:
        thing = getattr(fedfact.mechanism, public)
        if inspect.isfunction(thing):
            assert source.search(thing.__doc__), public


def imports(path):
    """Layers of ours that a module imports."""
    depth = len(path.relative_to(SRC).parts)  # as many dots lead to the package itself
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield (node.module or "").split(".")[0]
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fedfact"):
            yield node.module.split(".")[1]


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_only_go_down(layer):
    allowed = {*LAYERS[: LAYERS.index(layer)], *SHARED}
    for path in (SRC / layer).rglob("*.py"):
        assert set(imports(path)) <= allowed, path.name


def test_flare_is_imported_in_its_adapter_alone():
    adapter = SRC / "federation" / "flare"
    for path in SRC.rglob("*.py"):
        if adapter not in path.parents:
            names = re.findall(r"(?m)^\s*(?:from|import) +nvflare", path.read_text())
            assert not names, path


def test_the_mechanism_loads_nothing_but_numpy():
    code = (
        "import sys, fedfact.mechanism; "
        "print([m for m in ('scipy', 'torch', 'matplotlib', 'pyarrow') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_typed_marker_is_shipped():
    assert (SRC / "py.typed").is_file()
