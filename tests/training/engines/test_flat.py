"""A model in one row of memory: its values kept, its tensors views, in channels-last order."""

import torch
from torch import nn

from fedfact.models import digits_cnn
from fedfact.training.engines.flat import ALIGN, floating, length, move_into


def moved(keep=True):
    torch.manual_seed(0)
    model = digits_cnn(4).to(memory_format=torch.channels_last)
    row = torch.full((length(model),), 7.0)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    move_into(row, model, keep)
    return row, model, before


def test_values_are_kept():
    _, model, before = moved()
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_without_keep_the_values_are_those_of_the_row():
    row, model, before = moved(keep=False)
    assert (row == 7).all()
    for name, value in model.state_dict().items():
        wanted = before[name] if name.endswith("num_batches_tracked") else torch.tensor(7.0)
        assert (value == wanted).all()


def test_tensors_are_views_of_the_row_and_of_no_other_part():
    row, model, before = moved()
    row.mul_(2)
    for name, value in model.state_dict().items():
        counts = name.endswith("num_batches_tracked")
        assert torch.equal(value, before[name] * (1 if counts else 2))
    for value in floating(model):
        start = value.data_ptr() - row.data_ptr()
        assert start % (ALIGN * row.element_size()) == 0
        assert 0 <= start < row.nbytes
    with torch.no_grad():
        for number, value in enumerate(floating(model)):
            value.fill_(number)
    assert all((value == number).all() for number, value in enumerate(floating(model)))


def test_convolutions_are_in_channels_last_order():
    _, model, before = moved()
    ((name, weight),) = ((n, v) for n, v in model.named_parameters() if v.shape[1:] == (16, 3, 3))
    assert weight.is_contiguous(memory_format=torch.channels_last)
    assert weight.stride() == before[name].stride() == (144, 1, 48, 16)


def test_a_row_is_as_long_as_its_tensors_rounded_up():
    model = nn.Sequential(nn.Linear(3, 64), nn.Linear(64, 1), nn.BatchNorm2d(2))
    # weights and biases 192 + 64 + 64 + 1, then scale, shift, mean and variance of 2 each
    assert length(model) == 192 + 64 + 64 + 64 + 4 * 64


def test_moved_models_train_as_they_did():
    images, labels = torch.randn(6, 1, 8, 8), torch.arange(6) % 4
    _, model, _ = moved()
    torch.manual_seed(0)
    own = digits_cnn(4).to(memory_format=torch.channels_last)
    for network in (model, own):
        network.eval()  # no dropout
        optimiser = torch.optim.SGD(network.parameters(), 0.1)
        for _ in range(3):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(images), labels).backward()
            optimiser.step()
    for one, other in zip(model.parameters(), own.parameters(), strict=True):
        torch.testing.assert_close(one, other)
