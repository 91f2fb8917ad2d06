"""Proofs about the entries of a ledger, against a slow reference and against forgeries."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.federation.wire.proofs import Proofs
from fedfact.federation.wire.tree import Tree, is_consistent, is_included

ENTRIES = [sha256(bytes([k])).hexdigest() for k in range(70)]
SIZES = st.integers(1, len(ENTRIES))


def root(entries):
    tree = Tree()
    for entry in entries:
        tree.add(entry)
    return tree.root()


def leaf(entry):
    return sha256(b"\x00" + bytes.fromhex(entry)).digest()


def reference_root(leaves):
    """RFC 9162, section 2.1.1."""
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return sha256(b"\x01" + reference_root(leaves[:k]) + reference_root(leaves[k:])).digest()


def reference_inclusion(leaves, m):
    """RFC 9162, section 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*reference_inclusion(leaves[:k], m), reference_root(leaves[k:])]
    return [*reference_inclusion(leaves[k:], m - k), reference_root(leaves[:k])]


def reference_consistency(leaves, m, whole=True):
    """RFC 9162, section 2.1.4.1."""
    if m == len(leaves):
        return [] if whole else [reference_root(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*reference_consistency(leaves[:k], m, whole), reference_root(leaves[k:])]
    return [*reference_consistency(leaves[k:], m - k, False), reference_root(leaves[:k])]


def split(size):
    return max(2**k for k in range(8) if 2**k < size)


@given(SIZES, st.data())
def test_proofs_are_those_of_the_rfc(size, data):
    entries = ENTRIES[:size]
    leaves, proofs = [leaf(entry) for entry in entries], Proofs(entries)
    number, earlier = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    assert proofs.root() == reference_root(leaves).hex() == root(entries)
    wanted = [node.hex() for node in reference_inclusion(leaves, number)]
    assert proofs.inclusion(number) == wanted
    grown = [node.hex() for node in reference_consistency(leaves, earlier)]
    assert proofs.consistency(earlier) == grown
    assert is_included(entries[number], number, size, wanted, root(entries))
    assert is_consistent(earlier, root(entries[:earlier]), size, root(entries), grown)


@given(SIZES, st.data())
def test_no_proof_fits_anything_else(size, data):
    entries = ENTRIES[:size]
    proofs, number = Proofs(entries), data.draw(st.integers(0, size - 1))
    earlier = data.draw(st.integers(1, size))
    path, grown = proofs.inclusion(number), proofs.consistency(earlier)
    other = data.draw(st.sampled_from(ENTRIES).filter(lambda entry: entry != entries[number]))
    assert not is_included(other, number, size, path, root(entries))
    assert not is_included(entries[number], number, size, [*path, other], root(entries))
    assert not is_included(entries[number], number, size, path, other)
    fork = [*entries[: earlier - 1], other, *entries[earlier:]]
    if fork != entries:
        assert not is_consistent(earlier, root(fork[:earlier]), size, root(entries), grown)
    assert not is_consistent(earlier, root(entries[:earlier]), size, other, grown)
    if path:
        assert not is_included(entries[number], number, size, path[:-1], root(entries))


def test_of_a_long_ledger_a_proof_has_some_hundred_bytes():
    proofs = Proofs([sha256(str(k).encode()).hexdigest() for k in range(20_000)])
    assert max(len(proofs.inclusion(k)) for k in range(0, 20_000, 999)) == 15  # of 32 bytes each
    assert len(proofs.consistency(12_345)) <= 16


@pytest.mark.parametrize("number", [-1, 70])
def test_there_is_no_proof_of_what_is_not_there(number):
    with pytest.raises(IndexError):
        Proofs(ENTRIES).inclusion(number)
    with pytest.raises(IndexError):
        Proofs(ENTRIES).consistency(number + 1 if number > 0 else 0)
