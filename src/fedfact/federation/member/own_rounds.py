"""What a member keeps of its rounds: the last one whole, and a line for each before it.

training.bin  the last round: request, reply, optimiser; written anew with every round
rounds.jsonl  the rounds before it; only added to

A line is added before training.bin is written, which says how long rounds.jsonl is and what it
hashes to, line after line. What a crash left beyond that length does not count, and is written
over. So a round takes as long, and as many bytes, however many came before it.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ...errors import InputError
from ...io import limits
from ...io.files import reason, write_whole
from ...io.regular import read_bytes
from ..agreement.delivery import Round
from ..wire.canonical import digest
from ..wire.document import Document, Hash, SampleCount

LAST, EARLIER = "training.bin", "rounds.jsonl"

_MAGIC = b"fedfact training 2\n"
_NO_LINES = "0" * 64


class OwnRound(Document):
    """A round that it answered: the distinct samples it had used, and whether that took it long."""

    round: Round
    used: SampleCount
    late: bool


class _Kept(Document):
    """What training.bin holds before reply and state.

    ``length`` and ``chain``: how long the lines are, and what they hash to.
    """

    request: Hash
    own: OwnRound
    reply: Annotated[int, Field(ge=0)]
    length: Annotated[int, Field(ge=0)]
    chain: Hash


@dataclass(frozen=True, slots=True)
class LastRound:
    """What a member answered last, to answer the same if asked again, and how to go on."""

    request: str
    own: OwnRound
    reply: bytes
    state: bytes

    @property
    def round(self) -> int:
        """The last round it took part in."""
        return self.own.round

    @property
    def used(self) -> int:
        """The distinct samples it had used by then."""
        return self.own.used


def keep_round(directory: Path, last: LastRound) -> None:
    """Keep a round, whole or not at all; the one that was the last becomes a line.

    A round that is asked for again takes the place of what was kept of it. That it once was late
    stays known.
    """
    found, own, length, chain = _last(directory), last.own, 0, _NO_LINES
    if found is not None:
        kept, _ = found
        length, chain = kept.length, kept.chain
        if kept.own.round == own.round:
            own = own.model_copy(update={"late": own.late or kept.own.late})
        else:
            line = kept.own.encoded() + b"\n"
            _add(directory / EARLIER, length, line)
            length, chain = length + len(line), chained(chain, line)
    write_last(directory, replace(last, own=own), length, chain)


def write_last(directory: Path, last: LastRound, length: int, chain: str) -> None:
    """Write training.bin, where the lines before it have so many bytes and hash to this."""
    reply = len(last.reply)
    kept = _Kept(request=last.request, own=last.own, reply=reply, length=length, chain=chain)
    about = kept.encoded()
    data = _MAGIC + len(about).to_bytes(4, "big") + about + last.reply + last.state
    write_whole(directory / LAST, data + bytes.fromhex(digest(data)))


def last_round(directory: Path) -> LastRound | None:
    """The last round it took part in."""
    found = _last(directory)
    return None if found is None else found[1]


def own_rounds(directory: Path) -> list[OwnRound]:
    """All rounds that it answered, in order."""
    found = _last(directory)
    if found is None:
        return []
    kept, last = found
    path, chain = directory / EARLIER, _NO_LINES
    try:
        lines = read_bytes(path, limits.KEPT, directory)[: kept.length] if kept.length else b""
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}); restore it") from None
    for line in lines.splitlines(keepends=True):
        chain = chained(chain, line)
    if chain != kept.chain:
        raise InputError(f"{path}: is not as the member wrote it; restore it")
    rounds = [OwnRound.read(line) for line in lines.splitlines()]
    return [*rounds, last.own]


def go_back(directory: Path, until: int, state: bytes) -> None:
    """Keep the rounds up to this one only, and the state to go on from behind them.

    What was replied in the last of them is not known any more.
    """
    rounds = [each for each in own_rounds(directory) if each.round <= until]
    if not rounds:
        (directory / LAST).unlink(missing_ok=True)
        (directory / EARLIER).unlink(missing_ok=True)
        return
    length, chain = 0, _NO_LINES
    for each in rounds[:-1]:
        line = each.encoded() + b"\n"
        length, chain = length + len(line), chained(chain, line)
    write_last(directory, LastRound(_NO_LINES, rounds[-1], b"", state), length, chain)


def _add(path: Path, length: int, line: bytes) -> None:
    """Write a line at the end of so many bytes, and cut off what a crash left there."""
    try:
        with path.open("r+b" if length else "wb") as file:
            if file.seek(0, os.SEEK_END) < length:
                raise InputError(f"{path}: lacks rounds that were kept; restore it")
            file.seek(length)
            file.write(line)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({reason(error)})") from None


def chained(chain: str, line: bytes) -> str:
    """What the lines hash to with one more."""
    return digest(chain.encode() + line)


def _last(directory: Path) -> tuple[_Kept, LastRound] | None:
    path = directory / LAST
    if not path.exists():
        return None
    try:
        data = read_bytes(path, limits.MODEL, directory)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)})") from None
    body, end = data[:-32], len(_MAGIC) + 4
    try:
        if not data.startswith(_MAGIC) or digest(body) != data[-32:].hex():
            raise InputError("is damaged; leave the federation if it cannot be mended")
        reply = end + int.from_bytes(body[end - 4 : end], "big")
        kept = _Kept.read(body[end:reply])
    except InputError as error:
        raise InputError(f"{path}: {error}; restore it") from None
    state = reply + kept.reply
    return kept, LastRound(kept.request, kept.own, body[reply:state], body[state:])
