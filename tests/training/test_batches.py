"""The batches of Algorithm 3: every sample once an epoch, shuffled anew, any step at any time."""

import hashlib
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.training.batches import Batches


def epoch_of(batches, epoch):
    first = epoch * batches.per_epoch
    return [batches[step].tolist() for step in range(first, first + batches.per_epoch)]


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 3), st.integers(0, 5))
def test_every_sample_is_used_once_an_epoch(m, size, agent, epoch):
    shard = np.arange(m) * 3 + 1
    batches = Batches(shard, size, 0, agent)
    parts = epoch_of(batches, epoch)
    assert sorted(chain(*parts)) == shard.tolist()
    assert [len(part) for part in parts[:-1]] == [size] * (len(parts) - 1)
    assert 1 <= len(parts[-1]) <= size
    assert batches.per_epoch == len(parts) == -(-m // size)
    assert batches.sizes() == {len(part) for part in parts}


def test_the_order_comes_from_seed_agent_and_epoch_alone():
    shard = np.array([4, 8, 15, 16, 23])
    batches = Batches(shard, 2, 9, 1)
    for epoch in (0, 1, 2):
        head = hashlib.sha256(f"fedfact/9/batches/1/{epoch}".encode()).digest()[:8]
        order = np.random.default_rng(int.from_bytes(head, "big") // 2).permutation(shard).tolist()
        assert epoch_of(batches, epoch) == [order[:2], order[2:4], order[4:]]


def test_epochs_agents_and_seeds_are_shuffled_unlike():
    shard = np.arange(50)
    orders = [
        tuple(chain(*epoch_of(Batches(shard, 7, seed, agent), epoch)))
        for seed, agent, epoch in [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, 2)]
    ]
    assert len({*orders, tuple(range(50))}) == 6


def test_steps_may_be_asked_for_in_any_order():
    batches = Batches(np.arange(10), 3, 0, 0)
    forwards = [batches[step].tolist() for step in range(12)]
    again = Batches(np.arange(10), 3, 0, 0)
    backwards = [again[step].tolist() for step in reversed(range(12))]
    assert backwards[::-1] == forwards


@pytest.mark.parametrize(("m", "sizes"), [(8, {4}), (9, {4, 1}), (3, {3}), (4, {4})])
def test_sizes_that_batches_have(m, sizes):
    assert Batches(np.arange(m), 4, 0, 0).sizes() == sizes
