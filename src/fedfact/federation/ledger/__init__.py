"""The ledger: entries that are only added, and what they say so far."""

from .entries import KINDS, read_entry
from .entry import Entry, Unreadable
from .export import export, read_export
from .state import LedgerState, replay
from .store import Ledger, ledger_place, read_ledger

__all__ = [
    "KINDS",
    "Entry",
    "Ledger",
    "LedgerState",
    "Unreadable",
    "export",
    "ledger_place",
    "read_entry",
    "read_export",
    "read_ledger",
    "replay",
]
