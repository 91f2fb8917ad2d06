"""Files: read as text or refused, written in full or not at all."""

import contextlib
import glob
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from ..errors import InputError
from . import limits
from .regular import read_bytes
from .regular import reason as reason

PART = ".part"  # how the name of a file ends that is being written


_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}){{{limits.TOML_PARTS}}}")
"""A dotted key of more parts than are read."""


def read_text(path: Path, wanted: str, most: int = limits.TEXT, within: Path | None = None) -> str:
    """The text of a file; ``wanted`` says what to give instead where there is none."""
    try:
        text = read_bytes(path, most, within, wanted).decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}); give {wanted}") from None
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(f"{path}: is not UTF-8 text; give {wanted}")
    return text


def read_small(path: Path, most: int, wanted: str) -> bytes:
    """The bytes of a file that others made: a regular one, and no larger than that."""
    try:
        return read_bytes(path, most, wanted=wanted)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}); give {wanted}") from None


def read_toml(
    path: Path, wanted: str = "a TOML file", within: Path | None = None
) -> dict[str, Any]:
    """The keys of a TOML file."""
    text = read_text(path, wanted, limits.TOML, within)
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(f"{path}, line {line}: a key of more than {limits.TOML_PARTS} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not TOML, or numbers of thousands of digits
        raise InputError(f"{path}: is not valid TOML ({error})") from None


def check_output(path: Path, formats: tuple[str, ...], inputs: tuple[Path, ...] = ()) -> None:
    """Refuse, before any work, a file that could not be written or that would replace an input."""
    if path.suffix.lower() not in formats:
        raise InputError(f"{path}: unknown format; end the name in {' or '.join(formats)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: the directory {path.parent} is not there; create it first")
    if path.is_dir():
        raise InputError(f"{path}: is a directory; name a file")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: the directory {path.parent} cannot be written to")
    if any(path.exists() and source.exists() and path.samefile(source) for source in inputs):
        raise InputError(f"{path}: is an input of this command; name another file")


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A file to write to, there in full when the block ends well, and not at all otherwise.

    A link leads to its target. A ``private`` one is for its owner alone.
    """
    path = path.resolve()
    try:
        with _beside(path, private) as file:
            yield file
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({reason(error)}); make room, or name another place"
        ) from None


@contextmanager
def _beside(path: Path, private: bool) -> Iterator[IO[bytes]]:
    """A file beside the path that takes its place in the end."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not private:  # as which it was made
            umask = os.umask(0)
            os.umask(umask)
            Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
        keep_names(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def keep_names(folder: Path) -> None:
    """Have the folder itself on the disk, so that a new name outlives a power cut."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def clear_torn(path: Path) -> None:
    """Remove what processes left that were killed while they wrote this file."""
    for torn in path.parent.glob(f".{glob.escape(path.name)}.*{PART}"):
        if torn.is_file():
            torn.unlink()


@contextmanager
def alone(folder: Path, *, wait: bool) -> Iterator[None]:
    """Wait until no other process has the folder, or refuse; where the system can tell."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise InputError(
                f"{folder}: another process is at work there; wait for it, or name another one"
            ) from None
        except OSError:
            pass  # some network file systems have no locks
        yield
    finally:
        os.close(lock)


def write_whole(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file so that it is there in full or not at all."""
    with whole_file(path, private=private) as file:
        file.write(data)


def printable(text: str) -> str:
    r"""The text on one line, without what a terminal would obey.

    >>> printable("red: \x1b[31m")
    'red:  [31m'
    """
    return "".join(letter if letter.isprintable() else " " for letter in text)


def log_line(path: Path, text: str) -> None:
    """Add a line with the time to a log; a log that cannot be written stops nothing."""
    with contextlib.suppress(OSError), path.open("a", encoding="utf-8") as file:
        file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {printable(text).strip()}\n")


def write_json(path: Path, document: Any) -> None:
    """Write a JSON document, a list of numbers on one line; NaN would be a fault of ours."""
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)
    text = re.sub(r"\[[^][{}\"]*\]", lambda numbers: " ".join(numbers[0].split()), text)
    write_whole(path, f"{text}\n".encode())
