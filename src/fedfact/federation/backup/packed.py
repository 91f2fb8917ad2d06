"""What is inside a backup: a document about the whole, then each folder and file in turn.

Every part begins with the length of its document (4 bytes) and the document (canonical JSON), which
says the path, the mode and, of a file, how many bytes follow. A path has plain names only, so
nothing it names lies outside the directory; there are no links; nothing is compressed.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ...errors import InputError
from ...io import limits
from ..wire.document import Document, Hash, Stored
from .sealed import CHUNK, Read

_MOST = 8192
_BARRED = ("", ".", "..")


def _relative(path: str) -> str:
    names = path.split("/")
    plain = all(name not in _BARRED and name.isprintable() for name in names)
    if not plain or "\\" in path or ":" in names[0] or any(len(name) > 255 for name in names):
        raise InputError(f"{path[:80]!r} is no path inside a directory")
    return path


class About(Stored):
    """Whose directory it is, and when it was copied."""

    of: Literal["operator", "member"]
    consortium: Hash | None
    time: Annotated[str, Field(max_length=40)]
    entries: Annotated[int, Field(ge=0)] | None


class Piece(Document):
    """A folder, or a file and how long it is."""

    path: Annotated[str, Field(max_length=4096), AfterValidator(_relative)]
    mode: Annotated[int, Field(ge=0, le=0o777)]
    size: Annotated[int, Field(ge=0, le=limits.MODEL)] | None


def packed(document: Document) -> bytes:
    """A document as it stands in a backup."""
    data = document.encoded()
    return len(data).to_bytes(4, "big") + data


def read_about(read: Read) -> About:
    """What the backup says of itself."""
    if (data := _document(read)) is None:
        raise InputError("the backup is empty")
    return About.read(data)


def read_parts(read: Read) -> Iterator[tuple[Piece, Iterator[bytes]]]:
    """All parts with their bytes, which are to be taken before the next part is."""
    seen: dict[str, bool] = {}  # whether it is a folder
    while (data := _document(read)) is not None:
        part = Piece.read(data)
        above = part.path.rpartition("/")[0]
        if part.path in seen or (above and not seen.get(above, False)):
            raise InputError(f"{part.path}: comes twice, or before the folder that it is in")
        seen[part.path] = part.size is None
        yield part, _bytes(read, part)


def _bytes(read: Read, part: Piece) -> Iterator[bytes]:
    left = part.size or 0
    while left:
        data = read(min(left, CHUNK))
        if not data:
            raise InputError(f"{part.path}: ends before its last byte")
        left -= len(data)
        yield data


def _document(read: Read) -> bytes | None:
    """The next document; None at the end."""
    length = read(4)
    if not length:
        return None
    size = int.from_bytes(length, "big")
    data = read(size) if size <= _MOST else b""
    if len(data) != size:
        raise InputError("a part that does not say what it is")
    return data
