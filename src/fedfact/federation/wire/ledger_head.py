"""The head of a ledger: its last entry, and the root of the tree over all entries, signed.

Who has a head can tell later whether the ledger still holds what it held then; who has two that
contradict each other has the proof, signed by the operator, that there were two ledgers.
"""

from typing import Annotated, Any, Self

from pydantic import Field

from .canonical import canonical
from .document import Document, Hash, Signature
from .keys import Key, is_signed

PURPOSE = "head"
COSIGNED = "cosigned head"


class LedgerHead(Document):
    """A head: the number and the hash of the last entry, and the root over all (`tree`)."""

    number: Annotated[int, Field(ge=0)]
    entry: Hash
    root: Hash
    signature: Signature

    @classmethod
    def signed(cls, key: Key, consortium: str, number: int, entry: str, root: str) -> Self:
        """The head of the consortium of this hash, as the operator signs it."""
        signature = key.sign(PURPOSE, signed_part(consortium, number, entry, root))
        return cls(number=number, entry=entry, root=root, signature=signature)

    def is_by(self, public: str, consortium: str) -> bool:
        """Whether the owner of this public key signed it, as a head of this consortium."""
        said = signed_part(consortium, self.number, self.entry, self.root)
        return is_signed(public, PURPOSE, said, self.signature)

    def agrees_with(self, other: "LedgerHead") -> bool:
        """Whether both say the same of the ledger, if they are of the same length."""
        return (self.number != other.number) or (self.entry, self.root) == (other.entry, other.root)


class Cosigned(Document):
    """A head that somebody else signed, too: a third party that will know it again."""

    key: Hash
    head: LedgerHead
    signature: Signature

    @classmethod
    def signed(cls, key: Key, consortium: str, head: LedgerHead) -> Self:
        """The head of the consortium of this hash, as the owner of the key signs it."""
        said = signed_part(consortium, head.number, head.entry, head.root)
        return cls(key=key.public, head=head, signature=key.sign(COSIGNED, said))

    def holds(self, consortium: str) -> bool:
        """Whether the owner of that key signed it, as a head of this consortium."""
        said = signed_part(consortium, self.head.number, self.head.entry, self.head.root)
        return is_signed(self.key, COSIGNED, said, self.signature)


def read_heads(data: bytes) -> list[LedgerHead]:
    """The heads in a file of them, one a line; a line that a crash cut short is left out."""
    return [LedgerHead.read(line) for line in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]]


def signed_part(consortium: str, number: int, entry: str, root: str) -> bytes:
    """What the operator signs."""
    head: dict[str, Any] = {"number": number, "entry": entry, "root": root}
    return canonical({"consortium": consortium, **head})
