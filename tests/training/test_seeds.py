"""Seeds: one number for each (seed, purpose, agent, ...), today and on every machine."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from fedfact.training.seeds import derive, generator

KEYS = st.tuples(
    st.integers(0, 2**64),
    st.sampled_from(["weights", "batches", "dropout", "partition"]),
    st.lists(st.integers(0, 10**6), max_size=3).map(tuple),
)


def test_the_numbers_are_the_same_for_ever():
    assert derive(0, "weights") == 3971974829097479243
    assert derive(7, "dropout", 3, 12) == 7059428052239053541
    draws = [generator(7, "batches", 3, 12).random(4).tolist() for _ in range(2)]
    assert draws[0] == draws[1]


def test_the_number_is_the_head_of_a_hash():
    head = hashlib.sha256(b"fedfact/7/dropout/3/12").digest()[:8]
    assert derive(7, "dropout", 3, 12) == int.from_bytes(head, "big") // 2


@given(KEYS, KEYS)
def test_unlike_keys_have_unlike_numbers(one, other):
    same = derive(one[0], one[1], *one[2]) == derive(other[0], other[1], *other[2])
    assert same == (one == other)
    assert 0 <= derive(one[0], one[1], *one[2]) < 2**63


def test_no_two_agents_steps_or_seeds_share_a_number():
    numbers = {derive(s, "dropout", i, k) for s in range(5) for i in range(20) for k in range(100)}
    assert len(numbers) == 10_000
    assert derive(1, "dropout", 1, 11) != derive(1, "dropout", 11, 1)
    assert derive(1, "dropout", 1, 1) != derive(11, "dropout", 1)
