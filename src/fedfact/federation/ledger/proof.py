"""Entries that are shown to somebody who has not got the ledger, each with what proves it."""

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from ...errors import InputError, LedgerError
from ..agreement.disputes import Decision
from ..wire.document import Document, Hash, Stored
from ..wire.ledger_head import LedgerHead
from ..wire.proofs import Proofs
from ..wire.tree import is_consistent, is_included
from .entries import Agreed, Reversal, said_by
from .entry import Entry

ProofPath = Annotated[list[Hash], Field(max_length=64)]
"""The hashes that lead from an entry, or an earlier root, to a root."""


MOST_HEADS = 32
"""So many of the heads that it has a member asks to be shown to be of the same ledger."""


class Grew(Document):
    """What shows that the ledger only grew since the head of this number."""

    number: Annotated[int, Field(ge=0)]
    path: ProofPath

    def checked(self, earlier: LedgerHead, head: LedgerHead) -> None:
        """Refuse an earlier head that is of another ledger than this one."""
        old, new = earlier.number + 1, head.number + 1
        if not is_consistent(old, earlier.root, new, head.root, self.path):
            raise InputError(
                f"the ledger whose head is {head.number} is another than the one whose head was "
                f"{earlier.number}; keep heads.jsonl, the operator signed both"
            )


class Shown(Document):
    """An entry in full, and the way from its hash to the root that a head names."""

    entry: dict[str, Any]
    path: ProofPath

    def checked(self, head: LedgerHead) -> Entry:
        """The entry, if it is one of the ledger that this head is of."""
        try:
            entry = Entry(**self.entry)
        except (LedgerError, TypeError):
            raise InputError("shows something that is no entry") from None
        own, size = entry.own_hash(), head.number + 1
        if own != entry.hash or not is_included(own, entry.number, size, self.path, head.root):
            raise InputError(f"{entry.name}: is not in the ledger whose head is {head.number}")
        return entry


class LedgerEnd(Document):
    """What a member is shown before it signs a head: proofs for heads it had, and its entries."""

    grew: Annotated[list[Grew], Field(max_length=MOST_HEADS)]
    shown: Annotated[list[Shown], Field(max_length=1000)]


class Kept(Stored):
    """An entry as somebody keeps it who was shown it: with its proof, and a signed head."""

    head: LedgerHead
    shown: Shown

    def entry(self) -> Entry:
        """The entry, if the proof holds."""
        return self.shown.checked(self.head)


def shown(entry: Entry, proofs: Proofs) -> Shown:
    """The entry with its proof, among the entries that the proofs are about."""
    return Shown(entry=asdict(entry), path=proofs.inclusion(entry.number))


def whose(entry: Entry) -> frozenset[str] | None:
    """The members that an entry concerns and may be shown to; None where these are all.

    An entry about several, such as a round, is shown to nobody.
    """
    said = said_by(entry)
    if isinstance(said, Agreed):
        return frozenset({said.contract.member})
    if isinstance(said, Decision):
        return said.concerns
    if isinstance(said, Reversal) or entry.kind == "consortium":
        return None
    return frozenset({member} if isinstance(member := getattr(said, "member", None), str) else ())
