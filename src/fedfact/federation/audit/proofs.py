"""Check a proof without the ledger: the operator signed its heads, and it leads to them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...errors import InputError
from ...io import limits
from ...io.regular import read_bytes
from ..agreement.consortium import Consortium
from ..ledger.proof import Grew, whose
from ..ledger.proof_files import CosignedHead, GrowthProof, MemberProof
from ..wire.canonical import read_canonical
from ..wire.ledger_head import Cosigned, LedgerHead
from .findings import Unchecked
from .verify import Verdict, judge

AnyProof = MemberProof | GrowthProof


def read_proof(path: Path) -> AnyProof:
    """The proof in a file, as ``fedfact ledger prove`` wrote it."""
    try:
        data = read_bytes(path, limits.KEPT)
        values = read_canonical(data, limits.KEPT)
        kind = GrowthProof if isinstance(values, dict) and "earlier" in values else MemberProof
        return kind.read(data, limits.KEPT)
    except OSError:
        raise InputError(f"{path}: is not there; make it with fedfact ledger prove") from None
    except InputError as error:
        raise InputError(f"{path}: is no proof ({error}); make it with ledger prove") from None


def read_cosigned(path: Path) -> Cosigned:
    """The head in a file, as a third party signed it."""
    try:
        return CosignedHead.read(read_bytes(path, limits.KEPT)).cosigned
    except OSError:
        raise InputError(f"{path}: is not there; make it with fedfact ledger cosign") from None
    except InputError as error:
        raise InputError(f"{path}: is no signed head ({error}); make it with cosign") from None


def verify_proof(proof: AnyProof) -> list[Verdict]:
    """Whether the operator signed the heads, and whether all leads to them."""
    verdicts = [judge(_signed, proof, "heads")]
    if isinstance(proof, GrowthProof):
        return [*verdicts, judge(_grew, proof, "growth")]
    return [*verdicts, judge(_included, proof, "entries")]


def heads_of(proof: AnyProof) -> list[LedgerHead]:
    """The heads that a proof has, the last one last."""
    return [proof.earlier, proof.head] if isinstance(proof, GrowthProof) else [proof.head]


def compare_with_own(
    proof: AnyProof, operator: str, consortium: str, heads: Sequence[LedgerHead]
) -> Verdict:
    """Whether a proof agrees with the heads that a member kept, of this consortium."""
    return judge(partial(_as_kept, proof, operator, consortium), heads, "own heads")


def _signed(proof: AnyProof) -> str:
    consortium = proof.consortium
    for head in heads_of(proof):
        if not head.is_by(consortium.operator, consortium.hash()):
            raise InputError(f"the head of entry {head.number} is not signed by the operator")
    numbers = " and ".join(str(head.number) for head in heads_of(proof))
    return f"of entry {numbers}, by {_whose(consortium)}"


def _whose(consortium: Consortium) -> str:
    return f"the operator of {consortium.name}, key {consortium.operator[:16]}"


def _included(proof: AnyProof) -> str:
    assert isinstance(proof, MemberProof)
    entries = [each.checked(proof.head) for each in proof.shown]
    for entry in entries:
        named = whose(entry)
        if named is not None and proof.member not in named:
            raise InputError(f"{entry.name}: is not of {proof.member}, whose proof this is to be")
    kinds = [f"{entry.kind} {entry.number}" for entry in entries]
    return f"{len(entries)} that {proof.member} may see: {', '.join(kinds)}"


def _grew(proof: AnyProof) -> str:
    assert isinstance(proof, GrowthProof)
    if proof.grew.number != proof.earlier.number:
        raise InputError("is proved from another head than the earlier one")
    proof.grew.checked(proof.earlier, proof.head)
    return f"{proof.head.number - proof.earlier.number} entries were added, and none was changed"


def _as_kept(proof: AnyProof, operator: str, consortium: str, kept: Sequence[LedgerHead]) -> str:
    """The last head that the member kept, of those not behind the proof, leads to the proof's."""
    if (proof.consortium.operator, proof.consortium.hash()) != (operator, consortium):
        raise InputError("the proof is of another consortium than the member's")
    grew = {each.number: each for each in _growth(proof)}
    last = max((head.number for head in kept), default=-1)
    tied = [head for head in kept if head.number <= proof.head.number]
    for head in tied:
        if not all(head.agrees_with(other) for other in heads_of(proof)):
            raise InputError(f"the member was shown another entry {head.number}: {_TWO}")
        if head.number in grew:
            grew[head.number].checked(head, proof.head)
    newest = max(tied, key=lambda head: head.number, default=None)
    if newest is None or newest.number not in {*grew, proof.head.number}:
        since = "" if newest is None else f"; ask for a proof --since {newest.number} as well"
        raise Unchecked(f"nothing leads from the last head that the member kept to this{since}")
    later = f"; it has seen entry {last} since" if last > proof.head.number else ""
    return f"what the member was shown as far as entry {newest.number} is in this ledger{later}"


_TWO = "the operator signed both, which proves two ledgers"


def _growth(proof: AnyProof) -> list[Grew]:
    return [proof.grew] if isinstance(proof, GrowthProof) else proof.grew
