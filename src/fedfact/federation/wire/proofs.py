"""Proofs about the entries of a ledger (RFC 9162, sections 2.1.3.1 and 2.1.4.1).

Many are made at once, one or more for each member: all full subtrees are hashed once, and each
proof is put together from those.
"""

from collections.abc import Sequence

from .tree import leaf_hash, node_hash


class Proofs:
    """Proofs about the entries with these hashes, for `is_included` and `is_consistent`."""

    def __init__(self, entries: Sequence[str]) -> None:
        nodes = [leaf_hash(entry) for entry in entries]
        self.size, self._levels = len(nodes), [nodes]  # of each level the full subtrees only
        while len(nodes) > 1:
            nodes = [node_hash(*nodes[k : k + 2]) for k in range(0, len(nodes) - 1, 2)]
            self._levels.append(nodes)

    def root(self) -> str:
        """The root over all entries."""
        return self._over(0, self.size).hex()

    def inclusion(self, number: int) -> list[str]:
        """What shows that the entry of this number is among these."""
        if not 0 <= number < self.size:
            raise IndexError(f"there is no entry {number} of {self.size}")
        start, end, path = 0, self.size, list[bytes]()
        while end - start > 1:
            middle = start + _split(end - start)
            if number < middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start = middle
        return [node.hex() for node in reversed(path)]

    def consistency(self, earlier: int) -> list[str]:
        """What shows that the first ``earlier`` of these entries were all that there was once."""
        if not 0 < earlier <= self.size:
            raise IndexError(f"there were no {earlier} entries of {self.size}")
        start, end, path = 0, self.size, list[bytes]()
        while end > earlier:
            middle = start + _split(end - start)
            if earlier <= middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start = middle
        if start > 0:  # else it is the earlier root itself, which is known
            path.append(self._over(start, end))
        return [node.hex() for node in reversed(path)]

    def _over(self, start: int, end: int) -> bytes:
        """The root over a range that begins where a full subtree of its size would."""
        size = end - start
        if size & (size - 1) == 0:
            return self._levels[size.bit_length() - 1][start // size]
        middle = start + _split(size)
        return node_hash(self._over(start, middle), self._over(middle, end))


def _split(size: int) -> int:
    """The largest power of two below this size."""
    return 1 << (size - 1).bit_length() - 1
