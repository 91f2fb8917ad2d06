"""Models as bytes: exactly the numbers, and nothing that is none is taken for a model."""

import struct

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fedfact import InputError
from fedfact.training import RECIPES
from fedfact.training.model_bytes import from_bytes, size_of, to_bytes
from fedfact.training.plan import Plan
from fedfact.training.site.average import mean_of

examples = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""On a machine that others use as well."""

PLAN = Plan("digits", 6, 7, RECIPES["digits"])
LAYOUT = (("a", "float32", (2, 3)), ("n", "int64", ()), ("b", "float32", (4,)))


def test_bytes_are_little_endian_one_after_another():
    weights = {
        "a": torch.arange(6.0).reshape(3, 2).t(),
        "n": torch.tensor(258),
        "b": torch.tensor([1.5, -0.0, 1e-45, -3.4e38]),
    }
    data = struct.pack("<6fq4f", 0, 2, 4, 1, 3, 5, 258, 1.5, -0.0, 1e-45, -3.4e38)
    assert to_bytes(weights) == data
    again = from_bytes(data, LAYOUT)
    assert list(again) == ["a", "n", "b"]
    assert all(torch.equal(again[name], weights[name]) for name in weights)
    assert {name: (t.dtype, t.shape) for name, t in again.items()} == {
        name: (t.dtype, t.shape) for name, t in weights.items()
    }
    again["a"][0] = 9  # what was read may be written to
    for name in ("a", "b"):
        with pytest.raises(InputError, match=f"{name} of a model holds NaN or infinite"):
            to_bytes(weights | {name: weights[name] / 0})


@examples
@given(st.binary(max_size=96))
def test_bytes_of_another_length_are_refused(data):
    if len(data) != 48:
        with pytest.raises(InputError, match=f"{len(data)} bytes long where the network's is 48"):
            from_bytes(data, LAYOUT)


@examples
@given(
    st.lists(st.integers(0, 2**32 - 1), min_size=10, max_size=10), st.integers(-(2**63), 2**63 - 1)
)
def test_any_finite_numbers_go_there_and_back_and_no_others(patterns, number):
    data = struct.pack("<6Iq4I", *patterns[:6], number, *patterns[6:])
    if all((pattern >> 23) & 255 != 255 for pattern in patterns):  # not all ones: finite
        assert to_bytes(from_bytes(data, LAYOUT)) == data
    else:
        with pytest.raises(InputError, match="NaN or infinite"):
            from_bytes(data, LAYOUT)


WORDS = np.concatenate([np.full(size_of((entry,)) // 4, entry[1]) for entry in PLAN.layout()])
"""The type of the number that each four bytes of a model belong to."""


@examples
@given(st.integers(0, len(WORDS) - 1), st.sampled_from([np.nan, np.inf, -np.inf]))
def test_one_poisoned_number_in_a_network_is_found(position, poison):
    data = bytearray(PLAN.initial())
    data[4 * position : 4 * position + 4] = struct.pack("<f", poison)
    if WORDS[position] == "int64":  # half of a count
        from_bytes(bytes(data), PLAN.layout())
    else:
        with pytest.raises(InputError, match="NaN or infinite"):
            from_bytes(bytes(data), PLAN.layout())


def test_a_mean_names_the_model_at_fault():
    good = PLAN.initial()
    for wrong in (good[:-4], struct.pack("<f", np.inf) + good[4:]):
        with pytest.raises(InputError, match="model 1 ") as caught:
            mean_of([good, wrong, good], [0.5, 0.25, 0.25], PLAN)
        assert caught.value.index == 1
    for models, shares in (([], []), ([good], [0.5, 0.5]), ([good, good], [1.0])):
        with pytest.raises(InputError, match="models are to be averaged with"):
            mean_of(models, shares, PLAN)
    for shares in ([0.5, 0.6], [1.5, -0.5], [np.nan, 0.5], [np.inf, 0.0], [0.0, 0.0]):
        with pytest.raises(InputError, match="shares"):
            mean_of([good, good], shares, PLAN)
    assert mean_of([good], [1.0], PLAN) == good
    assert mean_of([good] * 3, [1 / 3, 1 / 3, 1 / 3], PLAN) == good
