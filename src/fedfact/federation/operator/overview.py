"""How a federation stands, in one document: for `status`, for a live view, for scripts."""

from typing import Any

from ..ledger.entry import Entry
from ..ledger.state import LedgerState
from ..ledger.store import Ledger


def overview(record: LedgerState) -> dict[str, Any]:
    """Phase, rounds, and what each agent promised, delivered and is to pay or receive.

    It holds what the operator may see and agents may not.
    """
    published, last = record.terms, record.rounds[-1] if record.rounds else None
    agents = {}
    for agent in sorted({*record.enrolments, *record.declined}):
        state: dict[str, Any] = {"state": _state(record, agent)}
        if agent in record.contracts:
            state["promised"] = record.contracts[agent].samples
            state["used"] = record.attested[agent].used if agent in record.attested else 0
        if agent in record.deliveries:
            state["billed"] = record.deliveries[agent].billed
        if agent in record.lines:
            state["net"] = record.lines[agent].net
        agents[agent] = state
    return {
        "federation": published.name,
        "terms": record.federation,
        "rule": published.money["rule"],
        "unit": published.money["unit"],
        "currency": published.money["currency"],
        "phase": record.phase,
        "rounds": len(record.rounds),
        "rounds_planned": published.plan().rounds,
        "model": last.model if last else None,
        "agents": agents,
        "surplus": record.settled.surplus if record.settled else None,
        "charges": sum(line.charge for line in record.lines.values()) if record.settled else None,
        "void": record.settled.void if record.settled else None,
        "owed": record.owed,
        "entries": 0 if record.head is None else record.head.number + 1,
        "head": record.head.hash if record.head else None,
    }


def _state(record: LedgerState, agent: str) -> str:
    if agent in record.declined:
        said = record.declined[agent]
        return f"declined by {said.by}: {said.why}"
    if agent in record.acknowledged:
        agrees = record.acknowledged[agent].said.read_head().content.get("agrees")
        return "statement agreed" if agrees is True else "statement disputed"
    if record.settled is not None and record.settled.void:
        return "void, model not handed out" if agent in record.owed else "void"
    if agent in record.deliveries and record.deliveries[agent].left:
        return "left before the end"
    if record.rounds and agent in record.rounds[-1].absent:
        return f"absent: {record.rounds[-1].absent[agent]}"
    if record.rounds:
        return "training" if record.settled is None else "statement not acknowledged"
    if agent in record.contracts:
        return "signed"
    return "enrolled"


class Watch:
    """The operator's ledger looked at again and again: each look reads only what is new."""

    def __init__(self, place: str) -> None:
        self._ledger = Ledger.at(place, new=True)
        self.record = LedgerState()

    def look(self) -> list[Entry]:
        """The entries that came since the last look."""
        head = self.record.head
        new = self._ledger.entries(0 if head is None else head.number + 1)
        for entry in new:
            self.record.add(entry)
        return new

    def close(self) -> None:
        """Let go of the data base."""
        self._ledger.close()
