"""A member's keys: the one it signs with, the next one until it is accepted, and those before.

member.key     signs for the member (600)        next.key       takes its place once accepted (600)
old-*.key      signed for it before (600)        keys.json      the public part of all of them

A request of the operator's names the key that the ledger has of the member. Only then does the next
key become the member's own: whenever it stops, it has both. No key is ever removed, since a ledger
that was restored from a backup may have an older one.
"""

import os
from contextlib import suppress
from pathlib import Path

from ...errors import InputError
from ...io import limits
from ...io.files import alone, keep_names, reason, write_whole
from ...io.regular import read_bytes
from ..agreement.key_change import key_answer, new_key
from ..wire.document import FORMAT, Hash, Stored
from ..wire.keys import Key, keep_secret, read_secret

CURRENT, NEXT, PUBLIC = "member.key", "next.key", "keys.json"

_OLD = "old-{}.key"


class OwnKeys(Stored):
    """The public keys of all that a member made, in order."""

    keys: list[Hash]


class KeyRing:
    """The keys in a member's directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._current: Key | None = None

    @property
    def current(self) -> Key:
        """The key that the member signs with; drawn when it is first needed."""
        if self._current is None:
            needs = sorted(self._directory.glob("season-*/contract.json"))
            self._current = self._noted(keep_secret(self._directory / CURRENT, *needs))
        return self._current

    def next(self) -> Key:
        """The key that is to take its place; drawn when it is first needed, and then the same."""
        return self._noted(keep_secret(self._directory / NEXT))

    def find(self, public: str) -> Key:
        """Its own key with this public one; refused where it has none."""
        if (found := self._look(public)) is None:
            raise InputError(
                f"the ledger has a key of this member that does not lie here ({public[:16]}); put "
                "it back, or ask the operator who replaced it"
            )
        return found

    def has(self, public: str) -> bool:
        """Whether it has the key with this public one."""
        return self._look(public) is not None

    def expected(self, public: str) -> Key:
        """The same; the next key is the member's from now on if this is it."""
        key, path = self.find(public), self._directory / CURRENT
        if key.public != self.current.public and self._is_next(public):
            try:
                with suppress(FileExistsError):
                    os.link(path, path.with_name(_OLD.format(self.current.public[:16])))
                (self._directory / NEXT).replace(path)
                keep_names(self._directory)
            except OSError as error:
                raise InputError(f"{path}: cannot be replaced ({reason(error)})") from None
            self._current = key
        return key

    def public(self) -> list[str]:
        """All keys that were made here, as far as they were noted."""
        path = self._directory / PUBLIC
        if not path.exists():
            return []
        try:
            return OwnKeys.read(read_bytes(path, limits.KEPT, self._directory)).keys
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({reason(error)}); restore it") from None
        except InputError as error:
            raise InputError(f"{path}: {error}; restore it") from None

    def _look(self, public: str) -> Key | None:
        if public == self.current.public:
            return self.current
        for name in (NEXT, CURRENT, _OLD.format(public[:16])):  # member.key: put there by another
            path = self._directory / name
            if path.exists() and (key := Key(read_secret(path))).public == public:
                return key
        return None

    def _is_next(self, public: str) -> bool:
        path = self._directory / NEXT
        return path.exists() and Key(read_secret(path)).public == public

    def _noted(self, secret: bytes) -> Key:
        key, known = Key(secret), self.public()
        if key.public not in known:
            noted = OwnKeys(format=FORMAT, keys=[*known, key.public])
            write_whole(self._directory / PUBLIC, noted.encoded())
        return key


def make_new_key(directory: Path, consortium: str, member: str) -> Path:
    """Write what the operator is to accept for the member to have a new key.

    Made again before that was accepted, it is the same.
    """
    with alone(directory, wait=True):
        ring, path = KeyRing(directory), directory / f"{member}.key.json"
        made = new_key(consortium, member, ring.current, ring.next())
        write_whole(path, made.encoded())
    return path


def make_answer(directory: Path, consortium: str, member: str, words: str) -> Path:
    """Write what a member says to the operator's word that its key is void."""
    with alone(directory, wait=True):
        own, path = KeyRing(directory).current, directory / f"{member}.answer.json"
        made = key_answer(consortium, member, own, own.public, words)
        write_whole(path, made.encoded())
    return path
