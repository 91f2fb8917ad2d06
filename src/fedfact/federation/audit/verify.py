"""Replay a ledger and check everything in it, trusting nobody: a list of small named checks.

What these checks prove: the ledger is whole and unchanged, everybody signed what it says they
signed, and every amount follows from that. What they cannot: that samples were really used (that
is attested, not proved), and that no entries were cut off behind the last that members have signed
for (`witnesses`; compare with a member's own copy: `verify_copy`).
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...errors import FedfactError, InputError
from ..ledger.entry import CLOCKS_MAY_DIFFER, FIRST, Entry, Unreadable, is_time
from ..ledger.state import LedgerState, replay
from ..ledger.store import read_ledger
from ..wire.keys import is_signed
from ..wire.ledger_head import PURPOSE, signed_part
from ..wire.tree import Tree
from .findings import Contested, Fault, Replayed, Unchecked
from .key_laws import keys
from .laws import contracts, delivered, enrolments, rounds, seed
from .money_laws import acknowledgements, amounts, balance, disputes
from .restart_laws import restarts
from .witnesses import witnesses

CHECKS: tuple[Callable[[Replayed], str], ...] = (
    enrolments,
    contracts,
    seed,
    rounds,
    delivered,
    amounts,
    balance,
    acknowledgements,
    disputes,
)
"""What is checked of each season once chain, signatures and order hold."""

CHECKS_OF_CONSORTIUM = (keys, restarts)
"""What is checked of entries that are of no season."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check found; ``holds`` is None where what it needs is not sound or not there.

    Where it is ``contested`` it does not hold either: the member's word is against the operator's.
    """

    name: str
    holds: bool | None
    says: str
    entry: int | None = None
    contested: bool = False


def chain(entries: list[Entry]) -> str:
    """Every entry has its number, its own hash, and the hash of the one before."""
    previous = FIRST
    for number, entry in enumerate(entries):
        if entry.number != number:
            raise Fault(replace(entry, number=number), f"is numbered {entry.number}")
        if entry.previous != previous:
            raise Fault(entry, "does not follow the entry before it")
        if entry.hash != entry.own_hash():
            raise Fault(entry, "was changed: its hash is another")
        previous = entry.hash
    return f"{len(entries)} entries, head {previous[:16]}"


def times(entries: list[Entry]) -> str:
    """Every entry has its time, in the one form in which times are written, and none goes back, nor
    lies more than a day ahead of this machine's clock."""
    last, latest = "", datetime.now(UTC) + timedelta(seconds=CLOCKS_MAY_DIFFER)
    for entry in entries:
        if not is_time(entry.time):
            raise Fault(entry, "has a time that is not as times are written")
        if entry.time < last:
            raise Fault(entry, "has a time before that of the entry before it")
        if datetime.fromisoformat(entry.time) > latest:
            raise Fault(entry, f"has the time {entry.time[:19]}, which is yet to come")
        last = entry.time
    return f"{entries[0].time[:19]} to {last[:19]} by the operator's clock"


def signatures(entries: list[Entry]) -> str:
    """The operator that founded the consortium signed every entry, with all those before it."""
    try:
        founded = replay(entries[:1]).consortium
    except FedfactError as error:
        raise Fault(entries[0], f"names no operator ({error})") from None
    tree, consortium = Tree(), founded.hash()
    for entry in entries:
        try:
            tree.add(entry.hash)
        except InputError as error:
            raise Fault(entry, str(error)) from None
        said = signed_part(consortium, entry.number, entry.hash, tree.root())
        if not is_signed(founded.operator, PURPOSE, said, entry.signature):
            raise Fault(entry, "is not signed by the operator")
    return f"all by {founded.operator[:16]}"


def order(entries: list[Entry]) -> tuple[LedgerState, dict[int, list[tuple[Entry, object]]]]:
    """Every entry is well formed, and comes when it may; those of each season, and of none (0)."""
    state, documents = LedgerState(), defaultdict[int, list[tuple[Entry, object]]](list)
    for entry in entries:
        try:
            documents[entry.season].append((entry, state.add(entry)))
        except FedfactError as error:
            raise Fault(entry, str(error)) from None
    return state, documents


def verify(entries: list[Entry]) -> list[Verdict]:
    """Run all checks, in order."""
    if not entries:
        raise InputError("the ledger is empty")
    verdicts, seasons = _first(entries)
    if not seasons:
        why = "the order does not hold" if seasons is None else "there is no season yet"
        return verdicts + _unchecked(why)
    verdicts += [of_all([judge(check, each) for each in seasons]) for check in CHECKS]
    return [*verdicts, judge(witnesses, (entries, seasons))]


def of_all(found: list[Verdict]) -> Verdict:
    """What a check found of all seasons: the worst, or what it says of each where all is well."""
    worst = max(found, key=_gravity)
    if not worst.holds or len(found) == 1:
        return worst
    says = [f"season {number}: {each.says}" for number, each in enumerate(found, 1)]
    return replace(found[0], says="; ".join(says))


def _gravity(found: Verdict) -> int:
    """How bad it is: a fault is worse than what is contested, and that than what is unchecked."""
    if found.holds:
        return 0
    return 1 if found.holds is None else 2 if found.contested else 3


def _first(entries: list[Entry]) -> tuple[list[Verdict], list[Replayed] | None]:
    """The checks that the others rest on, and what these are made of."""
    verdicts = [judge(check, entries) for check in (chain, times, signatures)]
    try:
        state, documents = order(entries)
    except Fault as fault:
        found = [Verdict(check.__name__, None, _unordered()) for check in CHECKS_OF_CONSORTIUM]
        return [*verdicts, _fault("order", fault), *found], None
    seasons = [(documents[season.number], season) for season in state.seasons]
    of_none = [judge(check, (state, documents[0])) for check in CHECKS_OF_CONSORTIUM]
    return [*verdicts, Verdict("order", True, _phases(state)), *of_none], seasons


def _phases(state: LedgerState) -> str:
    """How far the federation has come; where it has several seasons, each of them."""
    if len(state.seasons) < 2:
        return state.season.phase if state.seasons else "no season yet"
    return "; ".join(f"season {each.number}: {each.phase}" for each in state.seasons)


def _unordered() -> str:
    return "not checked: the order does not hold"


def _unchecked(why: str) -> list[Verdict]:
    names = [check.__name__ for check in (*CHECKS, witnesses)]
    return [Verdict(name, None, f"not checked: {why}") for name in names]


def verify_ledger(place: Path | str) -> tuple[list[Entry], list[Verdict]]:
    """The entries of a ledger wherever it is, and all checks of them.

    Where one cannot be read, that is a finding, and only those before it are there: a batch may
    be torn there, so of them only chain, times, signatures and order are checked.
    """
    try:
        entries = read_ledger(place)
    except Unreadable as error:
        found = [Verdict("entries", False, str(error), error.number)]
        if error.before:
            found += _first(error.before)[0]
        return error.before, found + _unchecked("an entry cannot be read")
    return entries, verify(entries)


def is_sound(verdicts: list[Verdict]) -> bool:
    """Whether nothing was found wrong but what a member contests, no fault of the ledger's."""
    return all(each.holds is not False or each.contested for each in verdicts)


def first_bad_entry(verdicts: list[Verdict]) -> int | None:
    """The number of the first entry that a check names."""
    return min((each.entry for each in verdicts if each.entry is not None), default=None)


def phase_of(verdicts: list[Verdict]) -> str | None:
    """How far the federation has come, where its entries are in order."""
    return next((each.says for each in verdicts if each.name == "order" and each.holds), None)


def judge(check: Callable[..., str], of: object, name: str | None = None) -> Verdict:
    """Run one check and say what it found."""
    name = name or check.__name__
    try:
        return Verdict(name, True, check(of))
    except Fault as fault:
        return _fault(name, fault)
    except Unchecked as unchecked:
        return Verdict(name, None, f"not checked: {unchecked}")
    except Contested as contested:
        return Verdict(name, False, str(contested), contested=True)
    except (
        FedfactError,
        ValueError,
        ArithmeticError,
    ) as error:  # of figures that no honest ledger has
        return Verdict(name, False, str(error).partition("\n")[0])


def _fault(name: str, fault: Fault) -> Verdict:
    where = "" if fault.entry is None else f"{fault.entry.name}: "
    number = None if fault.entry is None else fault.entry.number
    return Verdict(name, False, where + fault.why, number)
