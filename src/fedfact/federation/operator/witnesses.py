"""After statements, answers and reversals: members see that these are in the ledger, and sign it.

Else nobody would miss an entry at the end: a dispute could be dropped, a reversal be kept from
those whose money it is. A member first names heads that it was shown before; then it gets proof
that the ledger only grew since, and that its own entries and every reversal are in it.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ...errors import InputError
from ..ledger.entries import Witnessed
from ..ledger.entry import Entry
from ..ledger.proof import MOST_HEADS, Grew, LedgerEnd, shown, whose
from ..ledger.proof_files import head_at
from ..wire.ledger_head import Cosigned
from ..wire.message import Message
from ..wire.proofs import Proofs
from .session import Session

TO_WITNESS = frozenset(
    ("line", "acknowledged", "handed", "answered", "decision", "reversal", "correction")
)
"""The kinds of entries that members are shown before they sign."""


def witness(session: Session) -> None:
    """Ask all who are to sign the head of the ledger, once; who is away stays to be asked."""
    record, waiting = session.record, session.record.witnesses.waiting
    if not waiting:
        return
    said = session.ask("heads", {member: {} for member in waiting})
    known = {member: _heads(message) for member, message in said.items()}
    if not any(known.values()):
        return
    entries, head = session.directory.ledger.entries(), session.state.head
    proofs = Proofs([entry.hash for entry in entries])
    season = [each for each in entries if each.season == record.number and each.kind in TO_WITNESS]
    own = _by_member(season, record.contracts.keys())
    content: dict[str, dict[str, Any]] = {}
    for member, numbers in known.items():
        if max(numbers, default=-1) > head.number:
            session.log(f"witness, {member}: has seen entry {max(numbers)}, which is not there")
        elif numbers:
            grew = [Grew(number=each, path=proofs.consistency(each + 1)) for each in numbers]
            end = LedgerEnd(grew=grew, shown=[shown(entry, proofs) for entry in own[member]])
            content[member] = end.dump()
    signed = {"head": {"number": head.number, "entry": head.entry, "root": head.root}}
    session.add(
        *(
            ("witnessed", Witnessed(member=member, head=head.number, said=message.evidence))
            for member, message in session.ask("witness", content).items()
            if isinstance(message, Message) and message.head.content == signed
        )
    )


def enter_cosigned(session: Session, cosigned: Cosigned) -> None:
    """Enter a head of this ledger that a third party signed."""
    head, consortium = cosigned.head, session.state.consortium.hash()
    if not cosigned.holds(consortium):
        raise InputError("the head is not signed by that key, or is of another consortium")
    entries = session.directory.ledger.entries()
    if head.number >= len(entries) or not head.agrees_with(head_at(entries, head.number)):
        raise InputError(
            f"the head of entry {head.number} that was signed is of another ledger than this; "
            "restore the one that it is of"
        )
    session.add_of_none(("cosigned", cosigned))


def _heads(message: object) -> list[int]:
    """The numbers of the heads that a member was shown before, by its own word."""
    said = message.head.content.get("heads") if isinstance(message, Message) else None
    if not isinstance(said, list) or not all(type(each) is int and each >= 0 for each in said):
        return []
    return sorted({*said})[-MOST_HEADS:]


def _by_member(entries: list[Entry], members: Iterable[str]) -> dict[str, list[Entry]]:
    """The entries that each member is shown, in order."""
    own = defaultdict(list)
    for entry in entries:
        named = whose(entry)
        for member in members if named is None else named:
            own[member].append(entry)
    return own
