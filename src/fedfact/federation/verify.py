"""Replay a ledger and check everything in it, trusting nobody: a list of small named checks.

What these checks prove: the ledger is whole and unchanged, everybody signed what it says they
signed, and every amount follows from that. What they cannot: that samples were really used (that
is attested, not proved), and that no entries were cut off at the end (compare with an agent's own
copy: `verify_copy`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..mechanism import InputError
from .agent_files import AgentFiles, LastRound
from .checks import CHECKS, Fault, Replayed
from .entry import FIRST, Entry, Unreadable, is_time
from .keys import is_signed
from .ledger import read_ledger
from .record import Record, replay
from .settling import told_of


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check found; ``holds`` is None where what it needs is not sound itself.

    Where it is ``contested`` it does not hold either: the agent's word is against the operator's.
    """

    name: str
    holds: bool | None
    says: str
    entry: int | None = None
    contested: bool = False


class Contested(Exception):  # noqa: N818  (nobody knows whose)
    """What the agent says and the ledger does not, and nobody else can know."""


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
    """Every entry has its time, in the one form in which times are written, and none goes back."""
    last = ""
    for entry in entries:
        if not is_time(entry.time):
            raise Fault(entry, "has a time that is not as times are written")
        if entry.time < last:
            raise Fault(entry, "has a time before that of the entry before it")
        last = entry.time
    return f"{entries[0].time[:19]} to {last[:19]} by the operator's clock"


def signatures(entries: list[Entry]) -> str:
    """The operator named in the terms signed every entry."""
    try:
        public = replay(entries[:1]).terms.operator
    except InputError as error:
        raise Fault(entries[0], f"names no operator ({error})") from None
    for entry in entries:
        if not is_signed(public, "entry", entry.hash.encode(), entry.signature):
            raise Fault(entry, "is not signed by the operator")
    return f"all by {public[:16]}"


def order(entries: list[Entry]) -> Replayed:
    """Every entry is well formed, and comes when it may."""
    record, documents = Record(), []
    for entry in entries:
        try:
            documents.append((entry, record.add(entry)))
        except InputError as error:
            raise Fault(entry, str(error)) from None
    return documents, record


def verify(entries: list[Entry]) -> list[Verdict]:
    """All checks, in order."""
    if not entries:
        raise InputError("the ledger is empty")
    verdicts, replayed = _first(entries)
    if replayed is None:
        return verdicts + _unchecked("the order does not hold")
    return verdicts + [_verdict(check, replayed) for check in CHECKS]


def _first(entries: list[Entry]) -> tuple[list[Verdict], Replayed | None]:
    """The checks that the others rest on, and what these are made of."""
    verdicts = [_verdict(check, entries) for check in (chain, times, signatures)]
    try:
        replayed = order(entries)
    except Fault as fault:
        return [*verdicts, _fault("order", fault)], None
    return [*verdicts, Verdict("order", True, replayed[1].phase)], replayed


def _unchecked(why: str) -> list[Verdict]:
    return [Verdict(check.__name__, None, f"not checked: {why}") for check in CHECKS]


def verify_ledger(place: str) -> tuple[list[Entry], list[Verdict]]:
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
    """Whether all hold but what an agent contests, which is no fault of the ledger's."""
    return all(each.holds or each.contested for each in verdicts)


def first_bad_entry(verdicts: list[Verdict]) -> int | None:
    """The number of the first entry that a check names."""
    return min((each.entry for each in verdicts if each.entry is not None), default=None)


def phase_of(verdicts: list[Verdict]) -> str | None:
    """How far the federation has come, where its entries are in order."""
    return next((each.says for each in verdicts if each.name == "order" and each.holds), None)


def _verdict(check: Callable[..., str], of: object, whose: str = "") -> Verdict:
    name = whose + check.__name__
    try:
        return Verdict(name, True, check(of))
    except Fault as fault:
        return _fault(name, fault)
    except Contested as contested:
        return Verdict(name, False, str(contested), contested=True)
    except (ValueError, ArithmeticError) as error:  # of figures that no honest ledger has
        return Verdict(name, False, str(error).partition("\n")[0])


def _fault(name: str, fault: Fault) -> Verdict:
    where = "" if fault.entry is None else f"{fault.entry.name}: "
    number = None if fault.entry is None else fault.entry.number
    return Verdict(name, False, where + fault.why, number)


def verify_copy(entries: list[Entry], agent: str, files: AgentFiles) -> list[Verdict]:
    """Whether the ledger says what an agent was told and signed, by the copies it kept.

    No secret of the agent's is needed. Contested is what one side says and the other does not, and
    nobody else can know: an answer may have been thrown away, or lost on its way.
    """

    def heads(record: Record) -> str:
        seen = files.heads()
        for head in seen:
            if head["number"] >= len(entries):
                raise InputError(f"the agent saw an entry {head['number']}; the ledger was cut off")
            if entries[head["number"]].hash != head["hash"]:
                raise Fault(entries[head["number"]], "is another than the agent was shown")
        return f"{len(seen)} heads"

    def contract(record: Record) -> str:
        signed = files.contract()
        if record.roster is None:
            return "none signed yet"
        if agent in record.declined and files.opened() is None and files.last_round() is None:
            return "takes no part"  # what it may have signed before never came into force
        if record.contracts.get(agent) != signed:
            raise InputError("the ledger has another contract than the agent signed")
        return "as signed"

    def nonce(record: Record) -> str:
        opened = files.opened()
        if record.nonces is None or record.roster is None:
            return "not opened yet"
        if agent not in record.contracts:
            return "takes no part"
        if opened is None:
            if record.money.rule == "rebate":
                return "not opened, which changes nothing: this rule has no draw"
            raise Contested("the ledger says that the agent withheld its nonce; was it asked?")
        if record.roster.contracts != opened.roster:
            raise InputError("the ledger has another roster than the agent opened its nonce for")
        if opened.ledger != next(each.previous for each in entries if each.kind == "nonces"):
            raise InputError("the agent opened its nonce for another ledger than this")
        if agent in record.nonces.withheld:
            raise Contested("the ledger says that the agent withheld a nonce that it opened")
        return "as opened"

    def rounds(record: Record) -> str:
        last = files.last_round() or LastRound()
        away = [done.round for done in record.rounds if agent in done.absent]
        if in_time := sorted(last.in_time.intersection(away)):
            said = ", ".join(map(str, in_time))
            raise Contested(f"the agent answered well in time, and is not counted: round {said}")
        late = ", ".join(str(number) for number in away if number in last.used)
        taken = len(record.rounds) - len(away)
        return f"took part in {taken}" + (f", not in time for {late}" if late else "")

    def statements(record: Record) -> str:
        kept = files.statements()
        for told in kept:
            if told.settlement == record.settlement and (
                agent not in record.lines or told.hash() != told_of(record, [agent])[agent].hash()
            ):
                raise InputError("the ledger's settlement is not what the agent was told")
            if not _is_settlement(entries, told.settlement):
                raise InputError(f"the agent was told of settlement {told.settlement}: not there")
        if kept and kept[-1].settlement != record.settlement:
            return f"{len(kept)} statements; the last one told was reversed since"
        return f"{len(kept)} statements"

    def answers(record: Record) -> str:
        answer = None if record.settlement is None else files.answer(record.settlement)
        if answer is None:
            return "none given"
        if agent not in record.acknowledged:
            raise Contested(
                f"the agent {'agreed' if answer.agrees else 'disputed'}, which is not in the "
                "ledger; a resume asks it again"
            )
        if record.acknowledged[agent].said.read_head().content != answer.dump():
            raise InputError("the ledger has another answer than the agent gave")
        return "as given: agreed" if answer.agrees else "as given: disputed"

    try:
        record = replay(entries)
    except InputError as error:
        return [Verdict("own copy", None, f"not checked: {error}")]
    checks = (heads, contract, nonce, rounds, statements, answers)
    return [_verdict(check, record, "own ") for check in checks]


def _is_settlement(entries: list[Entry], number: int) -> bool:
    return number < len(entries) and entries[number].kind == "settlement"
