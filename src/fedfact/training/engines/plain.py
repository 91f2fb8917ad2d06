"""The plain engine: one agent after the other, on one thread. The reference for the others."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, TypeVar

import torch
from torch import Tensor, nn

from ..agent import Agent, Precision, Weights, autocast, channels_last
from ..average import average
from ..device_images import DeviceImages
from ..evaluate import Score, count, parts, score
from ..job import Job

PART = 250  # test images at a time: few enough for the processor's cache
Item = TypeVar("Item")
EachResult = TypeVar("EachResult")


class PlainEngine:
    """A server's model and its agents, each on one thread.

    One thread, because a sum that two threads share is rounded otherwise than one that a single
    thread makes, and training multiplies such differences. So the weights are the same to the last
    bit on one core and on many. ``horizon`` are the steps each agent will take in all.
    """

    def __init__(self, job: Job, horizon: Sequence[int], precision: Precision = "fp32") -> None:
        cpu = torch.device("cpu")
        train = DeviceImages(job.dataset, job.dataset.train, cpu, job.recipe)
        self._test = DeviceImages(job.dataset, job.dataset.test, cpu, job.recipe)
        self._shares = job.shares()
        self._precision: Precision = precision
        self._model = channels_last(job.initial_model())
        self._agents = [
            Agent(job, number, self._model, train, steps, precision)
            for number, steps in enumerate(horizon)
        ]

    def __enter__(self) -> Self:
        self._threads = torch.get_num_threads()
        torch.set_num_threads(1)
        return self

    def __exit__(self, *error: object) -> None:
        torch.set_num_threads(self._threads)

    def each(self, work: Callable[[Item], EachResult], items: Iterable[Item]) -> list[EachResult]:
        """Do the work for all items, one after the other."""
        return [work(item) for item in items]

    def distribute(self) -> None:
        """Give the server's model to all agents (Algorithm 1, line 8)."""
        weights = self._model.state_dict()
        for agent in self._agents:
            agent.model.load_state_dict(weights)

    def update(self, steps: Sequence[int]) -> None:
        """Every agent takes its steps (Algorithm 1, lines 9 to 11)."""
        self.each(lambda pair: pair[0].update(pair[1]), zip(self._agents, steps, strict=True))

    def average(self) -> None:
        """Make the server's model the average of the agents' models (Algorithm 1, line 12)."""
        models = [agent.model.state_dict() for agent in self._agents]
        self._model.load_state_dict(average(models, self._shares))

    def test(self) -> Score:
        """The server's model on the test set."""
        pieces = parts(self._test, PART)
        return score(self.each(lambda part: self._count(self._model, part), pieces), self._test)

    def test_agents(self) -> list[Score]:
        """Every agent's model on the test set."""
        pieces = parts(self._test, PART)
        return self.each(
            lambda agent: score([self._count(agent.model, p) for p in pieces], self._test),
            self._agents,
        )

    def _count(self, model: nn.Module, part: range) -> Tensor:
        model.eval()
        with autocast("cpu", self._precision):
            return count(model, self._test, part)

    def weights(self) -> Weights:
        """The server's model."""
        return {name: value.clone() for name, value in self._model.state_dict().items()}

    def state(self, models: bool) -> dict[str, Any]:
        """What is needed to go on from here, with the agents' models or, after an average, not."""
        agents = [agent.state(models) for agent in self._agents]
        return {"weights": self._model.state_dict(), "agents": agents}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self._model.load_state_dict(state["weights"])
        self.distribute()
        for agent, saved in zip(self._agents, state["agents"], strict=True):
            agent.restore(saved)
