"""Jobs: shares by hand, first weights that are everyone's, and what tells two jobs apart."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from fedfact import InputError
from fedfact.data.dataset import Dataset, Samples
from fedfact.models import digits_cnn
from fedfact.training import Augmentation, Job, Recipe
from fedfact.training.augmentation.colour import brightened, contrasted, hue_shifted
from fedfact.training.augmentation.move import moved
from fedfact.training.device_images import DeviceImages
from fedfact.training.seeds import generator

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


def grown(recipe, images):
    """Pixels of a batch that is used as the recipe says, on a job of such images."""
    samples = Samples(images, np.arange(len(images)) % 4)
    data = Dataset(
        "n", samples, samples, tuple("abcd"), (0.4,) * images.shape[3], (0.2,) * images.shape[3]
    )
    job = Job(data, lambda: digits_cnn(4), [np.arange(len(images))], recipe, 3)
    device = DeviceImages(data, samples, torch.device("cpu"), recipe)
    draws = job.draws(0, 7, len(images))
    rows = torch.arange(len(images))
    return device.batch(rows, None if draws is None else torch.from_numpy(draws))[0]


def test_an_augmentation_of_nothing_leaves_every_bit():
    images = np.random.default_rng(0).integers(0, 256, (9, 8, 6, 3), dtype=np.uint8)
    plain = Recipe("adam", 0.1)
    for size in (None, 12):
        before = grown(replace(plain, image_size=size), images)
        after = grown(replace(plain, image_size=size, augment=Augmentation()), images)
        assert torch.equal(before, after)
        assert before.shape[2:] == ((8, 6) if size is None else (12, 12))
        assert after.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [None, 12])
def test_images_are_moved_then_brightened_then_contrasted_then_coloured(channels, size):
    images = np.random.default_rng(0).integers(0, 256, (9, 8, 6, channels), dtype=np.uint8)
    augment = Augmentation(True, True, 30.0, 0.3, 0.2, 0.1 if channels == 3 else 0.0)
    recipe = Recipe("adam", 0.1, image_size=size, augment=augment)
    found = grown(recipe, images)
    draws = torch.from_numpy(augment.draw(generator(3, "augment", 0, 7), 9))
    wanted = torch.from_numpy(images).permute(0, 3, 1, 2).float()
    wanted = moved(wanted, draws[:, :4], size or 8, size or 6)
    wanted = contrasted(brightened(wanted, draws[:, 4]), draws[:, 5])
    if channels == 3:
        wanted = hue_shifted(wanted, draws[:, 6])
    torch.testing.assert_close(found, (wanted / 255 - 0.4) / 0.2, atol=1e-5, rtol=0)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_grey_images_have_no_hue():
    with pytest.raises(InputError, match=r"hue is 0.1, and images of 1 channels have none"):
        grown(Recipe("adam", 0.1, augment=Augmentation(hue=0.1)), np.zeros((4, 8, 8, 1), np.uint8))


def test_draws_are_of_the_seed_the_agent_and_the_step(job):
    job = replace(job, recipe=replace(job.recipe, augment=Augmentation(rotation=20.0)))
    draws = [
        each.draws(agent, step, 5).tobytes()
        for each in (job, replace(job, seed=6))
        for agent in (0, 1)
        for step in (0, 1, 2)
    ]
    assert len(set(draws)) == 12
    assert job.draws(1, 2, 5).tobytes() == draws[5]


def test_what_is_not_used_is_not_told(job):
    """So trainings from before there was augmentation stay what they are."""
    assert not {"image size", "augment", "weighted"} & set(job.describe())
    augment = Augmentation(rotation=20.0)
    recipe = replace(job.recipe, image_size=9, augment=augment, weighted=True)
    about = replace(job, recipe=recipe).describe()
    assert (about["image size"], about["weighted"]) == (9, True)
    assert about["augment"] == vars(augment)
