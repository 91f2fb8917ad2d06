"""Who wins the sandwich, over all draws and all populations: closed forms of Lemma 2.

G groups of three are drawn from n agents, and the report of a winner is the median of its group.
"""

from functools import cache
from math import comb

import numpy as np

from ...arrays import Floats, floats


def wins_at_quantile(part: float, attackers: int, n: int) -> float:
    """So many agents together that report this quantile of costs, q, others being honest.

    Lemma 2 with E = k − 1 tied, and of the n − k others each below with probability q, or above:
    E[L·U] = (n−k)(n−k−1)·q(1−q).
    """
    others, tied = n - attackers, attackers - 1
    ways = others * (others - 1) * part * (1 - part) + tied * others / 2 + tied * (tied - 1) / 6
    return attackers * _in_a_group(n) * ways / comb(n - 1, 2)


def _in_a_group(n: int) -> float:
    """How likely an agent is drawn into a group at all: 3G/n."""
    return 3 * (n // 3) / n


@cache
def middle_winner(n: int) -> Floats:
    """How likely the winner in the middle (the lower of two) has the lowest report, the next, ...

    A winner is among the L lowest reports where two or three of its group are. Of all ways to
    choose L places of n, those with k such groups are counted by the coefficients of
    C(G,k)·(1 + 3x)^(G−k)·(3x² + x³)^k·(1 + x)^(n−3G), the last for agents left over.
    """
    G, left = divmod(n, 3)
    ways = np.zeros(n + 1)
    for k in range((G + 1) // 2, G + 1):
        found = np.ones(1)
        for factor in [[1, 3]] * (G - k) + [[0, 0, 3, 1]] * k + [[1, 1]] * left:
            found = np.convolve(found, factor)
        ways[: len(found)] += comb(G, k) * found
    return floats(np.diff(ways / [comb(n, low) for low in range(n + 1)]))
