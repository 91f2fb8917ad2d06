"""What the tests of training share: tiny data sets, a job on them, weights to the last bit."""

import io
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from fedfact.data.dataset import Dataset, Samples
from fedfact.models import digits_cnn
from fedfact.training import Augmentation, Job, Recipe


@pytest.fixture
def make_data():
    """Numbers as images of one pixel: x, from -10 to 15.5 in tenths, is the byte 100 + 10 x."""

    def samples(numbers, labels):
        images = np.rint(100 + 10 * np.asarray(numbers, float)).astype(np.uint8)
        return Samples(images.reshape(-1, 1, 1, 1), np.asarray(labels, np.int64))

    def make(train, train_labels, test=(0.0,), test_labels=(0,), classes=2):
        names = tuple(map(str, range(classes)))
        first, second = samples(train, train_labels), samples(test, test_labels)
        return Dataset("numbers", first, second, names, (100 / 255,), (10 / 255,))

    return make


@pytest.fixture
def make_linear():
    """One linear layer from one pixel to two classes or more, with these first weights."""

    def make(weights=(0.0, 0.0), bias=(0.0, 0.0)):
        def network():
            layer = nn.Linear(1, len(weights))
            with torch.no_grad():
                layer.weight.copy_(torch.tensor(weights)[:, None])
                layer.bias.copy_(torch.tensor(bias))
            return nn.Sequential(nn.Flatten(), layer)

        return network

    return make


@pytest.fixture
def make_images():
    """Images at random, of four labels of which each is brightest in a quarter of its own."""

    def make(side, train, test, seed=0):
        rng = np.random.default_rng(seed)

        def samples(m):
            labels, half = np.arange(m) % 4, side // 2
            images = rng.integers(0, 160, (m, side, side, 1))
            for image, label in zip(images, labels, strict=True):
                top, left = divmod(label, 2)
                image[top * half : (top + 1) * half, left * half : (left + 1) * half] += 95
            return Samples(images.astype(np.uint8), labels)

        return Dataset("quarters", samples(train), samples(test), tuple("abcd"), (0.4,), (0.2,))

    return make


@pytest.fixture
def make_shards():
    """The first samples for the first agent, the next for the next: as many as are asked for."""

    def make(*samples):
        return np.split(np.arange(sum(samples)), np.cumsum(samples)[:-1])

    return make


@pytest.fixture
def job(make_images, make_shards):
    """Three agents of unlike size with the network of the digits: batch norm and dropout."""
    recipe = Recipe("adam", 5e-3, batch=8, epochs=4, local_steps=2)
    return Job(make_images(8, 40, 301), lambda: digits_cnn(4), make_shards(20, 13, 7), recipe, 5)


@pytest.fixture
def augmented_job(job):
    """The same with images that are flipped, turned and jittered, and with weights of classes."""
    augment = Augmentation(True, True, 20.0, 0.1, 0.1)
    recipe = replace(job.recipe, augment=augment, weighted=True)
    rare = job.dataset.train.labels.copy()
    rare[rare == 3] = 2  # but for one, so that classes weigh otherwise
    rare[3] = 3
    train = replace(job.dataset.train, labels=rare)
    return replace(job, recipe=recipe, dataset=replace(job.dataset, train=train))


@pytest.fixture
def bits():
    """The bytes of tensors in lists and dictionaries, and all else as it is."""

    def of(thing):
        if isinstance(thing, torch.Tensor):
            return str(thing.dtype), tuple(thing.shape), thing.contiguous().numpy().tobytes()
        if isinstance(thing, dict):
            return {key: of(value) for key, value in thing.items()}
        return [of(value) for value in thing] if isinstance(thing, list) else thing

    return of


@pytest.fixture
def load_model():
    """The weights in a file of ``run``."""
    return lambda path: torch.load(io.BytesIO(path.read_bytes()), weights_only=True)
