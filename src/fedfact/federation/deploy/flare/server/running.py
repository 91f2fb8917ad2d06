"""A federation's operator at work: FLARE is supervised, and the ledger watched beside it."""

import time
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from .....errors import DeploymentError, InputError
from .....io.files import reason, write_whole
from ....ledger.season import SeasonState
from ....ledger.state import replay
from ....operator.directory import FINISH, OperatorDirectory, ledger_place
from ....operator.forewarning import forewarnings
from ....operator.members import Membership
from ....operator.overview import Watch, overview
from ....operator.session import Paused
from .status import Status, read_status
from .supervise import supervise

_LOOK = 0.25
_PATIENCE = 30.0

Show = Callable[[dict[str, Any] | None, Status], None]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: how the federation stands, and in words why it is not over, if it is not."""

    overview: dict[str, Any] | None
    unfinished: str | None = None


def run_operator(
    directory: Path,
    show: Show,
    patience: float,
    finish: bool = False,
    warn: Callable[[str], None] = lambda words: None,
) -> Ending:
    """Run the federation until all members have what they are owed.

    It ends before that where somebody says stop, where too few members are there to go on, and
    where it is settled and those that still wait for their statements do not come.
    ``finish``: train no more, and settle what was delivered so far. ``warn`` is told what the
    operator should know before.
    """
    # Before there is a watch: a file that SQLite has open is not to be opened beside it and closed,
    # which would end SQLite's locks on it, and then the writer would throw away what it reads from.
    members = Membership.of(directory).admitted
    with OperatorDirectory(directory) as opened:
        quorum, folder = opened.published.conduct.quorum, opened.season
        watch = Watch(ledger_place(directory), opened.published.season)
        for words in forewarnings(opened, replay(opened.ledger.entries()), finish):
            warn(words)

    def progress() -> int:
        watch.look()
        return -1 if watch.state.last is None else watch.state.last.number

    def finished() -> bool:
        watch.look()
        settled = all(season.settled is not None for season in watch.state.seasons)
        return watch.record is not None and settled and not missing()

    def missing() -> AbstractSet[str]:
        invited = frozenset() if watch.record is None else watch.record.sizes.keys()
        waits = [season.missing for season in watch.state.seasons]
        return frozenset().union(*waits) & invited

    def look(status: Status) -> None:
        watch.look()
        show(_said(watch), status)

    try:
        watch.look()
        if read_status(directory) is None:  # what runs there already is left alone
            set_finish(folder, watch.record, finish)
        if finish or (watch.record is not None and watch.record.deliveries):
            quorum = 1  # there are no rounds to come
        unfinished = None
        try:
            if not supervise(
                directory,
                quorum,
                finished,
                progress,
                members=members,
                missing=missing,
                show=look,
                patience=patience,
            ):
                unfinished = _still_owed(watch.record) or "stopped before the end"
        except Paused as pause:
            unfinished = str(pause)
        if watch.record is not None and watch.record.settled is not None:
            with suppress(OSError):
                (folder / FINISH).unlink()
        return Ending(_said(watch), unfinished)
    finally:
        watch.close()


def set_finish(season: Path, record: SeasonState | None, wanted: bool) -> None:
    """Have the protocol train no more, or take back that an earlier command wanted it."""
    mark = season / FINISH
    if wanted and (record is None or not (record.rounds or record.revealed)):
        raise InputError(
            f"{season.parent}: no round was trained yet, so there is nothing to settle; go on "
            "without --finish"
        )
    if wanted:
        write_whole(mark, b"")
        return
    try:
        mark.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{mark}: cannot be removed ({reason(error)}); remove it") from None


def _still_owed(record: SeasonState | None) -> str:
    """Of a settled season: who has not got what."""
    if record is None:
        return ""
    owed = [f"{member} has not got its {what}" for member, what in record.owed.items()]
    owed += [
        f"{member} has not signed the head of the ledger"
        for member in record.witnesses.waiting
        if member not in record.owed
    ]
    return f"settled, but {', '.join(owed)}" if owed else ""


def _said(watch: Watch) -> dict[str, Any] | None:
    return overview(watch.state) if watch.record is not None else None


def stop(directory: Path) -> None:
    """Tell the start that is at work in this directory to end, and wait until it has."""
    at_work = read_status(directory)
    if at_work is None:
        raise InputError(f"{directory}: nothing runs there; go on with fedfact federation resume")
    process = at_work[0]
    if process is None:
        raise InputError(f"{directory}: a start begins or ends there just now; try again soon")
    try:
        process.terminate()
    except psutil.NoSuchProcess:
        raise InputError(f"{directory}: process {process.pid} has just ended by itself") from None
    except psutil.AccessDenied:
        raise InputError(
            f"{directory}: process {process.pid} is another user's; let that one stop it"
        ) from None
    deadline = time.monotonic() + _PATIENCE
    while read_status(directory) is not None:
        if time.monotonic() > deadline:
            raise DeploymentError(f"{directory}: does not stop; end process {process.pid} by hand")
        time.sleep(_LOOK)
