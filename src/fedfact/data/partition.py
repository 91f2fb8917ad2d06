"""Dealing out samples to agents: at random, or with a mix of labels that differs by agent."""

import math

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from .label_table import label_table

SCHEMES = "iid or dirichlet:CONCENTRATION, for example dirichlet:0.3"


def partition(labels: Ints, samples: Ints, how: str, rng: np.random.Generator) -> list[Ints]:
    """Which samples each agent gets: agent i exactly ``samples[i]`` of them, no sample twice.

    The samples are given as rows of ``labels``, in ascending order. ``how`` is "iid": every agent
    gets samples at random; or "dirichlet:0.3" (the paper's D-0.3): the ratio of labels of each
    agent is drawn from a symmetric Dirichlet distribution with that concentration, which is the
    more lopsided the smaller it is, and even over all labels that there are when it is large.

    The drawn ratios are kept, up to whole samples, while there are enough samples of each label.
    Where there are not, the ratios of all agents are bent as little as is needed (see
    ``label_table``); most of all when the agents together use all the data, for then the labels
    they hold must add up to exactly those there are.
    """
    concentration = parse_scheme(how)
    labels, samples = np.asarray(labels), np.asarray(samples)
    _check(len(labels), samples)
    order = rng.permutation(len(labels))
    agents = np.arange(len(samples) + 1)  # one more, who gets what nobody wants
    if concentration is None:
        counts = np.append(samples, len(labels) - samples.sum())
        owners = np.repeat(agents, counts)
    else:
        classes, label, supply = np.unique(labels, return_inverse=True, return_counts=True)
        table = label_table(samples, supply, concentration, rng)
        table = np.vstack([table, supply - table.sum(axis=0)])
        order = order[np.argsort(label[order], kind="stable")]  # label by label, shuffled within
        owners = np.repeat(np.tile(agents, len(classes)), table.T.ravel())
    dealt = order[np.lexsort((order, owners))]  # agent by agent, ascending within
    return np.split(dealt, np.cumsum(samples))[:-1]


def parse_scheme(how: str) -> float | None:
    """The concentration of a Dirichlet scheme, or nothing for iid."""
    scheme, colon, text = how.partition(":")
    if scheme == "iid" and not colon:
        return None
    if scheme != "dirichlet":
        raise InputError(f"partition {how!r} is not known; write {SCHEMES}")
    try:
        concentration = float(text)
    except ValueError:
        concentration = math.nan
    if not 0 < concentration < math.inf:
        raise InputError(
            f"partition {how!r}: the concentration is not a number above 0; write {SCHEMES}"
        )
    return concentration


def _check(there: int, samples: Ints) -> None:
    if samples.ndim != 1 or not len(samples) or not np.issubdtype(samples.dtype, np.integer):
        raise InputError("samples must be a list of whole numbers, one for each agent")
    if samples.min() < 1:
        index = int(samples.argmin())
        raise InputError(
            f"agent {index} (counted from 0) is to get {samples[index]} samples; give every agent "
            "at least 1",
            index,
        )
    wanted = sum(samples.tolist())
    if wanted > there:
        raise InputError(
            f"{len(samples)} agents want {wanted} samples together, but there are {there}; take "
            "fewer agents or fewer samples for each"
        )
