"""What passes between operator and members: canonical documents, signatures, messages."""

from .canonical import canonical, digest, read_canonical
from .document import Document
from .keys import Key, is_signed, keep_secret, read_secret
from .message import Evidence, Message, read_message, write_message
from .transport import Failure, Handler, InProcess, Stopped, Transport

__all__ = [
    "Document",
    "Evidence",
    "Failure",
    "Handler",
    "InProcess",
    "Key",
    "Message",
    "Stopped",
    "Transport",
    "canonical",
    "digest",
    "is_signed",
    "keep_secret",
    "read_canonical",
    "read_message",
    "read_secret",
    "write_message",
]
