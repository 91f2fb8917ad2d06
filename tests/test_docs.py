"""README and docs show what the commands print, link to what is there, and name no machine."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fedfact import RULES

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)
NAMES = [str(page.relative_to(ROOT)) for page in refresh.PAGES]
LONG = "docs/lab.md"
"""Its commands play for minutes."""


def without_measurements(text):
    """The page with # for all numbers in blocks that depend on the machine."""

    def masked(block):
        if not block.group().startswith("```console measured\n"):
            return block.group()
        return re.sub(r" +", " ", re.sub(r"[\d.,]*\d", "#", block.group()))

    return refresh.BLOCK.sub(masked, text)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.thorough] * (name == LONG)) for name in NAMES],
)
def test_commands_print_what_the_page_shows(name, tmp_path):
    page = ROOT / name
    now, kept = refresh.refreshed(page, tmp_path), page.read_text(encoding="utf-8")
    assert without_measurements(now) == without_measurements(kept), "run `make docs`"
    for figure in (tmp_path / "docs" / "figures").iterdir():
        with Image.open(figure) as now, Image.open(ROOT / "docs" / "figures" / figure.name) as kept:
            assert now.size == kept.size
            assert np.abs(np.asarray(now, float) - np.asarray(kept, float)).mean() < 1


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_every_test_that_the_security_page_names_is_there():
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]*test_\w+\.py)`", page))
    assert len(named) > 30
    for name in named:
        assert [*(ROOT / "tests").rglob(name)], name
    below = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    for name in re.findall(r"`(test_\w+)`", page):
        assert any(f"def {name}(" in text for text in below), name


def test_the_guarantee_table_says_when_to_choose_each_rule():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    header = next(line for line in readme.splitlines() if line.startswith("| | `"))
    order = re.findall("`([a-z]+)`", header)
    assert sorted(order) == sorted(RULES)
    row = next(line for line in readme.splitlines() if line.startswith("| choose it when |"))
    assert row.strip("| ").split(" | ")[1:] == [RULES[rule].choose_when for rule in order]


def test_make_help_explains_every_target():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z]+):", makefile, re.MULTILINE)
    explained = re.findall(r"^([a-z]+):.*## \S", makefile, re.MULTILINE)
    assert targets == explained
    assert {"help", "run", "test", "check", "bench", "docs"} <= set(targets)
