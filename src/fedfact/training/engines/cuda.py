"""The fast engine for one CUDA device.

The agents train side by side on several streams, which fill the device together where one agent
alone could not. All models are rows of one matrix: Algorithm 1 hands out the server's model with
one copy and averages with one product, in fp32 and in the order cuBLAS has for this size.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import torch
from torch import Tensor, nn

from ..agent import Precision, Weights, autocast, channels_last
from ..device_images import DeviceImages
from ..evaluate import Score, count, parts, score
from ..job import Job
from .cuda_agent import CudaAgent
from .flat import length, move_into
from .plain import EachResult, Item

STREAMS = 4
PART = 1_000  # test images at a time


def full_precision() -> AbstractContextManager[None]:
    """Convolutions in fp32 where they are not in bf16: no TF32, which rounds to eleven bits."""
    return torch.backends.cudnn.flags(enabled=True, allow_tf32=False)


class CudaEngine:
    """A server's model and its agents on one CUDA device, as ``PlainEngine`` is on the CPU."""

    def __init__(
        self,
        job: Job,
        horizon: Sequence[int],
        precision: Precision = "bf16",
        device: str = "cuda",
        streams: int = STREAMS,
    ) -> None:
        self._device = torch.device(device)
        self._precision: Precision = precision
        train, self._test = (
            DeviceImages(job.dataset, samples, self._device, job.recipe)
            for samples in (job.dataset.train, job.dataset.test)
        )
        self._shares = torch.tensor(job.shares(), dtype=torch.float32, device=self._device)
        first = channels_last(job.initial_model()).to(self._device)
        self._first = first
        self._rows = torch.zeros(job.agents, length(first), device=self._device)
        self._server = torch.zeros(length(first), device=self._device)
        self._model = copy.deepcopy(first)
        move_into(self._server, self._model)
        self._streams = [
            torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
            for _ in range(min(streams, job.agents))
        ]
        self._agents = []
        for number, steps in enumerate(horizon):
            model = copy.deepcopy(first)
            _without_counts(model)
            move_into(self._rows[number], model)
            self._agents.append(CudaAgent(job, number, model, train, steps, precision))
        pools = [torch.cuda.graph_pool_handle() for _ in self._streams]
        torch.cuda.synchronize(self._device)  # weights and data must be there
        for number, agent in enumerate(self._agents):
            with torch.cuda.stream(self._streams[number % len(pools)]), full_precision():
                agent.capture(pools[number % len(pools)])
            torch.cuda.synchronize(self._device)
        self.distribute()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        torch.cuda.synchronize(self._device)

    def each(
        self, work: Callable[[CudaAgent, Item], EachResult], items: Iterable[Item]
    ) -> list[EachResult]:
        """Do the work for all agents, side by side, after all that was asked for before."""
        now, results = torch.cuda.current_stream(self._device), []
        for stream in self._streams:
            stream.wait_stream(now)
        for number, (agent, item) in enumerate(zip(self._agents, items, strict=True)):
            with torch.cuda.stream(self._streams[number % len(self._streams)]):
                results.append(work(agent, item))
        for stream in self._streams:
            now.wait_stream(stream)
        return results

    def distribute(self) -> None:
        """Give the server's model to all agents (Algorithm 1, line 8)."""
        self._rows.copy_(self._server)

    def update(self, steps: Sequence[int]) -> None:
        """Every agent takes its steps (Algorithm 1, lines 9 to 11)."""
        self.each(lambda agent, number: agent.update(number), steps)

    def average(self) -> None:
        """Make the server's model the average of the agents' models (Algorithm 1, line 12)."""
        torch.mv(self._rows.t(), self._shares, out=self._server)

    def test(self) -> Score:
        """The server's model on the test set."""
        return score(self._counts(self._model), self._test)

    def test_agents(self) -> list[Score]:
        """Every agent's model on the test set."""
        counts = self.each(lambda agent, _: self._counts(agent.model), self._agents)
        return [score(of_agent, self._test) for of_agent in counts]

    def _counts(self, model: nn.Module) -> list[Tensor]:
        model.eval()
        with autocast("cuda", self._precision), full_precision():
            return [count(model, self._test, part) for part in parts(self._test, PART)]

    def weights(self) -> Weights:
        """The server's model."""
        return self._exported(self._server, self._agents[0].step)

    def _exported(self, row: Tensor, steps: int) -> Weights:
        model = copy.deepcopy(self._first)
        move_into(row.clone(), model, keep=False)
        return {
            name: value.cpu() + (0 if value.is_floating_point() else steps)
            for name, value in model.state_dict().items()
        }

    def state(self, models: bool) -> dict[str, Any]:
        """What is needed to go on from here, with the agents' models or, after an average, not."""
        torch.cuda.synchronize(self._device)
        agents = [
            {
                "step": agent.step,
                "weights": self._rows[number].cpu() if models else None,
                "optimiser": agent.optimiser_state(),
            }
            for number, agent in enumerate(self._agents)
        ]
        return {"weights": self._server.cpu(), "agents": agents}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self._server.copy_(state["weights"])
        self.distribute()
        for agent, row, saved in zip(self._agents, self._rows, state["agents"], strict=True):
            agent.step = saved["step"]
            agent.restore_optimiser(saved["optimiser"])
            if saved["weights"] is not None:
                row.copy_(saved["weights"])


def _without_counts(model: nn.Module) -> None:
    """Batch norm without its count of batches, which nothing reads and every step would write."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.num_batches_tracked = None
