"""The architecture, read from the source: layers, sub-packages, sizes, and who may know what."""

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

import fedfact
from fedfact import RULES

SRC = Path(fedfact.__file__).parent
ROOT = SRC.parents[1]
spec = importlib.util.spec_from_file_location("import_graph", ROOT / "docs" / "import_graph.py")
graph = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graph)

IMPORTS = graph.all_imports()

SHARED = {"_version", *graph.BASE}
# upwards; those in one line know nothing of each other
LAYERS = [
    {"mechanism"},
    {"settlement"},
    {"advice"},
    {"data", "models"},
    {"training"},
    {"federation", "calibration"},
    {"lab"},
    {"study"},
    {"report"},
    {"cli"},
]
FEDERATION = [
    {"wire"},
    {"agreement"},
    {"ledger"},
    {"accounts", "operator", "member", "audit"},
    {"backup"},
    {"deploy"},
]
MOST_MODULES = 16

PACKAGES = [
    path.parent.relative_to(SRC).parts for path in sorted(SRC.rglob("__init__.py"))
]  # () is fedfact itself


def named(package):
    return ".".join(("fedfact", *package))


def lower(layers, name):
    """All that lies below a layer's member."""
    below = set()
    for layer in layers:
        if name in layer:
            return below
        below |= layer
    raise AssertionError(f"{name} is in no layer; say where it belongs")


def imported_by(package):
    """(module, what it imports) for every module below a package."""
    for module, imported in IMPORTS.items():
        if module[: len(package)] == package:
            for other in imported:
                yield module, other


def test_every_package_has_a_layer():
    folders = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert folders - {"io"} == set().union(*LAYERS)


@pytest.mark.parametrize("layer", sorted(set().union(*LAYERS)))
def test_imports_only_go_down(layer):
    allowed = {layer, *lower(LAYERS, layer), *SHARED}
    wrong = [
        (named(module), named(other))
        for module, other in imported_by((layer,))
        if other and other[0] not in allowed
    ]
    assert wrong == []


MONEY = {"mechanism", "settlement", "advice", "money"}
NEVER = {"data": MONEY, "models": MONEY, "training": MONEY, "federation": {"models"}}
"""What a layer does not know, although it lies below."""

WITH_DATA = {
    "federation/member/member.py": "loads a member's data, for its training",
    "federation/deploy/flare/demo.py": "tests the model of the demo",
}

WITH_TORCH = ("models", "training")
TORCH_ELSEWHERE = {"study/files/manifest.py": "which GPU it was, where it was one"}


@pytest.mark.parametrize("layer", NEVER)
def test_training_knows_no_money_and_the_federation_no_networks(layer):
    known = {other[0] for _, other in imported_by((layer,)) if other}
    assert known & NEVER[layer] == set()


def test_the_federation_loads_data_in_two_places():
    places = {
        "/".join(module) + ".py"
        for module, other in imported_by(("federation",))
        if other[:1] == ("data",)
    }
    assert places == set(WITH_DATA)


def packages_in(path):
    """The packages of others that a file imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def test_torch_is_imported_where_models_are_and_nowhere_else():
    elsewhere = {
        str(path.relative_to(SRC))
        for path in SRC.rglob("*.py")
        if path.relative_to(SRC).parts[0] not in WITH_TORCH and "torch" in packages_in(path)
    }
    assert elsewhere == set(TORCH_ELSEWHERE)


def test_the_mechanism_needs_numpy_and_nothing_else():
    used = {each for path in (SRC / "mechanism").rglob("*.py") for each in packages_in(path)}
    assert used - sys.stdlib_module_names == {"numpy"}


def test_what_all_share_imports_nothing_above_it():
    for shared in SHARED:
        wrong = {named(other) for _, other in imported_by((shared,)) if other[0] not in SHARED}
        assert wrong == set(), shared


@pytest.mark.parametrize("part", sorted(set().union(*FEDERATION)))
def test_imports_only_go_down_in_the_federation(part):
    allowed = {part, *lower(FEDERATION, part)}
    wrong = [
        (named(module), named(other))
        for module, other in imported_by(("federation", part))
        if other[:1] == ("federation",) and len(other) > 1 and other[1] not in allowed
    ]
    if part == "audit":  # one file compares with what a member kept
        own_copy = (named(("federation", "audit", "own_copy")), "fedfact.federation.member.files")
        wrong = [each for each in wrong if each != own_copy]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES, ids=named)
def test_no_cycle_between_the_children_of_a_package(package):
    children = graph.children(package, IMPORTS)
    assert [name for name in sorted(children) if name in graph.reached(children, name)] == []


@pytest.mark.parametrize("package", PACKAGES, ids=named)
def test_no_folder_has_too_many_modules(package):
    modules = [path.stem for path in SRC.joinpath(*package).glob("*.py")]
    assert len(set(modules) - {"__init__"}) <= MOST_MODULES


def modules_of(named_in):
    """Name → the modules in which it is given a meaning, for names that have several."""
    modules = {}
    for path in sorted(SRC.rglob("*.py")):
        for name in named_in(ast.parse(path.read_text())):
            modules.setdefault(name, []).append(path.relative_to(SRC))
    return {name: where for name, where in modules.items() if len(where) > 1}


def assigned(tree):
    """What a module assigns at its top level."""
    for node in tree.body:
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            for each in getattr(target, "elts", [target]):
                if isinstance(each, ast.Name) and not each.id.startswith("_"):
                    yield each.id


def types(tree):
    """Its public classes, aliases and type variables: CamelCase."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
    yield from (name for name in assigned(tree) if name[0].isupper() and not name.isupper())


def constants(tree):
    """Its public constants: CAPITALS."""
    return (name for name in assigned(tree) if name.isupper())


def test_the_name_of_a_class_or_an_alias_means_one_thing():
    assert modules_of(types) == {}


def test_a_constant_that_other_packages_import_means_one_thing():
    imported = set()
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                away = len(path.relative_to(SRC).parts) <= node.level
                imported |= {each.name for each in node.names if away}
    many = modules_of(constants)
    assert {name: many[name] for name in set(many) & imported} == {}


def test_flare_is_imported_in_its_adapter_alone():
    adapter = SRC / "federation" / "deploy" / "flare"
    for path in SRC.rglob("*.py"):
        if adapter not in path.parents:
            names = re.findall(r"(?m)^\s*(?:from|import) +nvflare", path.read_text())
            assert not names, path


MAY_NAME_A_RULE = {
    "federation/agreement/lines.py": "the column rebate of a settlement",
    "lab/setting.py": "the terms that the lab plays by unless told otherwise",
    "mechanism/terms.py": "the rule of terms that name none",
}
"""Modules in which a rule's name stands, and what for; never to tell rules apart."""


def rules_named(path):
    """Lines with a rule's name: compared with, a key, a subscript, a default, a constant."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in RULES:
            yield node.lineno


def dispatched(path):
    """Those of them that tell rules apart: comparisons, keys of dictionaries, subscripts."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare):
            said = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            said = [node.value]
        elif isinstance(node, ast.Dict):
            said = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Subscript):
            said = [node.slice]
        else:
            continue
        parts = [each for part in said for each in ast.walk(part)]
        if any(isinstance(each, ast.Constant) and each.value in RULES for each in parts):
            yield node.lineno


def outside_the_rules(find):
    """What is found in modules outside ``mechanism/rules``: module and line."""
    rules = SRC / "mechanism" / "rules"
    return [
        (str(path.relative_to(SRC)), line)
        for path in sorted(SRC.rglob("*.py"))
        if rules not in path.parents
        for line in find(path)
    ]


def test_nothing_outside_the_rules_tells_rules_apart_by_name():
    assert outside_the_rules(dispatched) == []


def test_only_a_few_modules_outside_the_rules_name_one():
    named_in = outside_the_rules(rules_named)
    assert {module for module, _ in named_in} == set(MAY_NAME_A_RULE)
    assert len(named_in) == len(MAY_NAME_A_RULE), "once in each"


@pytest.mark.parametrize(
    "line",
    [
        'x == "rebate"',
        '"sandwich" != x',
        'x in ("rebate", "other")',
        '"rebate" in x',
        '{"rebate": 1}',
        'x["shared"]',
    ],
)
def test_a_rules_name_is_found_where_it_tells_rules_apart(tmp_path, line):
    (tmp_path / "some.py").write_text(f'"""No code."""\ny = {line}\nz = x == "fee"\n')
    assert list(dispatched(tmp_path / "some.py")) == [2]
    assert list(rules_named(tmp_path / "some.py")) == [2]


def test_a_bare_rules_name_is_found(tmp_path):
    (tmp_path / "some.py").write_text('"""The sandwich."""\nPAPER = "sandwich"\n')
    assert list(rules_named(tmp_path / "some.py")) == [2]
    assert list(dispatched(tmp_path / "some.py")) == []


def test_the_drawn_import_graph_is_up_to_date():
    text = graph.PAGE.read_text()
    assert graph.drawn_in(text) == text, "run make docs"


ROOMS = (ROOT / "ARCHITECTURE.md").read_text().split("## What is in each room")[1]
MODULES = {module[-1] for module in IMPORTS} | {part for module in IMPORTS for part in module[:-1]}
NOT_LISTED = {"sets", "sources", "report", "cli"}  # a file a thing, named after it


def test_every_module_that_the_architecture_names_is_there():
    named_there = {
        part
        for words in re.findall(r"`([a-z0-9_/]+)`", ROOMS.split("## How to add")[0])
        for part in words.strip("/").split("/")
    }
    commands = {"settle", "verify"}
    assert sorted(named_there - MODULES - commands) == []


def test_the_architecture_names_every_module():
    named_there = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`([^`]+)`", ROOMS))))
    missing = [
        named(module)
        for module in sorted(IMPORTS)
        if not {*module} & NOT_LISTED
        and not module[-1].startswith("_")
        and module[-1] not in named_there
    ]
    assert missing == []
