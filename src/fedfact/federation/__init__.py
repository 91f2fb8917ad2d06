"""The protocol between an operator and its members, and the ledger it leaves.

Names are imported when they are first used: reading a ledger loads nothing that trains.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audit import Verdict, is_sound, verify, verify_ledger
    from .deploy.in_process import FinishedFederation, run_federation
    from .ledger import Entry, LedgerState, read_ledger, replay

__all__ = [
    "Entry",
    "FinishedFederation",
    "LedgerState",
    "Verdict",
    "is_sound",
    "read_ledger",
    "replay",
    "run_federation",
    "verify",
    "verify_ledger",
]

_WHERE = {
    "Entry": "ledger",
    "FinishedFederation": "deploy.in_process",
    "LedgerState": "ledger",
    "Verdict": "audit",
    "is_sound": "audit",
    "read_ledger": "ledger",
    "replay": "ledger",
    "run_federation": "deploy.in_process",
    "verify": "audit",
    "verify_ledger": "audit",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_WHERE[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
