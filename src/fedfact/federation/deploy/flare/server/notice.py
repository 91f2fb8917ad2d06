"""Two small files in the server's workspace by which supervisor and controller speak to each other.

The supervisor sees the sites, the controller has the protocol; both are on the operator's machine.
``notice.json``: the supervisor says which members this job has lost, and when the job is to end.
``outcome.json``: the controller says that the protocol has returned, long before FLARE has put the
job away, and why.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .....io.files import read_text, write_json


@dataclass(frozen=True, slots=True)
class Notice:
    """What the supervisor has to say to a job."""

    job: str
    gone: tuple[str, ...] = ()
    end: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the protocol has returned in a job.

    It came to its end, was told to stop, paused because too few members were there, was refused for
    a reason that another try cannot help (the words say which), or failed.
    """

    job: str
    how: Literal["done", "stopped", "paused", "refused", "failed"]
    words: str = ""


class Board:
    """The two files of one server."""

    def __init__(self, workspace: Path) -> None:
        self._notice, self._outcome = workspace / "notice.json", workspace / "outcome.json"
        self._seen: tuple[int, int] | None = None

    def say(self, notice: Notice) -> None:
        """Put up a notice in place of the last one."""
        document = {"job": notice.job, "gone": list(notice.gone), "end": notice.end}
        write_json(self._notice, document)

    def news(self, job: str) -> Notice | None:
        """The notice for this job, if there is one that was not read yet."""
        try:
            about = self._notice.stat()
        except OSError:
            return None
        if self._seen == (about.st_mtime_ns, about.st_ino):
            return None
        self._seen = (about.st_mtime_ns, about.st_ino)
        said = _read(self._notice)
        if said is None or said.get("job") != job:
            return None
        return Notice(job, tuple(said["gone"]), bool(said["end"]))

    def report(self, outcome: Outcome) -> None:
        """Say how the protocol has returned."""
        write_json(self._outcome, {"job": outcome.job, "how": outcome.how, "words": outcome.words})

    def outcome(self, job: str) -> Outcome | None:
        """How the protocol has returned in this job, if it has."""
        said = _read(self._outcome)
        if said is None or said.get("job") != job:
            return None
        return Outcome(job, said["how"], said["words"])


def _read(path: Path) -> dict[str, Any] | None:
    try:
        said: dict[str, Any] = json.loads(read_text(path, "what start wrote"))
    except (OSError, ValueError):
        return None
    return said
