"""Replay a ledger and check everything in it, trusting nobody.

A ledger is verified without a line of the operator's code or a member's; only to compare it with a
member's own copies is the code imported that reads those.
"""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily
from .verify import Verdict, is_sound, verify, verify_ledger

if TYPE_CHECKING:
    from .own_copy import verify_copy

__all__ = ["Verdict", "is_sound", "verify", "verify_copy", "verify_ledger"]

__getattr__, __dir__ = _lazily(__name__, {"verify_copy": "own_copy"})
