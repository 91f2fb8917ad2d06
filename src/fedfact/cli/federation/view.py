"""How a federation stands, on the screen: once, or live while it runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ...io.files import printable
from ...money import MoneyUnit
from ..shared.fit import fit
from ..shared.output import note, print_table, stderr, stdout
from ..shared.tables import new_table, surplus_says

STOPPED = 4
"""The exit code of a federation that is not over, and can go on."""


_LEAST_NEEDED = ("promised", "used")


def members_table(said: dict[str, Any], there: frozenset[str] | None = None) -> Table:
    """One row a member: where it is, what it promised and delivered, what it pays or receives."""
    money = money_unit(said)
    table = new_table(
        "member", "promised", "used", "billed", f"net, {said['currency']}".strip(", ")
    )
    table.add_column("state", no_wrap=True)
    for member, row in said["members"].items():
        numbers = [f"{row[key]:,}" if key in row else "" for key in ("promised", "used", "billed")]
        numbers.append(money.amount(row["net"]) if "net" in row else "")
        state = row["state"]
        if there is not None and member not in there:
            state += " (not connected)"
        table.add_row(member, *numbers, state)
    return table


def print_overview(said: dict[str, Any], running: bool) -> None:
    """How things stand, for people."""
    phase = f"{said['phase']} (void)" if said["void"] else said["phase"]
    runs = "running" if running else "not running"
    stdout().print(
        f"{said['federation']}, season {said['season']}: {phase}; {runs}; "
        f"terms {said['terms'][:16]}, ledger of {said['entries']} entries"
    )
    if said["members"]:
        print_table(members_table(said), _LEAST_NEEDED)
        stdout().print(f"rule {said['rule']}, amounts in {money_unit(said).name}")
    for each in said["disputes"]:
        stdout().print(_dispute(each), soft_wrap=True)
    if said["void"]:
        stdout().print(f"void: {said['void']}", soft_wrap=True)
    elif said["surplus"] is not None:
        money, charges = money_unit(said).money, said["charges"]
        part = f" ({money(charges)} of it charges)" if charges else ""
        stdout().print(f"surplus {money(said['surplus'])}{part}")
        if said["surplus"]:
            stdout().print(surplus_says(said["rule"], charges > 0))


def _dispute(said: dict[str, Any]) -> str:
    """How a dispute stands, for people."""
    day = said["answer_by"][:10]
    if said["outcome"] is not None:
        state = f"settlement {said['settlement']} {_OUTCOMES[said['outcome']]}"
    elif said["answer"] is not None:
        state = "answered" + (", too late" if said["overdue"] else "")
        state += ", to be decided by the arbiter" if said["open"] else ""
    else:
        state = f"overdue: an answer was due by {day}" if said["overdue"] else f"answer by {day}"
    return printable(f"{said['member']} disputes its statement ({'; '.join(said['why'])}): {state}")


_OUTCOMES = {"stands": "stands", "reversed": "was reversed"}


def money_unit(said: dict[str, Any]) -> MoneyUnit:
    """How the amounts of a document are written that has ``unit`` and ``currency``."""
    return MoneyUnit(said["unit"], said["currency"])


class View:
    """A live view of a run; where stderr is no terminal, a line for each phase."""

    def __init__(self, live: Live | None) -> None:
        self._live, self._said, self._start = live, "", time.monotonic()
        self._first: tuple[float, int] | None = None

    def show(self, said: dict[str, Any] | None, status: Any) -> None:
        """Show how things stand now."""
        phase = said["phase"] if said else _waiting(status)
        if said and said["phase"] == "enrolling":
            phase = f"{_waiting(status)}; {phase}"
        if self._live is None:
            word = phase.partition(",")[0]
            if word != self._said:
                note(f"{time.monotonic() - self._start:5.1f} s  {phase}")
            self._said = word
            return
        seconds = int(time.monotonic() - self._start)
        parts: list[Any] = [Text(f"{phase}   {seconds // 60}:{seconds % 60:02}")]
        if said:
            done, total = said["rounds"], said["rounds_planned"]
            parts.append(ProgressBar(total, done, width=40))
            parts.append(Text(f"round {done} of {total}{self._time_left(done, total)}"))
            members = members_table(said, status.registered)
            parts.append(fit(members, self._live.console.width, _LEAST_NEEDED)[0])
        self._live.update(Group(*parts))

    def _time_left(self, done: int, total: int) -> str:
        """In words, once there is something to reckon with."""
        now = time.monotonic()
        if self._first is None:
            self._first = now, done
        since, first = self._first
        if done <= first or done == total:
            return ""
        left = int((now - since) / (done - first) * (total - done))
        return f", {left // 60}:{left % 60:02} left"


def _waiting(status: Any) -> str:
    if not status.server:
        return "starting the server"
    there = ", ".join(sorted(status.registered)) or "nobody"
    return f"connected: {there}"


@contextmanager
def watching() -> Iterator[View]:
    """A view while something runs."""
    console = stderr()
    if not console.is_terminal:
        yield View(None)
        return
    with Live(console=console, refresh_per_second=4) as live:
        yield View(live)


def paths(directory: Path, said: dict[str, Any] | None) -> str:
    """What to look at next; statements only where somebody has one."""
    lines = [f"fedfact verify {directory}", f"fedfact ledger show {directory}"]
    if said is not None and any("net" in member for member in said["members"].values()):
        lines.append(f"fedfact statement {directory} MEMBER")
    return "\n".join(lines)


class Tail:
    """Lines that come to a file from now on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = path.stat().st_size if path.is_file() else 0

    def lines(self) -> list[str]:
        """Those since the last look, when they are whole; what a terminal would obey is left out.

        A file that cannot be read has none; one that got shorter is a new one.
        """
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._read:
                    self._read = 0
                file.seek(self._read)
                data = file.read()
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        text = whole.decode("utf-8", "replace").split("\n")[:-1]
        return [printable(line) for line in text]
