"""A Merkle tree over the entries of a ledger (RFC 9162, section 2.1): short proofs about long logs.

Its leaves are the hashes of the entries, in order. With the root, some hundred bytes show that one
entry is in the ledger (`inclusion`), or that a ledger only grew since an earlier root
(`consistency`): nobody has to be given the entries of others for that.
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
        node, size, full = _leaf(entry), self.size, [*self._full]
        while size & 1:
            node, size = _node(full.pop(), node), size >> 1
        self._full, self.size = [*full, node], self.size + 1

    def root(self) -> str:
        """The hash of all leaves."""
        if not self._full:
            return sha256().hexdigest()
        node = self._full[-1]
        for left in reversed(self._full[:-1]):
            node = _node(left, node)
        return node.hex()


def inclusion(entries: Sequence[str], number: int) -> list[str]:
    """What shows that the entry of this number is among these, given the hashes of all."""
    if not 0 <= number < len(entries):
        raise IndexError(f"there is no entry {number} of {len(entries)}")
    nodes, path = [_leaf(each) for each in entries], list[str]()
    while len(nodes) > 1:
        if (beside := number ^ 1) < len(nodes):
            path.append(nodes[beside].hex())
        nodes, number = _above(nodes), number >> 1
    return path


def consistency(entries: Sequence[str], earlier: int) -> list[str]:
    """What shows that the first ``earlier`` of these hashes were all that there was once."""
    if not 0 < earlier <= len(entries):
        raise IndexError(f"there were no {earlier} entries of {len(entries)}")
    return [node.hex() for node in _consistency([_leaf(each) for each in entries], earlier, True)]


def is_included(entry: str, number: int, size: int, path: Sequence[str], root: str) -> bool:
    """Whether the path leads from the entry of this number to the root over so many entries."""
    if not 0 <= number < size:
        return False
    node, own, last = _leaf(entry), number, size - 1
    for beside in _hashes(path):
        if last == 0:
            return False
        if own & 1 or own == last:
            node = _node(beside, node)
            own, last = _up(own, last)
        else:
            node = _node(node, beside)
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
            old, new = _node(beside, old), _node(beside, new)
            own, last = _up(own, last)
        else:
            new = _node(new, beside)
        own, last = own >> 1, last >> 1
    return last == 0 and (old.hex(), new.hex()) == (before, root)


def _up(own: int, last: int) -> tuple[int, int]:
    """Past the levels on which the node has nobody beside it."""
    while own and not own & 1:
        own, last = own >> 1, last >> 1
    return own, last


def _above(nodes: list[bytes]) -> list[bytes]:
    """The level above; a node without another beside it goes up as it is."""
    pairs = [_node(*nodes[k : k + 2]) for k in range(0, len(nodes) - 1, 2)]
    return pairs + nodes[len(pairs) * 2 :]


def _consistency(leaves: list[bytes], earlier: int, whole: bool) -> list[bytes]:
    """Nodes that the earlier root, and then the later one, can be worked out from.

    ``whole``: the earlier leaves are all those of the earlier tree, whose root is known.
    """
    if earlier == len(leaves):
        return [] if whole else [_root(leaves)]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if earlier <= split:
        return [*_consistency(leaves[:split], earlier, whole), _root(leaves[split:])]
    return [*_consistency(leaves[split:], earlier - split, False), _root(leaves[:split])]


def _root(nodes: list[bytes]) -> bytes:
    while len(nodes) > 1:
        nodes = _above(nodes)
    return nodes[0]


def _leaf(entry: str) -> bytes:
    return sha256(b"\x00" + _bytes(entry)).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def _hashes(path: Sequence[str]) -> list[bytes]:
    return [_bytes(each) for each in path]


def _bytes(text: str) -> bytes:
    """The bytes of a hash, which has one spelling."""
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise InputError(f"{text[:80]!r} is no hash; write 64 hexadecimal digits in lower case")
    return bytes.fromhex(text)
