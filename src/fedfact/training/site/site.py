"""Training on one member's machine: models come and go as bytes, its samples stay where they are.

The protocol of a federation needs no more of training than is here, and so meets neither pixels nor
tensors.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from ...arrays import Ints
from ...data import Samples
from ...data.content import check_salt, content_digests, distinct, index_digest
from ...errors import InputError
from .. import evaluate
from ..agent import Agent, channels_last
from ..device_images import DeviceImages
from ..engines.plain import PART
from ..evaluate import Score
from ..job import Job
from ..model_bytes import from_bytes, to_bytes
from ..plan import Plan
from ..seeds import derive, generator
from . import paused

_CPU = torch.device("cpu")
_ALONE = threading.Lock()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one thread, so that the result does not depend on the number of cores.

    PyTorch's setting is for the whole process, so sites that share one take turns.
    """
    with _ALONE:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


class Site:
    """One member's training: Algorithm 3 on its own samples, with a pause after each round.

    It trains on at most ``most`` distinct samples: those with the same pixels and label count once,
    and which ones are taken depends on the plan's seed, the agent's name and the contents alone.
    ``salt``, 32 random bytes that the member keeps to itself, goes into the digests of the samples.
    """

    def __init__(self, plan: Plan, samples: Samples, agent: str, most: int, salt: bytes) -> None:
        network = plan.network_itself()
        network.check(samples)
        check_salt(salt)
        if most < 1:
            raise InputError(f"{agent} is to train on at most {most} samples; take 1 or more")
        name = hashlib.sha256(agent.encode()).digest()
        seed = derive(plan.seed, "site", int.from_bytes(name, "big"))
        own = samples.take(generator(seed, "samples").permutation(distinct(samples))[:most])
        job = Job(network.dataset(own), network.new, [np.arange(len(own))], plan.recipe, seed)
        data = DeviceImages(job.dataset, own, _CPU)
        self.samples = len(own)
        """The distinct samples it trains on."""
        self._plan = plan
        self._agent = Agent(job, 0, network.blank(), data, plan.horizon, "fp32")
        self._batches = job.batches(0)
        self._digests = content_digests(own, salt)
        about = {**plan.document(), "agent": agent, "samples": index_digest(self._digests)}
        self._training = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).digest()

    @property
    def step(self) -> int:
        """The steps it has taken."""
        return self._agent.step

    @property
    def used(self) -> int:
        """The distinct samples that its batches have touched so far."""
        return len(self._touched())

    def index_digest(self) -> str:
        """The digest of the samples used so far; ``index_digest_of`` makes it from the samples."""
        return index_digest(self._digests[row] for row in self._touched())

    def update(self, weights: bytes, steps: int) -> bytes:
        """Take steps with these weights, from where it paused, and return the new weights.

        Epoch and optimiser go on from call to call (Algorithm 3).
        """
        if not 1 <= steps <= self._plan.horizon - self.step:
            raise InputError(
                f"{steps} steps are asked for after {self.step} of the {self._plan.horizon} that "
                "the plan has in all; ask for at least 1 and no more than are left"
            )
        with _one_thread():
            self._agent.model.load_state_dict(from_bytes(weights, self._plan.layout()))
            self._agent.update(steps)
            return to_bytes(self._agent.model.state_dict())

    def state(self) -> bytes:
        """What is needed, beside the arguments, to go on from here exactly."""
        return paused.save(self._agent, self._training)

    def restore(self, data: bytes) -> None:
        """Go on from there; a state that is damaged, or of another training, is refused."""
        paused.load(self._agent, self._training, data)

    def go_back(self, step: int) -> None:
        """Go on from an earlier step, whose batches come again; the optimiser is as it is now."""
        if not 0 <= step <= self.step:
            raise InputError(
                f"step {step} does not come before step {self.step}; name an earlier one"
            )
        self._agent.step = step

    def _touched(self) -> Ints:
        """Rows of the samples in the batches so far; the first epoch has them all."""
        batches = [self._batches[step] for step in range(min(self.step, self._batches.per_epoch))]
        return np.unique(np.concatenate(batches)) if batches else np.arange(0)


def score(plan: Plan, weights: bytes, samples: Samples) -> Score:
    """Loss and accuracy of a model on samples that it was not trained on."""
    network = plan.network_itself()
    network.check(samples)
    data = DeviceImages(network.dataset(samples), samples, _CPU)
    model = channels_last(network.blank()).eval()
    model.load_state_dict(from_bytes(weights, plan.layout()))
    with _one_thread():
        counts = [evaluate.count(model, data, part) for part in evaluate.parts(data, PART)]
    return evaluate.score(counts, data)
