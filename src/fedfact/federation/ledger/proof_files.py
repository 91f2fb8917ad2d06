"""Proofs in files of their own, for somebody who is to be shown a little of a ledger, not all.

A member's proof has its own entries in full, and nobody else's. A proof of growth has two heads,
and that the later ledger begins with the earlier one. Both say whose ledger it is: the consortium,
with the public key of its operator.
"""

from typing import Annotated

from pydantic import Field

from ...errors import InputError
from ..agreement.consortium import Consortium
from ..wire.document import FORMAT, Name, Stored
from ..wire.ledger_head import Cosigned, LedgerHead
from ..wire.proofs import Proofs
from .entries import Witnessed, said_by
from .entry import Entry
from .proof import Grew, Shown, shown, whose
from .state import LedgerState, replay


class MemberProof(Stored):
    """All entries of one member, and those that concern everybody, each with its proof.

    ``grew``: since each head that the member signed. So it knows the ledger again.
    """

    consortium: Consortium
    head: LedgerHead
    member: Name
    grew: list[Grew]
    shown: Annotated[list[Shown], Field(min_length=1)]


class GrowthProof(Stored):
    """That a ledger only grew from an earlier head to a later one."""

    consortium: Consortium
    earlier: LedgerHead
    head: LedgerHead
    grew: Grew


class CosignedHead(Stored):
    """A head as a third party signed it, for the operator to enter."""

    cosigned: Cosigned


def prove_member(entries: list[Entry], member: str) -> MemberProof:
    """The member's own entries, proved against the last head."""
    state, proofs = _read(entries)
    if member not in state.members:
        raise InputError(
            f"{member} is no member of this ledger; its members are {', '.join(state.members)}"
        )
    own = [entry for entry in entries if _may_see(member, entry)]
    signed = sorted(
        said.head
        for entry in own
        if entry.kind == "witnessed" and isinstance(said := said_by(entry), Witnessed)
    )
    return MemberProof(
        format=FORMAT,
        consortium=state.consortium,
        head=state.head,
        member=member,
        grew=[Grew(number=each, path=proofs.consistency(each + 1)) for each in signed],
        shown=[shown(entry, proofs) for entry in own],
    )


def _may_see(member: str, entry: Entry) -> bool:
    named = whose(entry)
    return named is None or member in named


def prove_growth(entries: list[Entry], since: int) -> GrowthProof:
    """That the ledger as it was with its entry of this number only grew since."""
    state, proofs = _read(entries)
    if not since < len(entries):
        raise InputError(f"there is no entry {since}; the last one is {len(entries) - 1}")
    return GrowthProof(
        format=FORMAT,
        consortium=state.consortium,
        earlier=head_at(entries, since),
        head=state.head,
        grew=Grew(number=since, path=proofs.consistency(since + 1)),
    )


def head_at(entries: list[Entry], number: int) -> LedgerHead:
    """The head of the ledger as it was with the entry of this number as its last."""
    entry, root = entries[number], Proofs([each.hash for each in entries[: number + 1]]).root()
    return LedgerHead(number=number, entry=entry.hash, root=root, signature=entry.signature)


def _read(entries: list[Entry]) -> tuple[LedgerState, Proofs]:
    if not entries:
        raise InputError("the ledger is empty")
    return replay(entries), Proofs([entry.hash for entry in entries])
