"""Samples by their content: what counts as the same, and what changes a digest."""

import hashlib

import numpy as np
import pytest

from fedfact import InputError
from fedfact.data import Samples
from fedfact.data.content import content_digests, distinct, index_digest_of


def make_samples(m=6, seed=0):
    return Samples(
        np.random.default_rng(seed).integers(0, 256, (m, 2, 3, 1), np.uint8), np.arange(m) % 3
    )


def test_digests_are_the_sha256_of_salt_shape_pixels_and_label():
    samples, salt = make_samples(), bytes(range(32))
    by_hand = [
        hashlib.sha256(
            salt
            + bytes([2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0])
            + samples.images[k].tobytes()
            + bytes([k % 3, 0, 0, 0, 0, 0, 0, 0])
        ).digest()
        for k in range(6)
    ]
    assert content_digests(samples, salt) == by_hand
    whole = hashlib.sha256(b"".join(sorted(by_hand))).hexdigest()
    assert index_digest_of(samples, salt) == whole


def test_the_digest_changes_with_anything_but_the_order_and_repetition():
    samples, salt = make_samples(), bytes(32)
    digest = index_digest_of(samples, salt)
    assert index_digest_of(samples.take(np.array([5, 1, 3, 1, 0, 2, 4, 5])), salt) == digest
    assert index_digest_of(samples, bytes(31) + b"\1") != digest
    for part in ("images", "labels"):
        changed = make_samples()
        getattr(changed, part).reshape(-1)[4] ^= 1
        assert index_digest_of(changed, salt) != digest
    assert index_digest_of(samples.take(np.arange(5)), salt) != digest
    turned = Samples(samples.images.reshape(6, 3, 2, 1), samples.labels)
    assert index_digest_of(turned, salt) != digest
    for wrong in (b"", bytes(31), bytes(33)):
        with pytest.raises(InputError, match=r"salt is \d+ bytes; take 32"):
            index_digest_of(samples, wrong)


def test_the_same_content_counts_once_and_the_order_of_samples_is_of_no_matter():
    samples = make_samples()
    double = samples.take(np.array([3, 0, 3, 5, 0, 1, 2, 4]))
    rows, again = distinct(samples), distinct(double)
    assert sorted(rows) == list(range(6))
    assert sorted(again) == [0, 1, 3, 5, 6, 7]  # the first of each
    assert (samples.images[rows] == double.images[again]).all()
    assert (samples.labels[rows] == double.labels[again]).all()
    other_label = Samples(samples.images[[0, 0]], np.array([0, 1]))
    assert len(distinct(other_label)) == 2
