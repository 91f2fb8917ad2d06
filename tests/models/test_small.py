"""The small networks and their dropout: unbiased, and drawn from a generator of its own."""

from itertools import pairwise

import pytest
import torch
from torch import nn

from fedfact.models import Dropout, digits_cnn, mnist_cnn


def dropout(probability=0.25, seed=0):
    module = Dropout(probability)
    module.generator = torch.Generator().manual_seed(seed)
    return module


def test_numbers_are_zero_or_larger_each_by_itself():
    maps = torch.rand(20, 7, 3, 5) + 1
    result = dropout()(maps)
    kept = result != 0
    torch.testing.assert_close(result, maps * kept / 0.75)
    for dim in range(4):  # no image, channel, row or column is dropped as a whole
        first = kept.select(dim, 0).unsqueeze(dim)
        assert not (kept == first).all()


@pytest.mark.parametrize("probability", [0.125, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("channels", [1, 8, 20])
def test_the_mean_stays(probability, channels):
    result = dropout(probability)(torch.ones(100, channels, 40, 20))
    deviation = (probability / (1 - probability) / result.numel()) ** 0.5
    assert result.mean().item() == pytest.approx(1, abs=4.5 * deviation)
    # so it does for every eighth number, whichever byte of a word decides on it
    eighths = (result == 0).permute(0, 2, 3, 1).reshape(-1, 8).double().mean(0)
    spread = (probability * (1 - probability) / (result.numel() / 8)) ** 0.5
    assert eighths.tolist() == pytest.approx([probability] * 8, abs=4.5 * spread)
    # and neighbours are dropped apart from one another
    zero = (result == 0).permute(0, 2, 3, 1).flatten()
    pairs = (zero[:-1] & zero[1:]).double().mean()
    assert pairs.item() == pytest.approx(probability**2, abs=6 * spread)


def test_any_number_of_numbers_will_do():
    for shape in ((1, 1, 1, 1), (3, 1, 1, 1), (1, 7, 1, 1), (5, 3, 7, 1)):
        assert dropout()(torch.ones(shape)).shape == shape


def test_testing_changes_nothing():
    module, maps = dropout(), torch.rand(4, 3, 2, 2)
    before = module.generator.get_state()
    assert module.eval()(maps) is maps
    assert torch.equal(module.generator.get_state(), before)
    assert dropout(0.0)(maps) is maps


def test_draws_come_from_its_own_generator():
    maps = torch.ones(20, 20, 1, 1)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    one, same, other = dropout(seed=3)(maps), dropout(seed=3)(maps), dropout(seed=4)(maps)
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert torch.equal(torch.get_rng_state(), state)


def test_gradients_pass_where_numbers_do():
    maps = torch.ones(10, 10, 2, 2, requires_grad=True)
    result = dropout()(maps)
    result.sum().backward()
    assert torch.equal(maps.grad, result.detach())


def test_the_order_of_memory_is_kept():
    maps = torch.rand(4, 8, 3, 3).to(memory_format=torch.channels_last)
    assert dropout()(maps).is_contiguous(memory_format=torch.channels_last)


def weights(channels):
    """Convolutions of 3x3 without bias, each with a scale and a shift a channel."""
    return sum(9 * i * o + 2 * o for i, o in pairwise(channels))


@pytest.mark.parametrize(
    ("make", "side", "drops", "parameters"),
    [
        (digits_cnn, 8, 1, weights([1, 16, 32]) + (32 * 4 * 4 + 1) * 10),
        (mnist_cnn, 28, 3, weights([1, 32, 32, 64, 64, 128]) + (128 * 4 * 4 + 1) * 10),
    ],
)
def test_networks_have_the_parts_they_say(make, side, drops, parameters):
    model = make(10)
    assert sum(value.numel() for value in model.parameters()) == parameters
    assert [m.probability for m in model.modules() if isinstance(m, Dropout)] == [0.25] * drops
    assert not any(isinstance(m, nn.Dropout | nn.Dropout2d) for m in model.modules())
    assert model(torch.zeros(3, 1, side, side)).shape == (3, 10)
    assert make(7).eval()(torch.zeros(1, 1, side, side)).shape == (1, 7)


@pytest.mark.parametrize(
    ("make", "side", "strides"), [(digits_cnn, 8, [1, 2]), (mnist_cnn, 28, [1, 2, 2, 1, 2])]
)
def test_fresh_networks_are_convolutions_relus_and_a_linear_layer(make, side, strides):
    """Fresh batch norm has mean 0 and variance 1, and dropout does nothing in a test."""
    torch.manual_seed(0)
    model, images = make(10).eval(), torch.rand(2, 1, side, side)
    convolutions = [m for m in model.modules() if isinstance(m, nn.Conv2d)]
    x = images
    for convolution, stride in zip(convolutions, strides, strict=True):
        x = nn.functional.conv2d(x, convolution.weight, stride=stride, padding=1)
        x = (x / (1 + 1e-5) ** 0.5).clamp(min=0)
    (linear,) = (m for m in model.modules() if isinstance(m, nn.Linear))
    torch.testing.assert_close(
        model(images), x.movedim(1, 3).flatten(1) @ linear.weight.T + linear.bias
    )


def test_dropout_scales_by_the_probability_it_has():
    layer = Dropout(0.1)
    assert layer.probability == 26 / 256
    kept = layer(torch.ones(4, 8, 8, 8)).unique()
    torch.testing.assert_close(kept, torch.tensor([0, 256 / 230]))
