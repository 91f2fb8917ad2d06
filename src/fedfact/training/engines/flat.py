"""A model's numbers in one row of memory, so that many tensors are copied and averaged as one."""

from collections.abc import Iterator

from torch import Tensor, nn

ALIGN = 64  # numbers: every tensor starts where wide loads may


def floating(model: nn.Module) -> Iterator[Tensor]:
    """The parameters and buffers that can be averaged: all but counts."""
    for value in [*model.parameters(), *model.buffers()]:
        if value.is_floating_point():
            yield value


def _room(value: Tensor) -> int:
    return -(-value.numel() // ALIGN) * ALIGN


def length(model: nn.Module) -> int:
    """How many numbers a row must hold."""
    return sum(map(_room, floating(model)))


def move_into(row: Tensor, model: nn.Module, keep: bool = True) -> None:
    """Make the model's parameters and buffers views of the row, with the values they have.

    Without ``keep``, with those that the row has.
    """
    start = 0
    for value in floating(model):
        piece = row[start : start + value.numel()]
        start += _room(value)
        if value.dim() == 4:  # a convolution's weights stay in channels-last order
            outputs, inputs, height, width = value.shape
            view = piece.view(outputs, height, width, inputs).permute(0, 3, 1, 2)
        else:
            view = piece.view(value.shape)
        value.data = view.copy_(value.data) if keep else view
