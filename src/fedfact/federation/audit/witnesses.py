"""Who has seen how much of a ledger: the heads that members signed, and those that others did.

What a head covers that somebody signed cannot be taken back any more: who signed it has it.
"""

from collections import defaultdict

from ..ledger.entries import Witnessed, said_by
from ..ledger.entry import Entry
from ..wire.canonical import digest
from ..wire.ledger_head import Cosigned
from ..wire.tree import Tree
from .findings import Fault, Replayed, said_in

_MOST_NAMES = 8


def witnesses(ledger: tuple[list[Entry], list[Replayed]]) -> str:
    """Every head that is said to be signed was, and is one of this very ledger."""
    entries, seasons = ledger
    consortium = digest(entries[0].body.encode())
    signed = [
        (entry, document, record)
        for documents, record in seasons
        for entry, document in documents
        if isinstance(document, Witnessed)
    ]
    others = [
        (entry, said)
        for entry in entries
        if entry.kind == "cosigned" and isinstance(said := said_by(entry), Cosigned)
    ]
    wanted = {document.head for _, document, _ in signed}
    roots = roots_at(entries, wanted | {said.head.number for _, said in others})
    for entry, document, record in signed:
        head = said_in(entry, document.said, record, "witness", document.member)
        number = document.head
        there = {"number": number, "entry": entries[number].hash, "root": roots[number]}
        if head.content != {"head": there}:
            raise Fault(entry, f"{document.member} signed the head of another ledger than this")
    for entry, said in others:
        number = said.head.number
        same = (said.head.entry, said.head.root) == (entries[number].hash, roots[number])
        if not same or not said.holds(consortium):
            raise Fault(entry, "is no signature of a head of this ledger")
    _, record = seasons[-1]
    words = _in_words(record.witnesses.signed, record.witnesses.waiting, len(entries))
    last = {said.key: said.head.number for _, said in others}
    keys = [f"key {key[:16]} up to entry {number}" for key, number in sorted(last.items())]
    return words + (f"; co-signed by {', '.join(keys)}" if keys else "")


def roots_at(entries: list[Entry], numbers: set[int]) -> dict[int, str]:
    """The roots over all entries up to each of these numbers."""
    tree, roots = Tree(), {}
    for entry in entries:
        tree.add(entry.hash)
        if entry.number in numbers:
            roots[entry.number] = tree.root()
    return roots


def _in_words(signed: dict[str, int], waiting: list[str], entries: int) -> str:
    """Who of the last season has signed the ledger up to which entry."""
    up_to = defaultdict(list)
    for member, number in sorted(signed.items()):
        up_to[number].append(member)
    words = [f"{_named(up_to[number])} up to entry {number}" for number in sorted(up_to)]
    if waiting:
        words.append(f"{_named(waiting)} not up to what concerns it")
    return f"of {entries} entries: {'; '.join(words)}" if words else "nobody yet"


def _named(members: list[str]) -> str:
    more = len(members) - _MOST_NAMES
    return ", ".join(members[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
