"""Checkpoints: written whole or not at all, and checked before they are believed."""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import torch

from ..files import whole_file
from ..mechanism import InputError

_END = b"fedfact checkpoint 1\n"
_TAIL = 32 + len(_END)


class _Hashing:
    """A file that keeps the SHA-256 of what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.sha256 = file, hashlib.sha256()

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


class Checkpoint:
    """One file with the state of one training.

    Its last bytes are the SHA-256 of all before, so that a torn or changed file is never loaded.
    ``job`` says which training it is of; another training's checkpoint is refused. It is written
    after ``every`` epochs, so no more than that is lost when the process is killed.
    """

    def __init__(
        self,
        path: Path,
        job: dict[str, Any],
        every: int = 1,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        if every < 1:
            raise InputError(f"checkpoints are to be {every} epochs apart; take 1 or more")
        self.path, self.job, self.every, self._note = path, job, every, note

    def is_due(self, before: int, epoch: int) -> bool:
        """Whether to save now, with so many epochs done a moment ago and so many now."""
        return epoch // self.every > before // self.every

    def save(self, state: dict[str, Any]) -> None:
        """Replace what was saved before."""
        try:
            with whole_file(self.path) as file:
                hashing = _Hashing(file)
                torch.save({"job": self.job, "state": state}, hashing)  # type: ignore[arg-type]
                file.write(hashing.sha256.digest() + _END)
        except OSError as error:
            raise self._refusal("cannot be written", error, "make room") from None

    def load(self) -> dict[str, Any] | None:
        """What was saved last, or None where there is nothing that can be used."""
        if not self.path.exists():
            return None
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise self._refusal("cannot be read", error, "make it readable") from None
        body, tail = data[:-_TAIL], data[-_TAIL:]
        if tail != hashlib.sha256(body).digest() + _END:
            self._note(f"{self.path}: is damaged and was not used; starting anew")
            return None
        saved = torch.load(io.BytesIO(body), map_location="cpu", weights_only=True)
        for name, value in self.job.items():
            if saved["job"].get(name) != value:
                raise InputError(
                    f"{self.path}: is of another training ({name}: {saved['job'].get(name)} there, "
                    f"{value} here); name another directory, or delete it to start anew"
                )
        state: dict[str, Any] = saved["state"]
        done = "finished" if state["finished"] else "unfinished"
        self._note(f"{self.path}: found {done}, going on from there")
        return state

    def _refusal(self, problem: str, error: OSError, remedy: str) -> InputError:
        reason = (error.strerror or "unknown error").lower()
        return InputError(f"{self.path}: {problem} ({reason}); {remedy}, or name another directory")
