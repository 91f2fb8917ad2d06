"""Who a member is, and how it is reached: for the operator's eyes, and never in the ledger.

The ledger speaks of ids. What is here can be erased, and the ledger still verifies.
"""

from pathlib import Path

from ...io.files import write_whole
from ..wire.document import FORMAT, Name, Stored, Words
from .directory import read_stored

CONTACTS = "contacts.json"


class Contacts(Stored):
    """What the operator noted of members, such as a name and an address."""

    members: dict[Name, Words]


def read_contacts(directory: Path) -> dict[str, str]:
    """What there is of each member."""
    path = directory / CONTACTS
    return read_stored(path, Contacts).members if path.exists() else {}


def keep_contacts(directory: Path, contacts: dict[str, str]) -> None:
    """Keep these, for the operator alone; what is there of others stays."""
    _write(directory, read_contacts(directory) | contacts)


def erase_contact(directory: Path, member: str) -> bool:
    """Forget what is there of a member; whether there was something."""
    known = read_contacts(directory)
    if member not in known:
        return False
    _write(directory, {name: words for name, words in known.items() if name != member})
    return True


def _write(directory: Path, contacts: dict[str, str]) -> None:
    made = Contacts.take({"format": FORMAT, "members": contacts})
    write_whole(directory / CONTACTS, made.encoded(), private=True)
