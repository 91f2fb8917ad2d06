"""Compare a ledger with the copies that one member kept: what it was shown, signed and told."""

from functools import partial

from ...errors import FedfactError, InputError
from ...mechanism import rule_of
from ..agreement.restart import Consent
from ..ledger.entries import Reversal, said_by
from ..ledger.entry import Entry
from ..ledger.season import SeasonState
from ..ledger.state import LedgerState, replay
from ..member.files import MemberFiles, seasons_kept
from .findings import Contested, Fault, Unchecked
from .verify import Verdict, judge, of_all
from .witnesses import roots_at


def verify_copy(entries: list[Entry], member: str, files: MemberFiles) -> list[Verdict]:
    """Whether the ledger says what a member was told and signed, by the copies it kept.

    Of ``files`` every season is looked at; no secret of the member's is needed. Contested is what
    one side says and the other does not, and nobody else can know: an answer may have been thrown
    away, or lost on its way.
    """
    try:
        state = replay(entries)
    except FedfactError as error:
        return [Verdict("own copy", None, f"not checked: {error}")]
    kept = seasons_kept(files.directory)
    there = [season for season in state.seasons if season.number in kept]
    verdicts = [
        judge(partial(_heads, entries, member, files), state, "own heads"),
        judge(partial(_keys, entries, member, files), state, "own keys"),
    ]
    of_seasons = [
        _of_season(entries, member, MemberFiles(files.directory, season.number), season)
        for season in there
    ]
    return verdicts + [of_all(list(each)) for each in zip(*of_seasons, strict=True)]


def _heads(entries: list[Entry], member: str, files: MemberFiles, state: LedgerState) -> str:
    made = [each for each in files.restarts() if _is_in(each.consent, member, state)]
    seen, shown = files.followed(made), len(files.heads())
    if not seen and any(member in season.reports for season in state.seasons):
        raise Unchecked("heads.jsonl, which has the heads that the member was shown, has none")
    operator, name = state.consortium.operator, state.consortium.hash()
    roots = roots_at(entries, {head.number for head in seen})
    for head in seen:
        if not head.is_by(operator, name):
            raise InputError("heads.jsonl holds a head that the operator did not sign; restore it")
        if head.number >= len(entries):
            raise InputError(f"the member saw an entry {head.number}; the ledger was cut off")
        if (entries[head.number].hash, roots[head.number]) != (head.entry, head.root):
            raise Fault(entries[head.number], "is another than the member was shown")
    lost = f", {shown - len(seen)} more that it let go of" if shown > len(seen) else ""
    return f"{len(seen)} heads{lost}"


def _is_in(consent: Consent, member: str, state: LedgerState) -> bool:
    """Whether the ledger has the restart that the member consented to."""
    said = (each.said.get(member) for each in state.restarts if each.after == consent.after)
    return any(each and each.read_head().content == consent.dump() for each in said)


def _keys(entries: list[Entry], member: str, files: MemberFiles, state: LedgerState) -> str:
    """Since the member brought in its first key, every one in the ledger is one that it made."""
    own = files.own_keys()
    if not own:
        raise Unchecked("keys.json, which has the keys that the member made, is gone")
    named = state.keys.all_of(member)
    if not named:
        return "not registered yet"
    first = next((k for k, (_, key) in enumerate(named) if key in own), None)
    if first is None:
        raise Fault(entries[named[-1][0]], "names a key of this member that it did not make")
    for number, key in named[first:]:
        if key not in own:
            raise Fault(entries[number], "brings in a key of this member that it did not make")
    if (void := state.keys.retired.get(named[-1][1])) is not None:
        return f"its own, but void from season {void.season} on, says the operator: {void.why}"
    before = f", and {first} before that it lost" if first else ""
    return f"{len(named) - first} of its own{before}"


def _of_season(
    entries: list[Entry], member: str, files: MemberFiles, season: SeasonState
) -> list[Verdict]:
    """The same of one season."""

    def contract(record: SeasonState) -> str:
        signed = files.contract()
        if record.roster is None:
            return "none signed yet"
        if member in record.declined and files.opened() is None and files.last_round() is None:
            return "takes no part"  # what it may have signed before never came into force
        back = record.keys.restored(member, record.number, before=len(entries))
        if signed is None and back is not None:
            raise Unchecked(
                f"the member's copy was lost with its key; it came back at entry {back}"
            )
        if record.contracts.get(member) != signed:
            raise InputError("the ledger has another contract than the member signed")
        return "as signed"

    def nonce(record: SeasonState) -> str:
        opened = files.opened()
        if record.nonces is None or record.roster is None:
            return "not opened yet"
        if member not in record.contracts:
            return "takes no part"
        if opened is None and member in record.nonces.opened:
            raise Unchecked("the member opened it, and opened.json, which says for what, is gone")
        if opened is None:
            if not rule_of(record.money).draws:
                return "not opened, which changes nothing: this rule has no draw"
            raise Contested("the ledger says that the member withheld its nonce; was it asked?")
        if record.roster.contracts != opened.roster:
            raise InputError("the ledger has another roster than the member opened its nonce for")
        nonces = (each for each in entries if (each.season, each.kind) == (record.number, "nonces"))
        if opened.ledger != next(nonces).previous:
            raise InputError("the member opened its nonce for another ledger than this")
        if member in record.nonces.withheld:
            raise Contested("the ledger says that the member withheld a nonce that it opened")
        return "as opened"

    def rounds(record: SeasonState) -> str:
        late = {each.round: each.late for each in files.rounds()}
        if not late and member in record.attested:
            raise Unchecked("training.bin, which has the last round that it answered, is gone")
        away = [done.round for done in record.rounds if member in done.absent]
        if in_time := [number for number in away if late.get(number) is False]:
            said = ", ".join(map(str, in_time))
            raise Contested(f"the member answered well in time, and is not counted: round {said}")
        missed = ", ".join(str(number) for number in away if number in late)
        taken = len(record.rounds) - len(away)
        return f"took part in {taken}" + (f", not in time for {missed}" if missed else "")

    def statements(record: SeasonState) -> str:
        kept = files.statements()
        if not kept and member in record.acknowledged:
            raise Unchecked("the member answered its statement, and its copy is gone")
        for told in kept:
            if told.settlement == record.settlement and (
                member not in record.lines
                or told.hash() != record.statement_messages([member])[member].hash()
            ):
                raise InputError("the ledger's settlement is not what the member was told")
            if not _is_settlement(entries, told.settlement):
                raise InputError(f"the member was told of settlement {told.settlement}: not there")
        if kept and kept[-1].settlement != record.settlement:
            return f"{len(kept)} statements; the last one told was reversed since"
        return f"{len(kept)} statements"

    def answers(record: SeasonState) -> str:
        answer = None if record.settlement is None else files.answer(record.settlement)
        if answer is None and member in record.acknowledged:
            raise Unchecked("the member's copy of its answer is gone")
        if answer is None:
            return "none given"
        if member not in record.acknowledged:
            raise Contested(
                f"the member {'agreed' if answer.agrees else 'disputed'}, which is not in the "
                "ledger; a resume asks it again"
            )
        if record.acknowledged[member].said.read_head().content != answer.dump():
            raise InputError("the ledger has another answer than the member gave")
        return "as given: agreed" if answer.agrees else "as given: disputed"

    def reversals(record: SeasonState) -> str:
        shown = files.reversed()
        there = {
            said.settlement: entry.number
            for entry in entries
            if (entry.season, entry.kind) == (record.number, "reversal")
            and isinstance(said := said_by(entry), Reversal)
        }
        if missing := sorted(shown - there.keys()):
            raise InputError(f"the ledger lacks the reversal of settlement {missing[0]}")
        unknown = {number: entry for number, entry in there.items() if number not in shown}
        if member not in record.deliveries or not unknown:
            return f"{len(shown)} shown"
        number, entry = next(iter(unknown.items()))
        if record.witnesses.signed.get(member, -1) >= entry:
            raise Unchecked(f"the member's copy of the reversal of settlement {number} is gone")
        raise Contested(
            f"settlement {number} was reversed, and the member was not shown it; a resume asks it"
        )

    checks = (contract, nonce, rounds, statements, answers, reversals)
    return [judge(check, season, f"own {check.__name__}") for check in checks]


def _is_settlement(entries: list[Entry], number: int) -> bool:
    return number < len(entries) and entries[number].kind == "settlement"
