"""How many samples of each label each agent gets, when ratios of labels are drawn at random.

The ratios p_i of agent i are drawn from Dir(concentration, ..., concentration): it wants m_i p_ik
samples of label k. There are only so many of a label, so of all tables with the right row sums and
no column above its supply, the one nearest to the wanted one is taken (by relative entropy). It
has the form u_i p_ik v_k with v_k <= 1, and v_k < 1 only for labels that run out; u and v are
found by scaling rows and columns in turn. Then it is rounded to whole samples.
"""

import numpy as np

from ..arrays import Floats, Ints

ROUNDS = 1000
"""Rows and columns are scaled so often at most; what is not settled then, rounding settles."""

LEAST_RATIO = 1e-12
"""No ratio is smaller, so that every agent can take any label if there is nothing else left."""


def label_table(
    samples: Ints, supply: Ints, concentration: float, rng: np.random.Generator
) -> Ints:
    """Whole numbers by agent and label: rows add up to ``samples``, columns at most to ``supply``.

    There must be at least as many samples as are wanted.
    """
    ratios = draw_ratios((len(samples), len(supply)), concentration, rng)
    return _whole(_within_supply(ratios, samples, supply), samples, supply, rng)


def draw_ratios(shape: tuple[int, int], concentration: float, rng: np.random.Generator) -> Floats:
    """Rows from the symmetric Dirichlet distribution, at any concentration.

    Gamma variables divided by their sum. Those of a shape a near 0 underflow, so their logarithms
    are drawn: log G(a) = log G(a + 1) - E / a, with E from the exponential distribution.
    """
    a = min(max(concentration, 1e-300), 1e300)
    logs = np.log(rng.standard_gamma(a + 1, shape)) - rng.standard_exponential(shape) / a
    ratios = np.maximum(np.exp(logs - logs.max(axis=1, keepdims=True)), LEAST_RATIO)
    return np.asarray(ratios / ratios.sum(axis=1, keepdims=True))


def _within_supply(ratios: Floats, samples: Ints, supply: Ints) -> Floats:
    """The nearest table of real numbers, but for less than a sample or what ROUNDS left over."""
    u, v = samples.astype(np.float64), np.ones(len(supply))
    for _ in range(ROUNDS):
        columns = v * (u @ ratios)
        if np.maximum(columns - supply, 0).sum() < 0.5:
            break
        v = np.minimum(1.0, supply / (u @ ratios))
        u = samples / (ratios @ v)
    table = u[:, None] * ratios * v
    return np.asarray(table * np.minimum(1.0, supply / table.sum(axis=0)))


def _whole(wanted: Floats, samples: Ints, supply: Ints, rng: np.random.Generator) -> Ints:
    """Round down, then hand out what is missing, agent after agent in random order.

    An agent's missing samples go to its labels with the largest remainders, one each, among those
    that are left. Only when fewer labels are left than samples are missing it gets more of one.
    """
    table = np.floor(wanted + 1e-9).astype(np.int64)  # 2.9999999999 is 3
    left = supply - table.sum(axis=0)
    missing = samples - table.sum(axis=1)
    preference = np.argsort(table - wanted, axis=1, kind="stable")
    for agent in rng.permutation(len(samples)):
        while missing[agent] > 0:
            labels = preference[agent][left[preference[agent]] > 0][: missing[agent]]
            share = np.minimum(left[labels], missing[agent] // len(labels))
            table[agent, labels] += share
            left[labels] -= share
            missing[agent] -= share.sum()
    return table
