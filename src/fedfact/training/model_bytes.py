"""Models as bytes: what travels between members, with nothing in it that could be run.

The numbers of a model one tensor after another, in the order of the network's state dict, each in
row-major order and little-endian. Names, types and shapes do not travel: both sides know them from
the plan (``Layout``), so bytes of any other length are no model.
"""

import math
from collections.abc import Iterable

import numpy as np
import torch

from ..errors import InputError
from .agent import Weights

Layout = tuple[tuple[str, str, tuple[int, ...]], ...]
"""Name, type (``float32`` or ``int64``) and shape of each tensor."""


def layout_of(weights: Weights) -> Layout:
    """The names, types and shapes of tensors."""
    return tuple(
        (name, str(value.dtype).removeprefix("torch."), tuple(value.shape))
        for name, value in weights.items()
    )


def size_of(layout: Layout) -> int:
    """How many bytes the tensors take."""
    return sum(np.dtype(kind).itemsize * math.prod(shape) for _, kind, shape in layout)


def pack(tensors: Iterable[torch.Tensor]) -> bytes:
    """The numbers of tensors one after another, whatever they are."""
    arrays = (tensor.detach().contiguous().numpy() for tensor in tensors)
    return b"".join(array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays)


def unpack(data: bytes, layout: Layout) -> Weights:
    """The tensors again; bytes of another length are refused."""
    if len(data) != size_of(layout):
        raise InputError(
            f"a model is {len(data)} bytes long where the network's is {size_of(layout)}; send one "
            "of the network that the plan names"
        )
    tensors, start = {}, 0
    for name, kind, shape in layout:
        little = np.dtype(kind).newbyteorder("<")
        values = np.frombuffer(data, little, math.prod(shape), start)
        start += values.nbytes
        tensors[name] = torch.from_numpy(values.astype(kind).reshape(shape))
    return tensors


def to_bytes(weights: Weights) -> bytes:
    """A model as bytes; one with numbers that are not finite is refused."""
    _check(weights, "the training diverged; take a lower learning rate")
    return pack(weights.values())


def from_bytes(data: bytes, layout: Layout) -> Weights:
    """The model again; a broken one, or one with numbers that are not finite, is refused."""
    weights = unpack(data, layout)
    _check(weights, "leave this model out")
    return weights


def _check(weights: Weights, remedy: str) -> None:
    for name, value in weights.items():
        if value.is_floating_point() and not value.isfinite().all():
            raise InputError(f"{name} of a model holds NaN or infinite numbers; {remedy}")
