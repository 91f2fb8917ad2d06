"""What is trained: data, network, each agent's share of the data, recipe, seed."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from ..arrays import Floats, Ints
from ..data import Dataset
from ..errors import InputError
from .augmentation.settings import Draws
from .batches import Batches, batches_per_epoch
from .recipe import Recipe
from .seeds import derive, generator


def initial_model(network: Callable[[], nn.Module], seed: int) -> nn.Module:
    """The network with its first weights, which depend on nothing but the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(derive(seed, "weights"))
        return network()


@dataclass(frozen=True, eq=False)
class Job:
    """A training, whoever does it: ``shards[i]`` are agent i's indices into the training data.

    ``partition`` says in words how they came about.
    """

    dataset: Dataset
    network: Callable[[], nn.Module]
    shards: list[Ints]
    recipe: Recipe
    seed: int = 0
    partition: str = "given"

    def __post_init__(self) -> None:
        if not self.shards or min(map(len, self.shards)) == 0:
            raise InputError("every agent needs at least one sample to train on")
        augment, channels = self.recipe.augment, self.dataset.train.images.shape[3]
        if augment is not None and augment.hue and channels != 3:
            raise InputError(
                f"augmentation: hue is {augment.hue}, and images of {channels} channels have none; "
                "leave it out"
            )
        if self.recipe.weighted and self.dataset.class_shares().max() == 1:
            raise InputError(
                "weighted: all training samples are of one class, which would count nothing; leave "
                "it out"
            )

    @property
    def agents(self) -> int:
        """The number of agents, n."""
        return len(self.shards)

    def shares(self) -> Floats:
        """s_i = m_i / Σm, the weight of each agent's model (Algorithm 1, line 6)."""
        samples = np.array([len(shard) for shard in self.shards], float)
        shares: Floats = samples / samples.sum()
        return shares

    def initial_model(self) -> nn.Module:
        """The network with its first weights: the same for every agent, alone or together."""
        return initial_model(self.network, self.seed)

    def batches(self, agent: int) -> Batches:
        """The batches of an agent."""
        return Batches(self.shards[agent], self.recipe.batch, self.seed, agent)

    def steps_per_epoch(self) -> list[int]:
        """The batches in one epoch of each agent."""
        return [batches_per_epoch(shard, self.recipe.batch) for shard in self.shards]

    def dropout_seed(self, agent: int, step: int) -> int:
        """What an agent's dropout draws from in a step."""
        return derive(self.seed, "dropout", agent, step)

    def draws(self, agent: int, step: int, images: int) -> Draws | None:
        """How the images of an agent's step are changed, if they are."""
        augment = self.recipe.augment
        if augment is None:
            return None
        return augment.draw(generator(self.seed, "augment", agent, step), images)

    def describe(self) -> dict[str, Any]:
        """What tells this training from any other, for a checkpoint to carry."""
        weights = hashlib.sha256()
        for name, value in self.initial_model().state_dict().items():
            weights.update(name.encode() + value.contiguous().numpy().tobytes())
        shards = hashlib.sha256(b"/".join(np.asarray(s, np.int64).tobytes() for s in self.shards))
        return {
            "data set": f"{self.dataset.name} {self.dataset.fingerprint[:16]}",
            "first weights": weights.hexdigest()[:16],
            "agents": self.agents,
            "partition": self.partition,
            "samples of the agents": shards.hexdigest()[:16],
            "seed": self.seed,
            **self.recipe.describe(),
        }
