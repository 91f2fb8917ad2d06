"""A job from a few words: the name of a data set, how many agents, how the data is dealt out."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from torch import nn

from ..data import Dataset, load, partition
from ..data.ham10000 import By
from ..data.locate import data_directory
from ..data.partition import parse_scheme
from ..mechanism import InputError
from ..models import pretrained_resnet50
from ..models.weights import find_weights
from ..progress import Report, silent
from .job import Job
from .networks import NETWORKS
from .recipe import RECIPES, Recipe
from .seeds import generator

AGENTS = {"digits": 16, "mnist": 16, "cifar10": 16, "ham10000": 10}
"""The paper's numbers of agents."""


def prepare(
    name: str,
    *,
    agents: int | None = None,
    samples: Sequence[int] | None = None,
    how: str = "iid",
    seed: int = 0,
    recipe: Recipe | None = None,
    directory: Path | None = None,
    split: By = "lesion",
    report: Report = silent,
) -> Job:
    """The training of a data set's own network by agents that share its training data.

    What is left out is as in the paper: 16 agents (10 on HAM10000) with equal shares of all the
    data. ``samples`` are the m_i: one number for all agents, or one for each. ``how`` is the
    partition (see ``fedfact.data.partition``).
    """
    if agents is not None and agents < 1:
        raise InputError(f"agents are {agents}; take 1 or more")
    parse_scheme(how)
    dataset = load_to_train(name, directory, split, report)
    labels = dataset.train.labels
    n = agents or (len(samples) if samples and len(samples) > 1 else AGENTS[name])
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
    network, scheme = network_of(dataset, directory), scheme_of(name, how, split)
    job = Job(dataset, network, shards, recipe or RECIPES[name], seed, scheme)
    job.initial_model()  # a broken file of weights is told of now
    return job


def load_to_train(name: str, directory: Path | None, split: By, report: Report) -> Dataset:
    """The data set, whose network's weights, where it needs some, are there as well."""
    if name == "ham10000":
        find_weights(data_directory(directory))  # told of before the images are decoded
    return load(name, directory, split=split, report=report)


def scheme_of(name: str, how: str, split: By) -> str:
    """In words, how the samples of a job were dealt out and its test samples set apart."""
    return f"{how}, split by {split}" if name == "ham10000" else how


def network_of(dataset: Dataset, directory: Path | None) -> Callable[[], nn.Module]:
    """The data set's own network."""
    classes = len(dataset.classes)
    if dataset.name == "ham10000":
        return partial(pretrained_resnet50, classes, data_directory(directory))
    return partial(NETWORKS[dataset.name].make, classes)
