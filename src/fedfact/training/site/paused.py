"""Where an agent paused, as bytes: its step and its optimiser's numbers, with nothing to unpickle.

A line that says what it is, the SHA-256 of which training it is of, the step, the optimiser's
tensors one after another, and last the SHA-256 of all before. So a torn or changed state is never
gone on from, and another training's is refused.
"""

import hashlib
import struct

import torch

from ...errors import InputError
from ..agent import Agent
from ..model_bytes import Layout, pack, size_of, unpack

_START = b"fedfact site 1\n"
_STEP = struct.Struct("<Q")
_HASH = 32
_HEAD = len(_START) + _HASH + _STEP.size


def save(agent: Agent, training: bytes) -> bytes:
    """The state of an agent; ``training`` is the SHA-256 of what tells its training from others."""
    kept = agent.state(model=False)
    tensors = [
        kept["optimiser"]["state"][number][slot]
        for number, slot, _ in _slots(agent, kept["step"] > 0)
    ]
    body = _START + training + _STEP.pack(kept["step"]) + pack(tensors)
    return body + hashlib.sha256(body).digest()


def load(agent: Agent, training: bytes, data: bytes) -> None:
    """Have the agent go on from there."""
    body, digest = data[:-_HASH], data[-_HASH:]
    if len(body) < _HEAD or hashlib.sha256(body).digest() != digest:
        raise InputError("the state of the training is damaged; take an older one, or start anew")
    if not body.startswith(_START):
        raise InputError("this is no state of a training that this version of fedfact can read")
    if body[len(_START) :][:_HASH] != training:
        raise InputError(
            "the state is of another training: plan, agent, samples or salt are not the same; put "
            "back those it was made with, or start anew"
        )
    (step,) = _STEP.unpack(body[_HEAD - _STEP.size : _HEAD])
    slots = _slots(agent, step > 0)
    layout: Layout = tuple(
        (f"{number}.{slot}", "float32", tuple(like.shape)) for number, slot, like in slots
    )
    if len(body) - _HEAD != size_of(layout):
        raise InputError("the state of the training is not of this network; start anew")
    tensors = unpack(body[_HEAD:], layout)
    state: dict[int, dict[str, torch.Tensor]] = {}
    for number, slot, like in slots:
        # In the parameter's own order in memory: the fused optimiser goes by memory, not by index.
        value = torch.empty_like(like).copy_(tensors[f"{number}.{slot}"])
        state.setdefault(number, {})[slot] = value
    groups = agent.optimiser.state_dict()["param_groups"]
    optimiser = {"state": state, "param_groups": groups}
    agent.restore({"step": step, "weights": None, "optimiser": optimiser})


def _slots(agent: Agent, begun: bool) -> list[tuple[int, str, torch.Tensor]]:
    """What the optimiser keeps once it has begun: parameter, name, and a tensor of the same kind.

    Adam keeps its step and two means of each parameter, SGD with momentum one.
    """
    optimiser = agent.optimiser
    if not begun or (isinstance(optimiser, torch.optim.SGD) and not optimiser.defaults["momentum"]):
        return []
    sgd = isinstance(optimiser, torch.optim.SGD)
    names = ("momentum_buffer",) if sgd else ("step", "exp_avg", "exp_avg_sq")
    parameters = [value.detach() for group in optimiser.param_groups for value in group["params"]]
    return [
        (number, name, torch.zeros(()) if name == "step" else parameter)
        for number, parameter in enumerate(parameters)
        for name in names
    ]
