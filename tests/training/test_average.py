"""The server's average: by hand, in double precision, buffers too."""

import numpy as np
import pytest
import torch
from torch import nn

from fedfact.training.average import average


def test_parameters_and_buffers_by_hand():
    models = [
        {"weight": torch.tensor([[1.0, -2.0]]), "running_mean": torch.tensor([8.0])},
        {"weight": torch.tensor([[5.0, 2.0]]), "running_mean": torch.tensor([0.0])},
        {"weight": torch.tensor([[9.0, 6.0]]), "running_mean": torch.tensor([-4.0])},
    ]
    mean = average(models, np.array([0.5, 0.25, 0.25]))
    assert list(mean) == ["weight", "running_mean"]
    assert mean["weight"].tolist() == [[4.0, 1.0]]
    assert mean["running_mean"].tolist() == [3.0]
    assert models[0]["weight"].tolist() == [[1.0, -2.0]]
    assert mean["weight"].dtype == torch.float32


def test_the_sum_is_in_double_precision():
    models = [{"w": torch.tensor([value])} for value in (1e8, 1.0, -1e8)]
    assert average(models, np.array([0.25, 0.5, 0.25]))["w"].item() == 0.5


def test_counts_are_the_first_agents_own():
    models = [{"batches": torch.tensor(7)}, {"batches": torch.tensor(9)}]
    mean = average(models, np.array([0.5, 0.5]))
    assert (mean["batches"].item(), mean["batches"].dtype) == (7, torch.int64)
    mean["batches"] += 1
    assert models[0]["batches"].item() == 7


def test_one_agent_keeps_its_model_to_the_last_bit():
    model = nn.Sequential(nn.Conv2d(3, 5, 3), nn.BatchNorm2d(5)).state_dict()
    mean = average([model], np.array([1.0]))
    assert all(torch.equal(mean[name], model[name]) for name in model)


def test_every_agent_needs_a_share():
    with pytest.raises(ValueError, match="zip"):
        average([{"w": torch.ones(1)}] * 3, np.array([0.5, 0.5]))
