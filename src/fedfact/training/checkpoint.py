"""Checkpoints: written whole or not at all, and checked before they are believed."""

import hashlib
import io
import json
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import torch

from ..errors import InputError
from ..io import limits
from ..io.files import reason, whole_file
from ..io.regular import open_regular, read_bytes

_END = b"fedfact checkpoint 2\n"
_TAIL = 32 + len(_END)
_SIZE = struct.Struct("<Q")
_MOST_ABOUT = 1 << 20


class _Hashing:
    """A file that keeps the SHA-256 of what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.sha256 = file, hashlib.sha256()
        self.failed: OSError | None = None

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        try:
            return self._file.write(data)
        except OSError as error:
            self.failed = error  # torch would make another error of it
            raise

    def flush(self) -> None:
        self._file.flush()


class Checkpoint:
    """One file with the state of one training.

    The state comes first, then ``job``, which says which training it is of, and last the SHA-256 of
    all before. So a torn or changed file is never loaded, and another training's is refused.
    It is written after every ``every`` epochs: no more is lost when the process is killed. With
    ``pause`` no sooner than so many seconds after the last time, for where an epoch takes less time
    than writing its state.
    """

    def __init__(
        self,
        path: Path,
        job: dict[str, Any],
        every: int = 1,
        note: Callable[[str], None] = lambda text: None,
        *,
        pause: float = 0.0,
    ) -> None:
        if every < 1:
            raise InputError(f"checkpoints are to be {every} epochs apart; take 1 or more")
        self.path, self.every, self._note = path, every, note
        self._pause, self._saved = pause, time.monotonic()
        self.job = json.loads(json.dumps(job))  # as it will be read: lists for tuples

    def is_due(self, before: int, epoch: int) -> bool:
        """Whether to save now, with so many epochs done a moment ago and so many now."""
        waited = time.monotonic() - self._saved >= self._pause
        return waited and epoch // self.every > before // self.every

    def save(self, state: dict[str, Any]) -> None:
        """Replace what was saved before."""
        about = json.dumps({"job": self.job, "finished": state["finished"]}).encode()
        with whole_file(self.path) as file:
            hashing = _Hashing(file)
            try:
                torch.save(state, hashing)  # type: ignore[arg-type]
            except RuntimeError:
                if hashing.failed is None:
                    raise
                raise hashing.failed from None
            hashing.write(about + hashlib.sha256(about).digest() + _SIZE.pack(len(about)))
            file.write(hashing.sha256.digest() + _END)
        self._saved = time.monotonic()

    def is_finished(self) -> bool:
        """Whether the training is over, by what its file says of itself. Another's is refused."""
        try:
            with open_regular(self.path, limits.MODEL) as file:
                size = file.seek(0, io.SEEK_END)
                file.seek(max(0, size - _MOST_ABOUT))
                about = _about(file.read())
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._unreadable(error) from None
        if about is None:
            return False
        for name, value in self.job.items():
            if about["job"].get(name) != value:
                raise InputError(
                    f"{self.path}: is of another training ({name}: {about['job'].get(name)} there, "
                    f"{value} here); name another directory, or delete it to start anew"
                )
        return bool(about["finished"])

    def load(self) -> dict[str, Any] | None:
        """What was saved last, or None where there is nothing that can be used."""
        if not self.path.exists():
            return None
        try:
            data = memoryview(read_bytes(self.path, limits.MODEL))
        except OSError as error:
            raise self._unreadable(error) from None
        end = len(data) - _TAIL
        if data[end:] != hashlib.sha256(data[: max(end, 0)]).digest() + _END:
            self._note(f"{self.path}: is damaged and was not used; starting anew")
            return None
        words = "finished" if self.is_finished() else "unfinished"
        with self.restoring():
            (length,) = _SIZE.unpack(data[end - _SIZE.size : end])
            body = io.BytesIO(data[: end - _SIZE.size - 32 - length])
            state = dict(torch.load(body, map_location="cpu", weights_only=True))
            if type(state["finished"]) is not bool:
                raise TypeError
        self._note(f"{self.path}: found {words}, going on from there")
        return state

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Refuse a state that the block cannot use.

        Somebody else wrote it, or another version did; its SHA-256 may be right all the same.
        """
        try:
            yield
        except InputError:
            raise
        except Exception:  # whatever torch makes of it
            raise InputError(
                f"{self.path}: is not as this version writes checkpoints; delete it to start anew"
            ) from None

    def _unreadable(self, error: OSError) -> InputError:
        return InputError(
            f"{self.path}: cannot be read ({reason(error)}); make it readable, or name another "
            "directory"
        )


def _about(tail: bytes) -> dict[str, Any] | None:
    """What a file that ends so says of itself, or None if it is no checkpoint or torn."""
    end = len(tail) - _TAIL
    if end < _SIZE.size or not tail.endswith(_END):
        return None
    (length,) = _SIZE.unpack(tail[end - _SIZE.size : end])
    end -= _SIZE.size + 32
    about = tail[max(0, end - length) : max(0, end)]
    if hashlib.sha256(about).digest() != tail[max(0, end) : end + 32]:
        return None
    try:
        said = json.loads(about)
    except (ValueError, RecursionError):
        return None
    sound = isinstance(said, dict) and isinstance(said.get("job"), dict) and "finished" in said
    return said if sound else None
