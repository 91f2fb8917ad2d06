"""When a season is over for a member: it has answered its statement, and the operator has ended.

A settlement may be reversed and made anew, so a member stays as long as the server does.
"""

import time
from collections.abc import Callable
from pathlib import Path

from .....errors import DeploymentError
from ....member.files import MemberFiles
from ..kits.kit import Kit
from .admission import why_not_admitted

_GONE = 10.0  # seconds without a server, after which it was not only started anew
_ASK = 2.0


def how_it_ended(files: MemberFiles) -> str | None:
    """In words, that a season is over and what comes next; None where it goes on."""
    told = files.statements()
    if told and files.answer(told[-1].settlement) is not None:
        has = f"your statement is in {files.folder / 'statements'}"
    elif not told and files.model() is not None:
        has = f"no money moves, and the model is {files.folder / 'model.bin'}"
    else:
        return None
    return f"season {files.season} is over: {has}; ask the operator for the kit of the next"


class SeasonsEnd:
    """Asked again and again: whether nothing more comes of this season.

    ``say`` is told once that it is over. What was over before is not looked at: who joins again
    waits for a settlement that is made anew.
    """

    def __init__(self, kit: Kit, directory: Path, say: Callable[[str], None]) -> None:
        self._kit, self._directory, self._say = kit, directory, say
        self._files = MemberFiles(directory, kit.terms.season)
        self._before, self._said = self._settlements(), False
        self._gone_since: float | None = None
        self._asked = 0.0

    def __call__(self) -> bool:
        """Whether the season is over, and the server has been gone for a while."""
        if self._settlements() == self._before:
            return False
        words = how_it_ended(self._files)
        if words is None:
            return False
        if not self._said:
            self._said = True
            self._say(words)
        now = time.monotonic()
        if now - self._asked < _ASK:
            return False
        self._asked = now
        if self._is_there():
            self._gone_since = None
            return False
        self._gone_since = self._gone_since or now
        return now - self._gone_since >= _GONE

    def _is_there(self) -> bool:
        try:
            return why_not_admitted(self._kit, self._directory) is None
        except DeploymentError:  # it has begun another season
            return False

    def _settlements(self) -> list[str]:
        """The names of what the member has got: one statement a settlement, and the model."""
        folder = self._files.folder
        found = [*folder.glob("statements/answer-*.json"), *folder.glob("model.bin")]
        return sorted(path.name for path in found)
