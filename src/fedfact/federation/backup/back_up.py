"""A directory is copied into a backup as it stands at one moment, though it may be at work.

Of the operator's the ledger is read first, whole; a model is then taken that fits its last round.
Of the member's a file that others refer to comes before those that only grow. What comes late in
this way is written anew, or done again, when the protocol goes on.
"""

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from ...errors import InputError
from ...io import limits
from ...io.files import check_output, reason, whole_file
from ...io.regular import open_regular, read_bytes
from ..agreement.consortium import Consortium
from ..ledger.entry import Entry
from ..ledger.export import export
from ..ledger.state import LedgerState, replay
from ..ledger.store import read_ledger
from ..member.config import read_member_config
from ..member.files import MemberFiles, seasons_kept
from ..operator.directory import CONSORTIUM, ledger_place, read_stored, refuse_lost_ledger
from ..wire.canonical import digest
from ..wire.document import FORMAT
from .packed import About, Piece, packed
from .sealed import CHUNK, Sealer, check_passphrase

LEDGER = "ledger.jsonl"
"""The ledger in a backup, wherever it was."""

ENDING, CONFIG = ".backup", "member.toml"

_DATABASE = ("ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db-journal", "ledger.url")
LEFT_OUT = ("flare", *_DATABASE)
"""What a backup does not have: FLARE's, written anew at every start, and where the ledger is."""

_FIRST = ("next.key", "training.bin")  # each before what takes its place, or grows with it
_TORN = ".part"  # what a process left that was killed while it wrote
_TRIES, _PAUSE = 50, 0.2


@dataclass
class BackedUp:
    """What is in a backup: how many files, the entries of the ledger, links that were left out."""

    files: int = 0
    entries: int | None = None
    links: list[str] = field(default_factory=list)


def back_up(directory: Path, output: Path, passphrase: str) -> BackedUp:
    """Write an operator's or a member's directory to an encrypted file."""
    check_output(output, (ENDING,))
    check_passphrase(passphrase)
    if output.resolve().is_relative_to(directory.resolve()):
        raise InputError(f"{output}: lies in {directory}; keep a backup somewhere else")
    about, extra = _about(directory)
    done = BackedUp(entries=about.entries)
    with whole_file(output, private=True) as file:
        sealer = Sealer(file, passphrase)
        sealer.write(packed(about))
        _add(extra, "", sealer)
        for part, place in _parts(directory, done, {*extra}):
            _copy(part, place, sealer, done)
            if part.size is None:
                _add(extra, part.path, sealer)
        sealer.close()
    return done


def _add(extra: Mapping[str, bytes], folder: str, sealer: Sealer) -> None:
    """What of these lies in this folder."""
    for path, data in extra.items():
        if path.rpartition("/")[0] == folder:
            sealer.write(packed(Piece(path=path, mode=0o600, size=len(data))))
            sealer.write(data)


def _about(directory: Path) -> tuple[About, dict[str, bytes]]:
    """What the directory is, and what of it is not copied file by file."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    if (directory / CONSORTIUM).is_file():
        consortium = read_stored(directory / CONSORTIUM, Consortium)
        entries, model = _ledger(directory)
        about = About(
            format=FORMAT,
            of="operator",
            consortium=consortium.hash(),
            time=now,
            entries=len(entries),
        )
        return about, {LEDGER: export(entries)} | model
    if (directory / CONFIG).is_file():
        read_member_config(directory / CONFIG)
        joined = seasons_kept(directory)
        named = MemberFiles(directory).published().consortium if joined else None
        return About(format=FORMAT, of="member", consortium=named, time=now, entries=None), {}
    raise InputError(
        f"{directory}: is no operator's directory, nor a member's with its {CONFIG}; name one"
    )


def _ledger(directory: Path) -> tuple[list[Entry], dict[str, bytes]]:
    """The entries, and the model of the last round of a season that is on; they fit each other."""
    place = ledger_place(directory)
    refuse_lost_ledger(directory)
    if "://" not in place and not Path(place).exists():
        return [], {}
    for _ in range(_TRIES):
        entries = read_ledger(place)
        state = replay(entries)
        model = _model_of(state, directory)
        if model is not None:
            return entries, model
        time.sleep(_PAUSE)
    raise InputError(
        f"{directory}: lacks the model of the last round in its ledger, or is written to all the "
        "time; stop the operator first, or restore the model"
    )


def _model_of(state: LedgerState, directory: Path) -> dict[str, bytes] | None:
    """The model by its path, nothing where none is needed; None where it is not there."""
    if not state.seasons or not state.season.rounds or state.season.phase == "finished":
        return {}
    last = state.season.rounds[-1]
    path = f"season-{state.season.number}/models/round-{last.round}.bin"
    try:
        data = read_bytes(directory / path, limits.MODEL)
    except OSError:
        return None
    return {path: data} if digest(data) == last.model else None


def _parts(directory: Path, done: BackedUp, there: set[str]) -> Iterator[tuple[Piece, Path]]:
    """Folders before what is in them; files in an order that fits."""
    for folder, names, files in os.walk(directory):
        here = Path(folder)
        if here == directory:
            names[:] = [name for name in names if name not in LEFT_OUT]
            files = [name for name in files if name not in LEFT_OUT]
        names.sort()
        for name in [*names]:
            if (here / name).is_symlink():
                done.links.append(str((here / name).relative_to(directory)))
                names.remove(name)
        if here != directory:
            inside = here.relative_to(directory).as_posix()
            yield Piece(path=inside, mode=here.stat().st_mode & 0o777, size=None), here
        for name in sorted(files, key=lambda name: (name not in _FIRST, name)):
            place = here / name
            path = place.relative_to(directory).as_posix()
            if place.is_symlink():
                done.links.append(path)
            elif path not in there and not name.endswith(_TORN) and place.is_file():
                yield Piece(path=path, mode=0, size=0), place


def _copy(part: Piece, place: Path, sealer: Sealer, done: BackedUp) -> None:
    """One folder, or one file as long as it is when it is opened."""
    if part.size is None:
        sealer.write(packed(part))
        return
    try:
        with open_regular(place, limits.MODEL) as file:
            about = os.fstat(file.fileno())
            size, mode = about.st_size, about.st_mode & 0o777
            sealer.write(packed(part.model_copy(update={"size": size, "mode": mode})))
            _stream(file, size, sealer, place)
    except FileNotFoundError:
        return  # removed, or renamed to what comes later
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({reason(error)})") from None
    done.files += 1


def _stream(file: IO[bytes], size: int, sealer: Sealer, place: Path) -> None:
    while size:
        data = file.read(min(size, CHUNK))
        if not data:
            raise InputError(f"{place}: became shorter while it was copied; try again")
        sealer.write(data)
        size -= len(data)
