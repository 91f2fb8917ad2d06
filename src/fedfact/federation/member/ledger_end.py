"""The end of a ledger as it is shown to a member: its own entries, and every reversal.

What is missing there it knows by its own copies: the answer that it gave, reversals that it was
shown before. Reversals, decisions and answers to its dispute it keeps, each with its proof.
"""

from collections.abc import Callable

from ...errors import InputError
from ..agreement.disputes import Decision
from ..agreement.lines import Line
from ..agreement.terms import Published
from ..ledger.entries import Acknowledged, Answered, Correction, Reversal, said_by
from ..ledger.entry import Entry
from ..ledger.proof import Kept, LedgerEnd
from ..wire.document import FORMAT
from ..wire.ledger_head import LedgerHead
from .files import MemberFiles


def check_end(
    end: LedgerEnd,
    head: LedgerHead,
    published: Published,
    name: str,
    files: MemberFiles,
    note: Callable[[str], None],
) -> None:
    """Refuse an end of the ledger that lacks what it should have; keep what is new in it."""
    found = [(entry := each.checked(head), said_by(entry)) for each in end.shown]
    if any(entry.season != published.season for entry, _ in found):
        raise InputError("shows an entry of another season")
    decisions = {entry.number: said for entry, said in found if isinstance(said, Decision)}
    for decision in decisions.values():
        _check_decision(decision, published)
    for _, said in found:
        if isinstance(said, Correction) and said.member == name:
            _check_correction(said, decisions, name)
    _check_own(found, name, files)
    for shown, (entry, said) in zip(end.shown, found, strict=True):
        if isinstance(said, Reversal | Decision | Answered):
            kept = Kept(format=FORMAT, head=head, shown=shown)
            if files.keep_shown(entry, kept):
                note(_in_words(said))


def _check_decision(decision: Decision, published: Published) -> None:
    arbiter = published.disputes.arbiter
    if arbiter is None or not decision.is_by(arbiter) or decision.terms != published.hash():
        raise InputError("shows a decision that the arbiter of the terms did not sign")


def _check_correction(said: Correction, decisions: dict[int, Decision], name: str) -> None:
    decision = decisions.get(said.decision)
    if decision is None or name not in decision.corrected:
        raise InputError("my counts were corrected, and no decision is shown that says so")
    counts, now = decision.corrected[name], said.delivery
    if (counts.delivered, counts.attended, counts.last_round) != (
        now.delivered,
        now.attended,
        now.last_round,
    ):
        raise InputError("my counts were corrected to others than the arbiter decided")


def _check_own(found: list[tuple[Entry, object]], name: str, files: MemberFiles) -> None:
    """The answer to the statement of the settlement that stands, and reversals known before."""
    undone = {said.settlement for _, said in found if isinstance(said, Reversal)}
    if missing := sorted(files.reversed() - undone):
        raise InputError(f"the ledger lacks the reversal of settlement {missing[0]}")
    told = [each for each in files.statements() if each.settlement not in undone]
    if not told:
        return
    number = told[-1].settlement
    answer, line = files.answer(number), told[-1].line
    if answer is None:
        return
    given = [
        said.said.read_head().content
        for _, said in found
        if isinstance(said, Acknowledged) and (said.member, said.settlement) == (name, number)
    ]
    if given != [answer.dump()]:
        raise InputError(f"my answer to the statement of settlement {number} is not in the ledger")
    lines = [said for entry, said in found if isinstance(said, Line) and entry.number > number]
    if lines != [line]:
        raise InputError(f"my line of settlement {number} is not in the ledger")


def _in_words(said: Reversal | Decision | Answered) -> str:
    """What a member's owner reads of it."""
    if isinstance(said, Answered):
        return f"the operator answers your dispute of settlement {said.settlement}: {said.says}"
    if isinstance(said, Decision):
        what = "stands" if said.outcome == "stands" else "is to be reversed"
        return f"the arbiter decided that settlement {said.settlement} {what}: {said.says}"
    by = "the operator" if said.decision is None else "the arbiter's decision"
    return f"settlement {said.settlement} was reversed by {by}: {said.why}"
