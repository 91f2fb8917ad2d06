"""How long proofs about a long ledger are; `test_tree` has what they are, by the RFC's words."""

from hashlib import sha256

from fedfact.federation.wire.proofs import Proofs
from fedfact.federation.wire.tree import Tree

ENTRIES = [sha256(b"entry %d" % number).hexdigest() for number in range(20_000)]


def test_of_a_long_ledger_a_proof_has_some_hundred_bytes():
    proofs, tree = Proofs(ENTRIES), Tree()
    for entry in ENTRIES:
        tree.add(entry)
    assert proofs.root() == tree.root()
    assert max(len(proofs.inclusion(k)) for k in range(0, 20_000, 99)) == 15  # of 32 bytes each
    assert max(len(proofs.consistency(k)) for k in range(1, 20_000, 99)) == 16
