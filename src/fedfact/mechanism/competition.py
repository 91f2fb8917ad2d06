"""The competition of the sandwich rule (Eq. 10): who meets whom, and who wins.

The draw can be repeated by anybody with the seed and a SHA-256 tool:

1. The key of an agent is SHA-256 of the UTF-8 text ``fedfact-group:SEED:AGENT``, SEED in decimal.
2. Agents are sorted by key; each three in a row form a group, numbered from 0. One or two agents
   are left over where n is not a multiple of three; they belong to no group.
3. A group is won by the member whose report is the group's median. Where several members report
   that same number, the one with the smallest key wins, which is a uniform draw among them.

Only ids and the seed decide; the order in which agents are listed does not.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Floats, Ints
from ..errors import InputError

_BLOCK = 1 << 16


def draw_order(agents: Sequence[str], seed: int) -> Ints:
    """Positions of the agents in the order of their keys: the random grouping of Eq. 10.

    The first eight bytes of a key decide nearly always; where they do not, the whole key does.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed is {seed!r}; it must be a whole number, 0 or more")
    prefix, sha256 = f"fedfact-group:{seed}:".encode(), hashlib.sha256

    def key(agent: str) -> bytes:
        return sha256(prefix + agent.encode()).digest()

    heads: npt.NDArray[np.uint64] = np.empty(len(agents), np.uint64)
    try:
        for start in range(0, len(agents), _BLOCK):
            block = b"".join([key(agent)[:8] for agent in agents[start : start + _BLOCK]])
            heads[start : start + _BLOCK] = np.frombuffer(block, dtype=">u8")
    except UnicodeEncodeError as error:
        raise InputError(f"agent {error.object!r}: the name cannot be written in UTF-8") from None
    order = np.argsort(heads)
    ranked = heads[order]
    for head in np.unique(ranked[1:][ranked[1:] == ranked[:-1]]):
        tied = slice(np.searchsorted(ranked, head), np.searchsorted(ranked, head, side="right"))
        order[tied] = sorted(order[tied], key=lambda i: key(agents[i]))
    return order


def winner_in_threes(reports: Floats) -> Ints:
    """Which of each three (last axis, in key order) wins: the first whose report is the median."""
    a, b, c = reports[..., 0], reports[..., 1], reports[..., 2]
    median = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return np.where(a == median, 0, np.where(b == median, 1, 2))


def compete(agents: Sequence[str], reported_cost: Floats, seed: int) -> tuple[Ints, Bools]:
    """Each agent's group (−1: left over) and whether it won (Eq. 10).

    >>> group, won = compete(["ann", "bob", "cy", "dee"], np.array([1.0, 2.0, 3.0, 4.0]), seed=7)
    >>> group, won
    (array([-1,  0,  0,  0]), array([False, False,  True, False]))
    """
    order = draw_order(agents, seed)
    G = len(agents) // 3
    threes = order[: 3 * G].reshape(G, 3)
    group = np.full(len(agents), -1, np.int64)
    group[threes] = np.arange(G)[:, None]
    won = np.zeros(len(agents), np.bool_)
    won[threes[np.arange(G), winner_in_threes(reported_cost[threes])]] = True
    return group, won
