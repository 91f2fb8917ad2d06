"""A member's keys over the years: how one takes the place of another, and who says so.

A member replaces its key by itself: the old key and the new one both sign that. The operator can
declare a key void from the next season on, with a reason that the member can answer. A member that
has no key left makes a new one, which proves itself; that it is the member's is the operator's
word, and the ledger says so. What is signed names the consortium: it is worth nothing in another.
"""

from typing import Annotated

from pydantic import Field

from ...errors import InputError
from ..wire.canonical import canonical
from ..wire.document import FORMAT, Hash, Name, Signature, Stored, Words
from ..wire.keys import Key, is_signed

_OLD, _NEW, _ANSWER, _REQUEST = "replaced key", "new key", "key answer", "request"
"""What each signature is for."""


class NewKey(Stored):
    """What a member hands in that replaces its key: signed by the key it had, and by the new one.

    ``said`` is the old key's signature, ``proof`` the new one's.
    """

    consortium: Hash
    member: Name
    replaces: Hash
    key: Hash
    said: Signature
    proof: Signature

    def check(self) -> None:
        """Refuse one that the owner of both keys did not sign."""
        check_new_key(self.consortium, self.member, self.replaces, self.key, self.said, self.proof)


class KeyAnswer(Stored):
    """What a member says to the operator's word that a key of its is void from then on."""

    consortium: Hash
    member: Name
    key: Hash
    words: Annotated[Words, Field(min_length=1)]
    said: Signature


def new_key(consortium: str, member: str, old: Key, new: Key) -> NewKey:
    """A change of keys, signed by both."""
    part = _change(consortium, member, old.public, new.public)
    return NewKey(
        format=FORMAT,
        consortium=consortium,
        member=member,
        replaces=old.public,
        key=new.public,
        said=old.sign(_OLD, part),
        proof=new.sign(_NEW, part),
    )


def check_new_key(
    consortium: str, member: str, replaces: str, key: str, said: str, proof: str
) -> None:
    """Refuse a change that the owner of either key did not sign."""
    part = _change(consortium, member, replaces, key)
    if not is_signed(replaces, _OLD, part, said):
        raise InputError(f"a new key for {member} that the owner of its key did not sign")
    if not is_signed(key, _NEW, part, proof):
        raise InputError(f"a new key for {member} of somebody who does not have it")


def key_answer(consortium: str, member: str, key: Key, void: str, words: str) -> KeyAnswer:
    """What a member says, signed with a key of its, to the word that the key ``void`` is so."""
    said = key.sign(_ANSWER, _answer(consortium, member, void, words))
    return KeyAnswer(
        format=FORMAT, consortium=consortium, member=member, key=void, words=words, said=said
    )


def is_answer_by(
    public: str, consortium: str, member: str, void: str, words: str, said: str
) -> bool:
    """Whether the owner of this public key said so."""
    return is_signed(public, _ANSWER, _answer(consortium, member, void, words), said)


def request_proof(key: Key, member: str, tls: str) -> str:
    """With which a member that asks to be let in proves that it has a key.

    ``tls``: the hash of what it connects with.
    """
    return key.sign(_REQUEST, _request(member, key.public, tls))


def is_requested(public: str, member: str, tls: str, proof: str) -> bool:
    """Whether the owner of this public key made such a request."""
    return is_signed(public, _REQUEST, _request(member, public, tls), proof)


def _change(consortium: str, member: str, replaces: str, key: str) -> bytes:
    named = {"consortium": consortium, "member": member}
    return canonical(named | {"replaces": replaces, "key": key})


def _answer(consortium: str, member: str, void: str, words: str) -> bytes:
    return canonical({"consortium": consortium, "member": member, "key": void, "words": words})


def _request(member: str, key: str, tls: str) -> bytes:
    return canonical({"member": member, "key": key, "tls": tls})
