"""Messages: signed, addressed, bound to one federation and one request, and bounded in size.

On the wire: the length of the head (4 bytes), the head (canonical JSON), its signature (64 bytes),
and a body of raw bytes, whose SHA-256 the head carries. The head of a reply names the request that
it answers, so a reply can neither be replayed nor be moved to another question.
"""

from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from .canonical import MOST, canonical, digest
from .document import Document, Hash, Name, Signature
from .keys import Key, is_signed

OPERATOR = "operator"
NOTHING = digest(b"")


class Head(Document):
    """All of a message but its body."""

    federation: Hash
    kind: Name
    sender: Name
    to: Name
    answers: Hash | None
    body: Hash
    content: dict[str, Any]


class Evidence(Document):
    """A head with its signature, as the ledger keeps it: who said what, for anybody to check."""

    head: str
    signature: Signature

    def read_head(self) -> Head:
        """The head, read: what was said."""
        return Head.read(self.head.encode())

    def is_by(self, public: str) -> bool:
        """Whether the owner of this public key said so."""
        return is_signed(public, "message", self.head.encode(), self.signature)


@dataclass(frozen=True, slots=True)
class Message:
    """A message that was read: what it says, what proves it, and its body."""

    head: Head
    evidence: Evidence
    body: bytes

    @property
    def hash(self) -> str:
        """Names this message; the body is part of it through its SHA-256 in the head."""
        return digest(self.evidence.head.encode())

    def check(self, *, federation: str, kind: str, sender: str, to: str, public: str) -> None:
        """Refuse a message of another federation, kind, sender or receiver, or not so signed."""
        wanted = {"federation": federation, "kind": kind, "sender": sender, "to": to}
        for name, value in wanted.items():
            if getattr(self.head, name) != value:
                raise InputError(f"a message of another {name}: {getattr(self.head, name)!r}")
        if not self.evidence.is_by(public):
            raise InputError(f"a message that {sender} did not sign")


def write_message(
    key: Key,
    *,
    federation: str,
    kind: str,
    sender: str,
    to: str,
    content: dict[str, Any],
    answers: str | None = None,
    body: bytes = b"",
) -> bytes:
    """A signed message, ready to be sent."""
    fields = {"federation": federation, "kind": kind, "sender": sender, "to": to}
    head = canonical(fields | {"answers": answers, "body": digest(body), "content": content})
    signature = bytes.fromhex(key.sign("message", head))
    return len(head).to_bytes(4, "big") + head + signature + body


def read_message(data: bytes, most_body: int = 0) -> Message:
    """Take a message apart; who signed it is for `Message.check` to say."""
    length = int.from_bytes(data[:4], "big")
    if len(data) < 4 + 64 or length > MOST or len(data) < 4 + length + 64:
        raise InputError("a message that is cut short or has too long a head")
    if len(data) - 4 - length - 64 > most_body:
        raise InputError(f"a message whose body is longer than the {most_body} bytes allowed")
    head, signature = data[4 : 4 + length], data[4 + length : 4 + length + 64]
    body = data[4 + length + 64 :]
    read = Head.read(head)
    if read.body != digest(body):
        raise InputError("a message whose body is not the one that was signed")
    return Message(read, Evidence(head=head.decode(), signature=signature.hex()), body)
