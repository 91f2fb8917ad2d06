"""Algorithm 3, AgentUpdate: an agent trains on its own samples, pauses, and resumes there."""

import copy
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ..models import bring_generator
from .device_images import DeviceImages
from .job import Job

Precision = Literal["fp32", "bf16"]
Weights = dict[str, Tensor]
"""A model's parameters and buffers by name, as in PyTorch's state dict."""


def autocast(device: str, precision: Precision) -> torch.autocast:
    """Matrix products and convolutions in bf16 where that is the precision; weights stay fp32."""
    return torch.autocast(device, torch.bfloat16, enabled=precision == "bf16")


def channels_last(model: nn.Module) -> nn.Module:
    """The model with its weights in the order in which convolutions are fastest."""
    return model.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


class Agent:
    """One agent of a job on the CPU: its model, its optimiser and the step where it paused.

    ``horizon`` is the number of steps it will take in all, for the schedule of the learning rate.
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
        self.model = channels_last(copy.deepcopy(model))
        self.optimiser = job.recipe.make_optimiser(self.model.parameters())
        self.step = 0
        self._job, self._number, self._data, self._horizon = job, number, data, horizon
        self._batches = job.batches(number)
        self._autocast = autocast("cpu", precision)
        self._generator = torch.Generator()
        bring_generator(self.model, self._generator)

    def update(self, steps: int) -> None:
        """Take so many steps from where it paused, going over its samples again and again.

        The state of the optimiser stays from call to call; the weights are wherever the server
        has put them in the meantime.
        """
        self.model.train()
        for _ in range(steps):
            self._generator.manual_seed(self._job.dropout_seed(self._number, self.step))
            for group in self.optimiser.param_groups:
                group["lr"] = self._job.recipe.rate_at(self.step, self._horizon)
            batch = torch.from_numpy(self._batches[self.step])
            draws = self._job.draws(self._number, self.step, len(batch))
            images, labels = self._data.batch(
                batch, None if draws is None else torch.from_numpy(draws)
            )
            with self._autocast:
                loss = cross_entropy(self.model(images), labels, self._data.class_weights)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            self.step += 1

    def state(self, model: bool) -> dict[str, Any]:
        """What is needed to go on from here, with the model or without."""
        return {
            "step": self.step,
            "weights": self.model.state_dict() if model else None,
            "optimiser": self.optimiser.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state; one that cannot be of this agent is refused."""
        own, saved = self.optimiser.state_dict(), state["optimiser"]
        sizes = [value.shape for group in self.optimiser.param_groups for value in group["params"]]
        for number, slots in saved["state"].items():
            for value in slots.values():
                if value is not None and value.shape not in (sizes[number], torch.Size()):
                    raise ValueError("the state of an optimiser of another network")
        if _settings(saved["param_groups"]) != _settings(own["param_groups"]):
            raise ValueError("the state of another optimiser")
        if type(state["step"]) is not int or not 0 <= state["step"] <= self._horizon:
            raise ValueError("a step that is not one of the training's")
        self.step = state["step"]
        self.optimiser.load_state_dict(state["optimiser"])
        if state["weights"] is not None:
            self.model.load_state_dict(state["weights"])


def _settings(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What an optimiser was made with, but for the rate, which goes by the step."""
    return [{name: value for name, value in group.items() if name != "lr"} for group in groups]
