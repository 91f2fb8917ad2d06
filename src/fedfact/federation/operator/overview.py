"""How a federation stands, in one document: for `status`, for a live view, for scripts."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..agreement.terms import Published
from ..ledger.disputes import Dispute
from ..ledger.entry import Entry
from ..ledger.season import SeasonState
from ..ledger.state import LedgerState
from ..ledger.store import Ledger
from .members import Membership


def overview(state: LedgerState, now: datetime | None = None) -> dict[str, Any]:
    """Of the season that is on: phase, rounds, and what each member promised, delivered and is to
    pay or receive; its disputes, and those of earlier seasons that are open, with what is overdue
    ``now``.

    It holds what the operator may see and members may not.
    """
    record, head = state.season, state.head
    published, last = record.terms, record.rounds[-1] if record.rounds else None
    members = {}
    for member in sorted({*record.enrolments, *record.declined}):
        row: dict[str, Any] = {"state": _state(record, member)}
        if member in record.contracts:
            row["promised"] = record.contracts[member].samples
            row["used"] = record.attested[member].used if member in record.attested else 0
        if member in record.deliveries:
            row["billed"] = record.deliveries[member].billed
        if member in record.lines:
            row["net"] = record.lines[member].net
        restored = state.keys.restored(member, record.number, before=head.number + 1)
        if restored is not None:
            row["restored"] = restored
        members[member] = row
    return {
        "consortium": state.consortium.name,
        "federation": published.name,
        "season": record.number,
        "terms": record.federation,
        "rule": published.money["rule"],
        "unit": published.money["unit"],
        "currency": published.money["currency"],
        "phase": record.phase,
        "rounds": len(record.rounds),
        "rounds_planned": published.plan().rounds,
        "model": last.model if last else None,
        "members": members,
        "surplus": record.settled.surplus if record.settled else None,
        "charges": sum(line.charge for line in record.lines.values()) if record.settled else None,
        "void": record.void_in_words,
        "owed": record.owed,
        "to_witness": record.witnesses.waiting,
        "disputes": [
            _dispute(season, each, now or datetime.now(UTC))
            for season in state.seasons
            for each in (season.disputes.all if season is record else season.disputes.open)
        ],
        "entries": head.number + 1,
        "head": head.entry,
    }


def seasons_overview(directory: Path) -> dict[str, Any]:
    """All seasons of a consortium, and who is to come or has retired."""
    now = Membership.of(directory)
    rows = [_season(season.terms, season) for season in now.state.seasons]
    if not now.begun:
        rows.append({**_season(now.published, None), "members": sorted(now.invited)})
    return {
        "seasons": rows,
        "awaited": sorted(now.awaited),
        "retired": {member: said.why for member, said in sorted(now.state.retired.items())},
    }


def _season(terms: Published, record: SeasonState | None) -> dict[str, Any]:
    """What a list of seasons says of one; there is no record of one that has not begun."""
    settled = None if record is None else record.settled
    return {
        "season": terms.season,
        "federation": terms.name,
        "rule": terms.money["rule"],
        "unit": terms.money["unit"],
        "currency": terms.money["currency"],
        "members": sorted(record.sizes) if record else [],
        "rounds": len(record.rounds) if record else 0,
        "rounds_planned": terms.plan().rounds,
        "surplus": settled.surplus if settled else None,
        "phase": record.phase if record else "not started",
    }


def _dispute(record: SeasonState, dispute: Dispute, now: datetime) -> dict[str, Any]:
    """How a dispute stands, and whether the operator's answer is overdue or came too late."""
    until = record.disputes.answer_by(dispute)
    answered = None if dispute.answered is None else datetime.fromisoformat(dispute.answered.time)
    return {
        "season": record.number,
        "member": dispute.member,
        "settlement": dispute.settlement,
        "why": dispute.why,
        "open": dispute in record.disputes.open,
        "answer_by": until.isoformat(timespec="seconds"),
        "answer": dispute.answer,
        "overdue": not dispute.reversed and (answered or now) > until,
        "outcome": "reversed" if dispute.reversed else dispute.decision and "stands",
    }


def _state(record: SeasonState, member: str) -> str:
    if member in record.declined:
        said = record.declined[member]
        return f"declined by {said.by}: {said.why}"
    if member in record.acknowledged:
        agrees = record.acknowledged[member].said.read_head().content.get("agrees")
        return "statement agreed" if agrees is True else "statement disputed"
    if record.revealed is not None and record.settled is None:
        return "settlement reversed"
    if record.settled is not None and record.settled.void:
        return "void, model not handed out" if member in record.owed else "void"
    if member in record.deliveries and record.deliveries[member].left:
        return "left before the end"
    if record.rounds and member in record.rounds[-1].absent:
        return f"absent: {record.rounds[-1].absent[member]}"
    if record.rounds:
        return "training" if record.settled is None else "statement not acknowledged"
    if member in record.contracts:
        return "signed"
    return "enrolled"


class Watch:
    """The operator's ledger looked at again and again: each look reads only what is new."""

    def __init__(self, place: str, season: int) -> None:
        self._ledger, self._season = Ledger.at(place, new=True), season
        self.state = LedgerState()

    @property
    def record(self) -> SeasonState | None:
        """The season, once the ledger has it."""
        return self.state.season if len(self.state.seasons) == self._season else None

    def look(self) -> list[Entry]:
        """The entries that came since the last look."""
        last = self.state.last
        new = self._ledger.entries(0 if last is None else last.number + 1)
        for entry in new:
            self.state.add(entry)
        return new

    def close(self) -> None:
        """Let go of the data base."""
        self._ledger.close()
