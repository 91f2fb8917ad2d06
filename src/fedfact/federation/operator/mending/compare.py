"""Before anything is written: is the ledger as new as what members were shown of it?

A ledger from a backup may lack entries whose heads members keep. Whatever was written to it then
would contradict those, and no member would follow it any more. So members are asked first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....errors import InputError
from ...agreement.restart import Consent, LastShown
from ...ledger.entries import Restarted
from ...ledger.entry import Entry
from ...wire.ledger_head import LedgerHead
from ...wire.tree import Tree
from ..directory import OperatorDirectory


class StaleLedger(InputError):  # noqa: N818  (said of a ledger)
    """The ledger lacks entries that members were shown; nothing was written."""


@dataclass(frozen=True)
class Compared:
    """What members showed: those whose heads fit, and those that saw more than the ledger has."""

    fits: frozenset[str]
    lost: dict[str, LastShown]


def compare(
    entries: Sequence[Entry],
    shown: Mapping[str, LastShown],
    season: int,
    known: Sequence[Restarted] = (),
) -> Compared:
    """Hold what members were shown against the ledger; ``season``: the last one that we know.

    Two ledgers that part below the end of ours cannot be mended, nor a season that we lost. Heads
    that a restart in the ledger has let go of (``known``) say nothing any more.
    """
    lost, excused = {}, [span for each in known if (span := _span(each))]
    roots = _roots(entries, {each.below.number for each in shown.values() if each.below})
    for member, each in sorted(shown.items()):
        newest, below = (_counts(head, excused) for head in (each.newest, each.below))
        if below is not None and roots.get(below.number) != (below.entry, below.root):
            raise StaleLedger(
                f"{member} was shown another entry {below.number} than this ledger has: there were "
                "two ledgers. Restore a backup of the one that members were shown; this one cannot "
                "be mended"
            )
        if newest is None or newest.number < len(entries):
            continue
        if each.season > season:
            raise StaleLedger(
                f"{member} was shown entry {newest.number} in season {each.season}, and this "
                f"directory knows no season after {season}, nor the secret seed of that one; "
                "restore a backup from after it was published"
            )
        lost[member] = each
    return Compared(frozenset(shown.keys() - lost.keys()), lost)


def _span(restarted: Restarted) -> tuple[int, int] | None:
    """The entries that a restart let go of, by the heads that members were shown of them."""
    said = [Consent.take(each.read_head().content) for each in restarted.said.values()]
    lost = [each.lost.number for each in said if each.lost is not None]
    return (restarted.after.number, max(lost)) if lost else None


def _counts(head: LedgerHead | None, excused: list[tuple[int, int]]) -> LedgerHead | None:
    """The head, unless it may be one of those."""
    gone = head is not None and any(first < head.number <= last for first, last in excused)
    return None if gone else head


def in_words(
    directory: OperatorDirectory, entries: Sequence[Entry], lost: dict[str, LastShown]
) -> str:
    """What is wrong, and what to do."""
    saw = [f"{member} was shown entry {_newest(each)}" for member, each in lost.items()]
    end = f"entry {entries[-1].number} of {entries[-1].time[:19]} UTC" if entries else "no entry"
    return (
        f"{directory.path}: this ledger ends at {end}, and {', '.join(saw)}; nothing was written. "
        "Restore a newer backup; if there is none, mend the ledger with fedfact federation mend"
    )


def refuse_newer_models(directory: OperatorDirectory, rounds: int) -> None:
    """Refuse a ledger that is older than the models beside it."""
    for path in sorted((directory.season / "models").glob("round-*.bin")):
        number = path.stem.partition("-")[2]
        if number.isdigit() and int(number) > rounds + 1:
            raise StaleLedger(
                f"{path}: is there, and the ledger has {rounds} rounds: it is older than that. "
                "Restore a newer backup; if there is none, mend the ledger with fedfact federation "
                "mend"
            )


def _newest(each: LastShown) -> int:
    assert each.newest is not None
    return each.newest.number


def _roots(entries: Sequence[Entry], wanted: set[int]) -> dict[int, tuple[str, str]]:
    """Hash and root at these entries."""
    tree, found = Tree(), {}
    for entry in entries:
        tree.add(entry.hash)
        if entry.number in wanted:
            found[entry.number] = entry.hash, tree.root()
    return found
