"""The protocol between an operator and its members, and the ledger it leaves.

Names are imported when they are first used: reading a ledger loads nothing that trains.
"""

from typing import TYPE_CHECKING

from ..lazy import lazily as _lazily

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

__getattr__, __dir__ = _lazily(
    __name__,
    {
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
    },
)
