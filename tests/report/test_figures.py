"""Figures: written in each format, whatever the population; what they show is checked by eye."""

import numpy as np
import pytest
from PIL import Image

from fedfact import Population, Terms, settle
from fedfact.federation.advice import Member, advise
from fedfact.mechanism import Others, whole_local_optimum
from fedfact.report.loss_curves import draw_losses
from fedfact.report.settlement import draw_settlement


def settled(n, rule="sandwich"):
    cost = np.random.default_rng(0).lognormal(np.log(1e-6), 0.3, n)
    names = [f"agent-{k}" for k in range(n)]
    population = Population(names, cost, whole_local_optimum(cost, 1.0))
    return settle(population, Terms(error_scale=1.0, rule=rule), seed=1)


@pytest.mark.parametrize("n", [3, 40, 41, 5000])
@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
def test_settlements_of_any_size_can_be_drawn(tmp_path, n, rule):
    path = tmp_path / "settlement.png"
    draw_settlement(path, settled(n, rule))
    with Image.open(path) as image:
        assert image.width == 1200
        assert 390 <= image.height <= 2115


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_formats(tmp_path, ending):
    path = tmp_path / f"settlement.{ending}"
    draw_settlement(path, settled(6))
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")


@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
@pytest.mark.parametrize("others", [2, 50])
def test_losses_can_be_drawn(tmp_path, rule, others):
    member = Member(
        true_cost=1e-6,
        terms=Terms(error_scale=1.0, rule=rule),
        others=Others(np.full(others, 300.0), np.linspace(0.5e-6, 1.5e-6, others)),
        knows_reports=True,
    )
    path = tmp_path / "losses.png"
    draw_losses(path, advise(member), member)
    with Image.open(path) as image:
        assert image.size == (1125, 720)
