"""Heads from many members against each other, and against a ledger: was everybody shown the same?

Two heads of one number that say different things, both signed by the operator, prove that there
were two ledgers. Nobody needs either of these ledgers for that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...io import limits
from ...io.files import reason
from ...io.regular import read_bytes
from ..agreement.consortium import Consortium
from ..ledger.entry import Entry
from ..wire.ledger_head import LedgerHead, read_heads
from .verify import Verdict
from .witnesses import roots_at

LEDGER = "the ledger"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two heads, both signed by the operator, that no single ledger has; and where each is from."""

    one: LedgerHead
    other: LedgerHead
    sources: tuple[str, str]


def heads_in(path: Path) -> list[LedgerHead]:
    """The heads that a member kept, from its heads.jsonl."""
    try:
        return read_heads(read_bytes(path, limits.KEPT))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)})") from None
    except InputError as error:
        raise InputError(f"{path}: {error}; name the heads.jsonl of a member") from None


def compare_heads(
    kept: Mapping[str, Sequence[LedgerHead]], consortium: Consortium, entries: list[Entry]
) -> tuple[Verdict, list[Contradiction]]:
    """Whether all heads are of this ledger; ``kept`` has those of each source."""
    operator, named = consortium.operator, consortium.hash()
    unsigned = sorted(
        source
        for source, heads in kept.items()
        if not all(head.is_by(operator, named) for head in heads)
    )
    signed = [
        (source, head)
        for source, heads in kept.items()
        for head in heads
        if head.is_by(operator, named)
    ]
    roots = roots_at(entries, {head.number for _, head in signed})
    seen = {number: (LEDGER, _head(entries[number], root)) for number, root in roots.items()}
    found: list[Contradiction] = []
    for source, head in signed:
        other, first = seen.setdefault(head.number, (source, head))
        if not head.agrees_with(first):
            found.append(Contradiction(first, head, (other, source)))
    return _verdict(found, unsigned, signed, len(entries)), found


def _head(entry: Entry, root: str) -> LedgerHead:
    return LedgerHead(number=entry.number, entry=entry.hash, root=root, signature=entry.signature)


def _verdict(
    found: list[Contradiction],
    unsigned: list[str],
    signed: list[tuple[str, LedgerHead]],
    entries: int,
) -> Verdict:
    name = "heads"
    if found:
        first = min(found, key=lambda each: each.one.number)
        one, other = first.sources
        number = first.one.number
        says = f"entry {number} is one thing by {one} and another by {other}: two ledgers"
        return Verdict(name, False, says, number if one == LEDGER else None)
    beyond = max(signed, key=lambda each: each[1].number, default=None)
    if beyond is not None and beyond[1].number >= entries:
        says = f"{beyond[0]} has a head of entry {beyond[1].number}; the ledger was cut off"
        return Verdict(name, False, says)
    if unsigned:
        return Verdict(
            name, None, f"not checked: {', '.join(unsigned)} has heads the operator did not sign"
        )
    return Verdict(name, True, f"{len(signed)} heads, all of this ledger")
