"""Algorithm 3 on a CUDA device: an agent's step is captured once and launched as one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ...models import bring_generator
from ..agent import Precision, autocast
from ..device_images import DeviceImages
from ..job import Job

WARM_UP = 3  # steps before the capture, in which libraries choose and load their kernels


class CudaAgent:
    """One agent of a job on a CUDA device: its model, its optimiser, the step where it paused.

    For each size its batches have there is a graph: choosing the images, forward, backward and
    optimiser in one launch. Graphs of one ``pool`` share memory, so only one may run at a time:
    agents of one stream.
    """

    def __init__(
        self,
        job: Job,
        number: int,
        model: nn.Module,
        data: DeviceImages,
        horizon: int,
        precision: Precision,
    ) -> None:
        self.model, self.step = model, 0
        self._job, self._number, self._data, self._horizon = job, number, data, horizon
        self._precision: Precision = precision
        self._batches = job.batches(number)
        self._device = data.labels.device
        self._rate, self._rate_now = torch.tensor(job.recipe.rate, device=self._device), 0.0
        self.optimiser = job.recipe.make_optimiser(model.parameters(), self._rate)
        self._generator = torch.Generator(self._device)
        self._drops_out = bring_generator(model, self._generator)
        self._graphs: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Tensor | None]] = {}

    def capture(self, pool: Any) -> None:
        """Record the graphs, on the current stream. Leaves weights that must be set anew."""
        self.model.train()
        for size in self._batches.sizes():
            indices = torch.zeros(size, dtype=torch.int64, device=self._device)
            draws = self._drawn([0], [size])[0]
            for _ in range(WARM_UP):
                self._one_step(indices, draws)
            graph = torch.cuda.CUDAGraph()
            if self._drops_out:
                graph.register_generator_state(self._generator)
            with torch.cuda.graph(graph, pool=pool, stream=torch.cuda.current_stream()):
                self._one_step(indices, draws)
            self.optimiser.zero_grad()  # frees the gradients' memory for the next graph
            self._graphs[size] = graph, indices, draws
        for state in self.optimiser.state.values():
            for value in state.values():
                value.zero_()

    def _one_step(self, indices: Tensor, draws: Tensor | None) -> None:
        images, labels = self._data.batch(indices, draws)
        with autocast("cuda", self._precision):
            loss = cross_entropy(self.model(images), labels, self._data.class_weights)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()

    def update(self, steps: int) -> None:
        """Take so many steps from where it paused, on the current stream, as ``Agent`` does."""
        if steps == 0:
            return
        batches = [self._batches[self.step + ahead] for ahead in range(steps)]
        sizes = [len(batch) for batch in batches]
        samples = torch.from_numpy(np.concatenate(batches)).to(self._device, non_blocking=True)
        drawn = self._drawn(range(self.step, self.step + steps), sizes)
        for chosen, changes in zip(torch.split(samples, sizes), drawn, strict=True):
            rate = self._job.recipe.rate_at(self.step, self._horizon)
            if rate != self._rate_now:
                self._rate.fill_(rate)
                self._rate_now = rate
            if self._drops_out:
                self._generator.manual_seed(self._job.dropout_seed(self._number, self.step))
            graph, indices, draws = self._graphs[len(chosen)]
            indices.copy_(chosen)
            if draws is not None and changes is not None:
                draws.copy_(changes)
            graph.replay()
            self.step += 1

    def _drawn(self, steps: Sequence[int], sizes: list[int]) -> Sequence[Tensor | None]:
        """How the images of each of these steps are changed, if they are; sent in one go."""
        rows = [self._job.draws(self._number, *each) for each in zip(steps, sizes, strict=True)]
        sent = [row for row in rows if row is not None]
        if not sent:
            return [None] * len(rows)
        on_device = torch.from_numpy(np.concatenate(sent)).to(self._device, non_blocking=True)
        return torch.split(on_device, sizes)

    def optimiser_state(self) -> dict[int, dict[str, Tensor]]:
        """What the optimiser remembers, by number of parameter."""
        return {
            number: {key: value.cpu() for key, value in state.items()}
            for number, state in self.optimiser.state_dict()["state"].items()
        }

    def restore_optimiser(self, saved: dict[int, dict[str, Tensor]]) -> None:
        """Copied in place: the graphs know the memory, not the names."""
        for number, state in self.optimiser.state_dict()["state"].items():
            for key, value in state.items():
                value.copy_(saved[number][key])
