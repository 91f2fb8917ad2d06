"""The batches of Algorithm 3: an agent's own samples, shuffled anew in every epoch."""

from functools import lru_cache

from ..arrays import Ints
from .seeds import generator


def batches_per_epoch(shard: Ints, size: int) -> int:
    """How many batches of this size the samples make, the last of what is left."""
    return -(-len(shard) // size)


class Batches:
    """Batch number ``step`` of an agent that goes over its samples again and again.

    Any batch can be asked for, so pausing and resuming need no more than the number of the step.
    The last batch of an epoch holds what is left, so that every sample is used once an epoch. (The
    paper's Algorithm 3 makes its batches once; shuffling anew is what "epoch" usually means.)
    """

    def __init__(self, shard: Ints, size: int, seed: int, agent: int) -> None:
        self.shard = shard
        self.size = size
        self.per_epoch = batches_per_epoch(shard, size)
        self._order = lru_cache(maxsize=1)(
            lambda epoch: generator(seed, "batches", agent, epoch).permutation(shard)
        )

    def __getitem__(self, step: int) -> Ints:
        epoch, number = divmod(step, self.per_epoch)
        order: Ints = self._order(epoch)
        return order[number * self.size : (number + 1) * self.size]

    def sizes(self) -> set[int]:
        """The sizes that batches have."""
        return {len(self[step]) for step in (0, self.per_epoch - 1)}
