"""What a ledger says of who has seen its end: heads of it that members signed.

A member is shown the entries that concern it and that nobody else would miss: its answer to a
statement, what became of its dispute, each reversal. Until it has signed a head that is not before
them, the season waits for it.
"""

from collections.abc import Iterable

from ...errors import LedgerError
from .entries import Witnessed


class Witnesses:
    """Of one season: the last head that each member signed, and who is to sign another."""

    def __init__(self) -> None:
        self.signed: dict[str, int] = {}
        self._due: dict[str, int] = {}  # the last entry that each is to be shown

    def show(self, members: Iterable[str], number: int) -> None:
        """These members are to be shown the entry of this number."""
        self._due.update(dict.fromkeys(members, number))

    @property
    def waiting(self) -> list[str]:
        """Those that have not signed a head with all that they are to be shown."""
        due = self._due.items()
        return sorted(member for member, number in due if self.signed.get(member, -1) < number)

    def sign(self, said: Witnessed, number: int) -> None:
        """A member has signed a head."""
        due = self._due.get(said.member)
        if due is None or not due <= said.head < number:
            raise LedgerError("a head that the member was not asked to sign")
        if said.head <= self.signed.get(said.member, -1):
            raise LedgerError("a head that the member has signed already")
        self.signed[said.member] = said.head
