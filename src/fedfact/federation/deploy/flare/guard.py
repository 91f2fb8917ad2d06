"""One process at a time for one workspace, and none that outlives the process that started it.

A command starts FLARE, and FLARE starts a process for each job. When one of them is killed those
below it would live on, hold the member's files and answer for it. So each watches its parent, from
its first instruction (see ``process_entry``), and ends itself when that is gone; and each waits
until its predecessor has ended.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from ....errors import InputError
from ....io.files import alone, reason

_LOOK = 0.25
_DEATH = 5.0  # seconds that the system may take to clear away a process that was killed


def command(kind: str, *words: str) -> list[str]:
    """How to start a process of this kind below this one: by the one entry (see ``process_entry``).

    Nothing is imported from the directory it starts in, which may be anybody's.
    """
    entry = [sys.executable, "-P", "-u", "-m", f"{__package__}.process_entry"]
    return [*entry, kind, str(os.getpid()), *words]


def end_below(pid: int) -> None:
    """End the processes that this one started, and those that they started."""
    _end(_below(pid))


def end_with_below(pid: int) -> None:
    """End this process and all below it, from the top down.

    FLARE tells the server of a job's process that has ended, and the server ends the job for
    everybody. So the process that would tell goes first.
    """
    try:
        top = psutil.Process(pid)
    except psutil.NoSuchProcess:
        return
    _end([top, *_below(pid)])


def _below(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _end(processes: list[psutil.Process]) -> None:
    """Kill them in this order and wait until all have ended.

    A killed process goes on holding its files and locks until the system has cleared it away.
    """
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    deadline = time.monotonic() + _DEATH
    while any(map(is_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.01)


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs; one whose end its parent has only not taken note of does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def end_with_parent(parent: int) -> None:
    """Watch the parent from now on; when it is gone, end this process and all below it.

    Linux could end it without being asked twice (``PR_SET_PDEATHSIG``), but would do so when the
    thread that started it ends, and would leave alone what is below.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        try:
            end_below(os.getpid())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="fedfact-parent", daemon=True).start()


def hold(workspace: Path, name: str) -> Callable[[], None]:
    """Wait until no other process has this lock, and take it; returns how to let go.

    The system lets go of it when the process ends, however it ends.
    """
    lock, stack = workspace / f"{name}.lock", ExitStack()
    try:
        lock.touch()
        stack.enter_context(alone(lock, wait=True))
    except OSError as error:
        raise _barred(lock, error) from None
    return stack.close


@contextmanager
def only_one(lock: Path, taken: str, remedy: str) -> Iterator[None]:
    """Have this lock, or say that it is taken, by which process, and what to do."""
    with ExitStack() as stack:
        try:
            lock.touch()
            stack.enter_context(alone(lock, wait=False))
            lock.write_text(f"{os.getpid()}\n")
        except OSError as error:
            raise _barred(lock, error) from None
        except InputError:
            holder = lock.read_text().strip() or "unknown"
            raise InputError(f"{taken} (process {holder}); {remedy}") from None
        yield


def _barred(lock: Path, error: OSError) -> InputError:
    return InputError(f"{lock}: cannot be written ({reason(error)}); see to its rights, or to room")
