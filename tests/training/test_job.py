"""Jobs: shares by hand, first weights that are everyone's, and what tells two jobs apart."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from fedfact import InputError
from fedfact.models import digits_cnn
from fedfact.training import Job, Recipe
from fedfact.training.device_images import DeviceImages

RECIPE = Recipe("sgd", 0.1, batch=4)


def test_shares_and_steps_by_hand(make_data, make_linear, make_shards):
    data = make_data([0.0] * 16, [0] * 16)
    job = Job(data, make_linear(), make_shards(10, 4, 2), RECIPE)
    assert job.agents == 3
    assert job.shares().tolist() == [0.625, 0.25, 0.125]
    assert job.steps_per_epoch() == [3, 1, 1]
    assert job.batches(0).per_epoch == 3


def test_first_weights_depend_on_the_seed_and_on_nothing_else(job, bits):
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first = bits(dict(job.initial_model().state_dict()))
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(2)
    assert bits(dict(job.initial_model().state_dict())) == first
    assert bits(dict(replace(job, seed=6).initial_model().state_dict())) != first


@pytest.mark.parametrize("shards", [[], [np.arange(3), np.arange(0)]])
def test_agents_without_samples_are_refused(make_data, make_linear, shards):
    with pytest.raises(InputError, match="every agent needs at least one sample"):
        Job(make_data([0.0] * 3, [0] * 3), make_linear(), shards, RECIPE)


def changed(job, what):
    """The job with one thing unlike, however small."""
    train, test = job.dataset.train, job.dataset.test
    images = train.images.copy()
    images[3, 1, 2] ^= 1
    if what == "seed":
        return replace(job, seed=6)
    if what == "agents":
        return replace(job, shards=job.shards[:2])
    if what == "samples of the agents":
        return replace(job, shards=[job.shards[0], job.shards[2], job.shards[1]])
    if what == "data set":
        dataset = replace(job.dataset, train=replace(train, images=images))
        return replace(job, dataset=dataset)
    if what == "test labels":
        dataset = replace(job.dataset, test=replace(test, labels=(test.labels + 1) % 4))
        return replace(job, dataset=dataset)
    if what == "first weights":
        return replace(job, network=lambda: nn.Sequential(digits_cnn(4)))
    value = {"optimiser": "sgd", "drops": (0.5,), "momentum": 0.5}.get(what, 1)
    return replace(job, recipe=replace(job.recipe, **{what.replace(" ", "_"): value}))


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("seed", {"seed", "first weights"}),
        ("agents", {"agents", "samples of the agents"}),
        ("samples of the agents", {"samples of the agents"}),
        ("data set", {"data set"}),
        ("test labels", {"data set"}),
        ("first weights", {"first weights"}),
        *(
            (name, {name})
            for name in (
                *("optimiser", "rate", "momentum", "weight decay"),
                *("drops", "batch", "epochs", "local steps"),
            )
        ),
    ],
)
def test_whatever_differs_is_told_by_name(job, what, names):
    one, other = job.describe(), changed(job, what).describe()
    assert job.describe() == one
    assert one.keys() == other.keys()
    assert {name for name in one if one[name] != other[name]} == names


def test_pixels_are_scaled_channel_by_channel(job):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (5, 3, 2, 3), dtype=np.uint8)
    samples = replace(job.dataset.train, images=images, labels=np.arange(5))
    mean, std = (0.1, 0.2, 0.3), (0.5, 0.25, 0.125)
    data = DeviceImages(replace(job.dataset, mean=mean, std=std), samples, torch.device("cpu"))
    batch, labels = data.batch(torch.tensor([4, 0, 4]))
    wanted = ((images[[4, 0, 4]] / 255 - mean) / std).transpose(0, 3, 1, 2)
    assert batch.shape == (3, 3, 3, 2)
    assert batch.dtype == torch.float32
    np.testing.assert_allclose(batch.numpy(), wanted, atol=2e-6)
    assert batch.is_contiguous(memory_format=torch.channels_last)
    assert labels.tolist() == [4, 0, 4]
    assert len(data) == 5
