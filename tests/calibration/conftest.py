"""Trainings made up of a curve and noise."""

import numpy as np
import pytest

from fedfact.calibration import Runs

SIZES = (50, 100, 200, 400, 800, 1600, 3200)


def runs_of(curve, seeds=5, noise=0.0, sizes=SIZES, rng=0):
    """The losses of a curve; their noise is so much of the loss."""
    draw = np.random.default_rng(rng)
    samples = np.repeat(np.array(sizes, np.int64), seeds)
    loss = curve(samples.astype(float))
    loss = loss * (1 + noise * draw.standard_normal(len(samples)))
    return Runs(samples, np.tile(np.arange(seeds, dtype=np.int64), len(sizes)), loss)


@pytest.fixture
def make_runs():
    return runs_of
