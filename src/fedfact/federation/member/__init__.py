"""The member's side of the protocol."""

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
