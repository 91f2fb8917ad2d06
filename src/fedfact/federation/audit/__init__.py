"""Replay a ledger and check everything in it, trusting nobody."""

from .own_copy import verify_copy
from .verify import Verdict, is_sound, verify, verify_ledger

__all__ = ["Verdict", "is_sound", "verify", "verify_copy", "verify_ledger"]
