"""The picture of a settlement: in each format, of any population; its looks are checked by eye."""

import io

import numpy as np
import pytest
from PIL import Image

from fedfact import Population, Terms, settle
from fedfact.mechanism import RULES, whole_local_optimum
from fedfact.report.single.settlement import picture_of_settlement


def settled(n, rule="sandwich"):
    cost = np.random.default_rng(0).lognormal(np.log(1e-6), 0.3, n)
    names = [f"agent-{k}" for k in range(n)]
    population = Population(names, cost, whole_local_optimum(cost, 1.0))
    return settle(population, Terms(error_scale=1.0, rule=rule), seed=1)


def size(png):
    with Image.open(io.BytesIO(png)) as image:
        return image.size


@pytest.mark.parametrize("n", [3, 40, 41, 5000])
@pytest.mark.parametrize("rule", RULES)
def test_settlements_of_any_size_can_be_drawn(n, rule):
    width, height = size(picture_of_settlement(settled(n, rule), ".png"))
    assert width == 1200
    assert 390 <= height <= 2115


@pytest.mark.parametrize(
    ("ending", "head"), [(".png", b"\x89PNG"), (".svg", b"<?xm"), (".pdf", b"%PDF")]
)
def test_formats(ending, head):
    assert picture_of_settlement(settled(6), ending)[:4] == head


def test_names_are_drawn_as_they_are():
    """No formulas, no warnings about glyphs, no room for names without end."""
    names = ["$\\foo$", "a$x$", "日本", "n" * 500, "_x^2"]
    population = Population(names, np.full(5, 1e-6), np.full(5, 1000))
    assert size(picture_of_settlement(settle(population, Terms(error_scale=1.0)), ".png"))
    assert b"$\\foo$" in picture_of_settlement(settle(population, Terms(error_scale=1.0)), ".svg")
