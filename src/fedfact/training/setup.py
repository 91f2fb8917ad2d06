"""A job from a few words: the name of a data set, how many agents, how the data is dealt out."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from torch import nn

from ..arrays import Ints
from ..data import Dataset, load, partition
from ..data.description import SplitBy
from ..data.partition import parse_scheme
from ..data.registry import SETS
from ..data.sources.locate import data_directory
from ..errors import InputError
from ..models import pretrained_resnet50
from ..models.weights import find_weights
from ..progress import Progress, silent
from .job import Job
from .networks import make_network
from .recipe import RECIPES, Recipe
from .seeds import generator


def prepare(
    name: str,
    *,
    agents: int | None = None,
    samples: Sequence[int] | None = None,
    how: str = "iid",
    seed: int = 0,
    recipe: Recipe | None = None,
    directory: Path | None = None,
    split: SplitBy = "lesion",
    progress: Progress = silent,
) -> Job:
    """The training of a data set's own network by agents that share its training data.

    What is left out is as in the paper: the data set's number of agents with equal shares of all
    the data. ``samples`` are the m_i: one number for all agents, or one for each. ``how`` is the
    partition (see ``fedfact.data.partition``).
    """
    if agents is not None and agents < 1:
        raise InputError(f"agents are {agents}; take 1 or more")
    parse_scheme(how)
    dataset = load_to_train(name, directory, split, progress)
    labels = dataset.train.labels
    n = agents or (len(samples) if samples and len(samples) > 1 else SETS[name].agents)
    if n > len(labels):
        raise InputError(f"{n} agents cannot share {len(labels)} samples; take fewer agents")
    if samples is None:
        samples = [len(labels) // n]
    if len(samples) not in (1, n):
        raise InputError(f"samples are given for {len(samples)} agents of {n}; give one or {n}")
    for number in samples:
        if abs(number) > len(labels):  # of such, some are too large for numpy
            raise InputError(
                f"an agent is to get {number} samples; give every agent 1 to {len(labels)}"
            )
    m = np.broadcast_to(np.asarray(samples, np.int64), n)
    shards = partition(labels, m, how, generator(seed, "partition"))
    job = assemble(dataset, shards, recipe or RECIPES[name], seed, how, directory, split)
    job.initial_model()  # a broken file of weights is reported now
    return job


def load_to_train(name: str, directory: Path | None, split: SplitBy, progress: Progress) -> Dataset:
    """The data set, whose network's weights, where it needs some, are there as well."""
    if name in SETS and SETS[name].pretrained:
        find_weights(data_directory(directory))  # reported before the images are decoded
    return load(name, directory, split=split, progress=progress)


def assemble(
    dataset: Dataset,
    shards: list[Ints],
    recipe: Recipe,
    seed: int,
    how: str,
    directory: Path | None = None,
    split: SplitBy = "lesion",
) -> Job:
    """The job of agents that train the data set's own network on these shards.

    ``how`` says in words where the shards come from, and ``split`` where the test samples do.
    """
    words = SETS[dataset.name].scheme(how, split)
    return Job(dataset, network_of(dataset, directory), shards, recipe, seed, words)


def network_of(dataset: Dataset, directory: Path | None) -> Callable[[], nn.Module]:
    """The data set's own network."""
    own, classes = SETS[dataset.name], len(dataset.classes)
    if own.pretrained:
        return partial(pretrained_resnet50, classes, data_directory(directory))
    return partial(make_network, own.network, classes)
