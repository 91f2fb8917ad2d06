"""The keys of members over time: with which key a member signed at any entry of the ledger.

A key is one member's for good: once it was anybody's, nobody brings it in again.
"""

from bisect import bisect
from dataclasses import dataclass

from ...errors import LedgerError
from .entries import KeyAnswered, KeyReplaced, KeyRestored, KeyRetired


@dataclass(frozen=True, slots=True)
class Restored:
    """That a member came back with a new key: the entry, and the season that is marked by it."""

    entry: int
    season: int


class MemberKeys:
    """Every key that the ledger names, by the entry since which it is its member's."""

    def __init__(self) -> None:
        self._since: dict[str, list[int]] = {}
        self._keys: dict[str, list[str]] = {}  # beside it
        self._owners: dict[str, str] = {}
        self.retired: dict[str, KeyRetired] = {}  # by key
        self._answered: set[str] = set()
        self._restored: dict[str, list[Restored]] = {}

    def now(self) -> dict[str, str]:
        """The key that each member has by now."""
        return {member: keys[-1] for member, keys in self._keys.items()}

    def of(self, member: str) -> str:
        """The key that a member has by now."""
        return self._keys[member][-1]

    def owner(self, key: str) -> str | None:
        """Whose key it is or was."""
        return self._owners.get(key)

    def registered(self, member: str) -> str:
        """The first key of a member."""
        return self._keys[member][0]

    def all_of(self, member: str) -> list[tuple[int, str]]:
        """All keys of a member, each with the number of the entry that brought it in."""
        return list(zip(self._since.get(member, ()), self._keys.get(member, ()), strict=True))

    def at(self, member: str, entry: int) -> str:
        """The key with which a member signs what this entry holds."""
        k = bisect(self._since[member], entry)
        if k == 0:
            raise LedgerError(f"{member} had no key yet at entry {entry}")
        return self._keys[member][k - 1]

    def is_void(self, key: str, season: int) -> bool:
        """Whether a key is worth nothing in this season."""
        return key in self.retired and self.retired[key].season <= season

    def restored(self, member: str, season: int, before: int) -> int | None:
        """The last entry before this one by which the member came back in this season."""
        there = [each.entry for each in self._restored.get(member, ()) if each.season == season]
        return max((entry for entry in there if entry < before), default=None)

    def came_back(self, member: str, entry: int) -> bool:
        """Whether it is by this entry that a member came back."""
        return any(each.entry == entry for each in self._restored.get(member, ()))

    def register(self, member: str, key: str, entry: int) -> None:
        """A member comes in with its first key."""
        _require(member not in self._keys, "a member that is registered already")
        self._bring(member, key, entry)

    def replace(self, said: KeyReplaced, entry: int) -> None:
        """A member replaces its key."""
        _require(said.member in self._keys, "a key for nobody that is a member")
        _require(said.replaces == self._keys[said.member][-1], "a change of a key it has not")
        _require(said.replaces not in self.retired, "a key that was retired brings in another")
        self._bring(said.member, said.key, entry)

    def retire(self, said: KeyRetired, season: int) -> None:
        """The operator declares a key void from this season on."""
        _require(said.member in self._keys, "a key of nobody that is a member")
        _require(said.key == self._keys[said.member][-1], "a key that the member has not")
        _require(said.key not in self.retired, "a key that was retired already")
        _require(said.season == season, "a key that is not void from the next season on")
        self.retired[said.key] = said

    def answer(self, said: KeyAnswered) -> None:
        """A member answers to that, once."""
        retired = self.retired.get(said.key)
        mine = retired is not None and retired.member == said.member
        _require(mine, "an answer about no key of its that was retired")
        _require(said.key not in self._answered, "a second answer about a key")
        self._answered.add(said.key)

    def restore(self, said: KeyRestored, entry: int, season: int) -> None:
        """The operator confirms the key of a member that lost its own."""
        _require(said.member in self._keys, "a key for nobody that is a member")
        self._bring(said.member, said.key, entry)
        self._restored.setdefault(said.member, []).append(Restored(entry, season))

    def _bring(self, member: str, key: str, entry: int) -> None:
        _require(key not in self._owners, "a key that was somebody's already")
        self._owners[key] = member
        self._since.setdefault(member, []).append(entry)
        self._keys.setdefault(member, []).append(key)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise LedgerError(otherwise)
