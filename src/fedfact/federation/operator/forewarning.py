"""What an operator should know before a federation goes on, while it can still be helped."""

from datetime import UTC, datetime

from ...errors import InputError
from ..ledger.entry import CLOCKS_MAY_DIFFER
from ..ledger.state import LedgerState
from .directory import OperatorDirectory, refuse_lost_ledger


def forewarnings(directory: OperatorDirectory, state: LedgerState, finish: bool) -> list[str]:
    """Of a ledger ahead of the clock, and of a lost model; a lost ledger is refused."""
    if state.last is None:
        refuse_lost_ledger(directory.path, empty=True)
        return []
    found = []
    ahead = datetime.fromisoformat(state.last.time) - datetime.now(UTC)
    if ahead.total_seconds() > CLOCKS_MAY_DIFFER:
        found.append(
            f"the ledger's last entry has the time {state.last.time[:19]} UTC, which is yet to "
            "come. If this machine's clock is wrong, stop and set it. If it is right, it was wrong "
            "then: entries keep that time until it has come, and verify says so until then"
        )
    record = state.seasons[-1] if len(state.seasons) == directory.published.season else None
    if finish and record is not None and record.rounds and record.phase != "finished":
        try:
            directory.load_model(len(record.rounds), record.rounds[-1].model)
        except InputError as lost:
            found.append(f"members will get no model: {lost}")
    return found
