"""The Merkle tree of RFC 9162: roots and proofs against its definitions, written down naively."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.federation.wire.proofs import Proofs
from fedfact.federation.wire.tree import Tree, is_consistent, is_included

MOST = 70
HASHES = [sha256(b"entry %d" % number).hexdigest() for number in range(MOST + 1)]
OTHER = sha256(b"another").hexdigest()


def inclusion(hashes, number):
    return Proofs(hashes).inclusion(number)


def consistency(hashes, earlier):
    return Proofs(hashes).consistency(earlier)


def split(size):
    """The largest power of two below a size (RFC 9162, section 2.1.1)."""
    k = 1
    while 2 * k < size:
        k *= 2
    return k


def naive_root(hashes):
    """MTH, as section 2.1.1 defines it."""
    if not hashes:
        return sha256(b"").digest()
    if len(hashes) == 1:
        return sha256(b"\x00" + bytes.fromhex(hashes[0])).digest()
    k = split(len(hashes))
    return sha256(b"\x01" + naive_root(hashes[:k]) + naive_root(hashes[k:])).digest()


def naive_path(number, hashes):
    """PATH, as section 2.1.3.1 defines it."""
    if len(hashes) == 1:
        return []
    k = split(len(hashes))
    if number < k:
        return [*naive_path(number, hashes[:k]), naive_root(hashes[k:])]
    return [*naive_path(number - k, hashes[k:]), naive_root(hashes[:k])]


def naive_proof(earlier, hashes, whole=True):
    """SUBPROOF, as section 2.1.4.1 defines it."""
    if earlier == len(hashes):
        return [] if whole else [naive_root(hashes)]
    k = split(len(hashes))
    if earlier <= k:
        return [*naive_proof(earlier, hashes[:k], whole), naive_root(hashes[k:])]
    return [*naive_proof(earlier - k, hashes[k:], False), naive_root(hashes[:k])]


def written(nodes):
    return [node.hex() for node in nodes]


def root_of(hashes):
    tree = Tree()
    for each in hashes:
        tree.add(each)
    assert tree.size == len(hashes)
    return tree.root()


ROOTS = [naive_root(HASHES[:size]).hex() for size in range(MOST + 1)]


def test_the_root_is_that_of_the_rfc_after_every_entry():
    tree = Tree()
    for size in range(MOST + 1):
        assert tree.root() == tree.root() == ROOTS[size]
        tree.add(HASHES[size])
    assert ROOTS[0] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_tree_of_known_leaves_has_the_root_worked_out_by_hand():
    a, b, c = (sha256(b"\x00" + bytes.fromhex(each)).digest() for each in HASHES[:3])
    ab = sha256(b"\x01" + a + b).digest()
    assert root_of(HASHES[:3]) == sha256(b"\x01" + ab + c).hexdigest()


def test_every_entry_is_shown_to_be_included_at_every_size():
    for size in range(1, MOST + 1):
        hashes = HASHES[:size]
        for number in range(size):
            path = inclusion(hashes, number)
            assert path == written(naive_path(number, hashes))
            assert len(path) <= (size - 1).bit_length()
            assert is_included(hashes[number], number, size, path, ROOTS[size])


def test_every_earlier_size_is_shown_to_be_consistent_with_every_later_one():
    for size in range(1, MOST + 1):
        for earlier in range(1, size + 1):
            path = consistency(HASHES[:size], earlier)
            assert path == written(naive_proof(earlier, HASHES[:size]))
            assert len(path) <= (size - 1).bit_length() + 1
            assert is_consistent(earlier, ROOTS[earlier], size, ROOTS[size], path)


def test_an_inclusion_is_of_one_entry_at_one_place():
    """Nothing but the right entry, number, size and root fits a path."""
    for size in range(1, 20):
        for number in range(size):
            path, own = inclusion(HASHES[:size], number), HASHES[number]
            assert not is_included(OTHER, number, size, path, ROOTS[size])
            assert not is_included(own, number, size, path, OTHER)
            assert not is_included(own, number, size, path, ROOTS[size + 1])
            for wrong in {*range(-1, size + 1)} - {number}:
                assert not is_included(own, wrong, size, path, ROOTS[size])
            for longer in ([*path, OTHER], [OTHER, *path], path[1:] if path else [OTHER]):
                assert not is_included(own, number, size, longer, ROOTS[size])


def test_an_inner_node_is_no_entry():
    """Leaves and nodes are hashed apart: two entries cannot be passed off as one."""
    a, b = (sha256(b"\x00" + bytes.fromhex(each)).digest() for each in HASHES[:2])
    joined = sha256(b"\x01" + a + b).hexdigest()
    assert ROOTS[2] == joined
    assert not is_included(joined, 0, 1, [], joined)
    assert root_of([joined]) != joined


def test_a_rewritten_past_is_not_consistent():
    for size in range(2, 20):
        for changed in range(size - 1):
            hashes = HASHES[:size]
            hashes[changed] = OTHER
            root = naive_root(hashes).hex()
            for earlier in range(changed + 1, size + 1):
                for path in (consistency(hashes, earlier), consistency(HASHES[:size], earlier)):
                    assert not is_consistent(earlier, ROOTS[earlier], size, root, path)


def test_a_consistency_is_of_two_roots_at_two_sizes():
    for size in range(2, 20):
        for earlier in range(1, size):
            path = consistency(HASHES[:size], earlier)
            roots = ROOTS[earlier], ROOTS[size]
            assert not is_consistent(earlier, OTHER, size, roots[1], path)
            assert not is_consistent(earlier, roots[0], size, OTHER, path)
            assert not is_consistent(size, roots[0], size, roots[1], path)
            assert not is_consistent(0, roots[0], size, roots[1], path)
            assert not is_consistent(size + 1, roots[0], size, roots[1], path)
            assert not is_consistent(earlier, roots[0], size, roots[1], path[:-1])
            assert not is_consistent(earlier, roots[0], size, roots[1], [*path, OTHER])
    assert is_consistent(5, ROOTS[5], 5, ROOTS[5], [])
    assert not is_consistent(5, ROOTS[5], 5, ROOTS[5], [OTHER])
    assert not is_consistent(5, ROOTS[5], 5, ROOTS[6], [])


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 10**6), st.data())
def test_a_path_made_up_of_hashes_leads_to_no_root(size, data):
    """No size, place or path makes another entry fit: that would be a collision of SHA-256."""
    hashes = data.draw(st.lists(st.sampled_from(HASHES), max_size=22))
    number, earlier = (data.draw(st.integers(0, size - 1)) for _ in range(2))
    assert not is_included(OTHER, number, size, hashes, ROOTS[MOST])
    assert not is_consistent(earlier, OTHER, size, ROOTS[MOST], hashes)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_change_to_a_proof_is_found(data):
    size = data.draw(st.integers(2, MOST))
    number, earlier = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size - 1))
    for path, holds in (
        (
            inclusion(HASHES[:size], number),
            lambda path: is_included(HASHES[number], number, size, path, ROOTS[size]),
        ),
        (
            consistency(HASHES[:size], earlier),
            lambda path: is_consistent(earlier, ROOTS[earlier], size, ROOTS[size], path),
        ),
    ):
        assert holds(path)
        place, bit = data.draw(st.integers(0, len(path) - 1)), data.draw(st.integers(0, 255))
        turned = f"{int(path[place], 16) ^ 1 << bit:064x}"
        assert not holds([*path[:place], turned, *path[place + 1 :]])
        assert not holds(path[:place] + path[place + 1 :])
        if path != path[::-1]:
            assert not holds(path[::-1])


def test_places_that_are_not_there_are_refused():
    for number in (-1, 3, 4):
        with pytest.raises(IndexError, match=f"there is no entry {number} of 3"):
            inclusion(HASHES[:3], number)
    for earlier in (-1, 0, 4):
        with pytest.raises(IndexError, match=f"there were no {earlier} entries of 3"):
            consistency(HASHES[:3], earlier)
    with pytest.raises(IndexError):
        inclusion([], 0)


@pytest.mark.parametrize("text", ["", "x" * 64, "AB" * 32, "ab" * 31, "ab" * 33, "ab " * 32])
def test_a_hash_has_one_spelling(text):
    """Else one entry could be shown to be in two ledgers, or as two."""
    tree = Tree()
    tree.add(HASHES[0])
    with pytest.raises(InputError, match="is no hash; write 64 hexadecimal digits"):
        tree.add(text)
    assert (tree.size, tree.root()) == (1, ROOTS[1])
    with pytest.raises(InputError, match="is no hash"):
        is_included(HASHES[0], 0, 2, [text], ROOTS[2])
    with pytest.raises(InputError, match="is no hash"):
        is_consistent(1, text, 2, ROOTS[2], [HASHES[0]])
