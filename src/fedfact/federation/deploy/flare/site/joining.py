"""What a member checks before it connects: that the kit is its own, and to what terms it leads."""

from datetime import datetime
from pathlib import Path

from .....errors import InputError
from ....member.config import read_member_config
from ....member.preparation import make_ready
from ..kits.certificates import read_key
from ..kits.kit import Kit, brief, read_kit
from ..kits.request import TLS_KEY


def take_kit(path: Path, config: Path, now: datetime | None = None) -> Kit:
    """The kit in a file, checked against the member's name, key and terms; connects to nobody."""
    own, kit = read_member_config(config), read_kit(path)
    key = config.parent / TLS_KEY
    if not key.exists():
        raise InputError(
            f"{key}: is not there; restore it, or send the operator a request that fedfact "
            "federation request writes, for a kit of your own"
        )
    try:
        kit.check(own.name, read_key(key).public_key(), now)
    except InputError as error:
        raise InputError(f"{path}: {brief(error)}") from None
    make_ready(kit.terms, config)
    return kit
