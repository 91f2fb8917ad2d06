"""The member's side of the protocol.

Names are imported when they are first used: what a member kept is read without what it does.
"""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .config import MemberConfig, read_member_config
    from .files import MemberFiles
    from .member import Member, open_member
    from .preparation import make_ready, preview
    from .rationality import objection, worst_loss
    from .review import objections

__all__ = [
    "Member",
    "MemberConfig",
    "MemberFiles",
    "make_ready",
    "objection",
    "objections",
    "open_member",
    "preview",
    "read_member_config",
    "worst_loss",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "Member": "member",
        "MemberConfig": "config",
        "MemberFiles": "files",
        "make_ready": "preparation",
        "objection": "rationality",
        "objections": "review",
        "open_member": "member",
        "preview": "preparation",
        "read_member_config": "config",
        "worst_loss": "rationality",
    },
)
