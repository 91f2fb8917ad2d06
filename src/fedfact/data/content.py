"""Samples by their content: which are the same, and a digest that an auditor can recompute.

A sample's digest is the SHA-256 of salt, shape, pixels and label. The salt is the member's secret:
without it, whoever knows a picture cannot ask the digest whether the member has it. Once the member
shows its samples and the salt, anybody can check that these, and no others, have the digest.
"""

import hashlib
import struct
from collections.abc import Iterable

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from .dataset import Samples

SALT = 32
"""The bytes of a salt. Always as many, so that no salt can run on into the pixels."""


def check_salt(salt: bytes) -> None:
    """Refuse a salt of another length."""
    if len(salt) != SALT:
        raise InputError(f"the salt is {len(salt)} bytes; take {SALT} random ones")


def content_digests(samples: Samples, salt: bytes = b"") -> list[bytes]:
    """SHA-256(salt + shape + pixels + label) of each sample.

    The shape is three unsigned numbers of 4 bytes, the label a signed one of 8, little-endian.
    """
    start = hashlib.sha256(salt + struct.pack("<3I", *samples.images.shape[1:]))
    digests = []
    for image, label in zip(samples.images, samples.labels.tolist(), strict=True):
        sha256 = start.copy()
        sha256.update(np.ascontiguousarray(image).data)
        sha256.update(struct.pack("<q", label))
        digests.append(sha256.digest())
    return digests


def distinct(samples: Samples) -> Ints:
    """A row for each content, in an order that depends on the contents alone."""
    rows: dict[bytes, int] = {}
    for row, digest in enumerate(content_digests(samples)):
        rows.setdefault(digest, row)
    return np.array([rows[digest] for digest in sorted(rows)], np.int64)


def index_digest(digests: Iterable[bytes]) -> str:
    """One digest, in hex, for a set of samples, from the digests of each."""
    return hashlib.sha256(b"".join(sorted(set(digests)))).hexdigest()


def index_digest_of(samples: Samples, salt: bytes) -> str:
    """The digest of these samples under a salt, whatever their order, the same ones counted once.

    For an auditor who is shown the samples that a member says it used.
    """
    check_salt(salt)
    return index_digest(content_digests(samples, salt))
