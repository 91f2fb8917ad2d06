"""A Merkle tree over the entries of a ledger (RFC 9162, section 2.1): short proofs about long logs.

Its leaves are the hashes of the entries, in order. With the root, some hundred bytes show that one
entry is in the ledger (`is_included`), or that a ledger only grew since an earlier root
(`is_consistent`): nobody has to be given the entries of others for that. `Proofs` makes them.
"""

import re
from collections.abc import Sequence
from hashlib import sha256

from ...errors import InputError


class Tree:
    """The root of a growing list of leaves, from one hash for each of its full subtrees."""

    def __init__(self) -> None:
        self.size = 0
        self._full: list[bytes] = []  # of the largest subtree first

    def add(self, entry: str) -> None:
        """One more leaf: the hash of an entry."""
        node, size, full = leaf_hash(entry), self.size, [*self._full]
        while size & 1:
            node, size = node_hash(full.pop(), node), size >> 1
        self._full, self.size = [*full, node], self.size + 1

    def root(self) -> str:
        """The hash of all leaves."""
        if not self._full:
            return sha256().hexdigest()
        node = self._full[-1]
        for left in reversed(self._full[:-1]):
            node = node_hash(left, node)
        return node.hex()


def is_included(entry: str, number: int, size: int, path: Sequence[str], root: str) -> bool:
    """Whether the path leads from the entry of this number to the root over so many entries."""
    if not 0 <= number < size:
        return False
    node, own, last = leaf_hash(entry), number, size - 1
    for beside in _hashes(path):
        if last == 0:
            return False
        if own & 1 or own == last:
            node = node_hash(beside, node)
            own, last = _up(own, last)
        else:
            node = node_hash(node, beside)
        own, last = own >> 1, last >> 1
    return last == 0 and node.hex() == root


def is_consistent(earlier: int, before: str, size: int, root: str, path: Sequence[str]) -> bool:
    """Whether the entries below the root ``before`` are the first ones below ``root``."""
    if not 0 < earlier <= size:
        return False
    if earlier == size:
        return before == root and not path
    nodes = _hashes(path)
    if earlier & (earlier - 1) == 0:
        nodes = _hashes([before]) + nodes
    if not nodes:
        return False
    own, last = earlier - 1, size - 1
    while own & 1:
        own, last = own >> 1, last >> 1
    old = new = nodes[0]
    for beside in nodes[1:]:
        if last == 0:
            return False
        if own & 1 or own == last:
            old, new = node_hash(beside, old), node_hash(beside, new)
            own, last = _up(own, last)
        else:
            new = node_hash(new, beside)
        own, last = own >> 1, last >> 1
    return last == 0 and (old.hex(), new.hex()) == (before, root)


def _up(own: int, last: int) -> tuple[int, int]:
    """Past the levels on which the node has nobody beside it."""
    while own and not own & 1:
        own, last = own >> 1, last >> 1
    return own, last


def leaf_hash(entry: str) -> bytes:
    """The leaf of an entry with this hash."""
    return sha256(b"\x00" + _bytes(entry)).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The node above two others."""
    return sha256(b"\x01" + left + right).digest()


def _hashes(path: Sequence[str]) -> list[bytes]:
    return [_bytes(each) for each in path]


def _bytes(text: str) -> bytes:
    """The bytes of a hash, which has one spelling."""
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise InputError(f"{text[:80]!r} is no hash; write 64 hexadecimal digits in lower case")
    return bytes.fromhex(text)
