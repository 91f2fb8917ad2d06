"""Lists on the command line that say something of members by name: ``NAME=VALUE,...``."""

from collections.abc import Iterable
from pathlib import Path

from ...errors import InputError


def read_requests(members: str) -> dict[str, Path]:
    """Names and requests as they stand on the command line."""
    found: dict[str, Path] = {}
    for each in members.split(","):
        name, equals, path = each.strip().partition("=")
        if not equals or not path:
            raise InputError(
                f"{each!r} does not say where the member's request is; write NAME=REQUEST, as in "
                "oak=oak.request.json; members make theirs with fedfact federation request"
            )
        if name in found:
            raise InputError(f"{name!r} is named twice as a member; give each a name of its own")
        found[name] = Path(path)
    return found


def read_sizes(sizes: str) -> dict[str, int]:
    """Names and sizes as they stand on the command line."""
    found: dict[str, int] = {}
    for each in sizes.split(",") if sizes else ():
        name, _, size = each.strip().partition("=")
        if not size.isascii() or not size.isdigit() or len(size) > 12:
            raise InputError(f"{each!r} says no member's size; write NAME=SIZE, as in oak=120")
        if name in found:
            raise InputError(f"{name!r} has two sizes; give each member one")
        found[name] = int(size)
    return found


def read_contacts(contacts: Iterable[str]) -> dict[str, str]:
    """Names, and what is to be noted of each: one a text, since words may hold commas."""
    found: dict[str, str] = {}
    for each in contacts:
        name, _, words = each.partition("=")
        if not words.strip():
            raise InputError(f"{each!r} says no contact; write NAME=WORDS, as in oak='Oak Clinic'")
        found[name.strip()] = words.strip()
    return found
