"""The bar that long work shows: how far, how fast, how long still."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.filesize import decimal
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from ...progress import Progress
from .output import stderr


class _Rate(ProgressColumn):
    """What is done in a second, in the unit of the work."""

    def render(self, task: Task) -> Text:
        speed, unit = task.finished_speed or task.speed or 0, task.fields["unit"]
        if not speed:
            return Text("")
        return Text(f"{decimal(int(speed))}/s" if unit == "B" else f"{speed:,.0f} {unit}/s")


@contextmanager
def progress_bar() -> Iterator[tuple[Progress, Callable[[str], None]]]:
    """Bars on stderr for the work reported, none where stderr is no terminal; notes above them."""
    console = stderr()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        _Rate(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bars(*columns, console=console, disable=not console.is_terminal) as bar:
        tasks = {}

        def report(what: str, done: int, total: int, unit: str) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total, completed=done, unit=unit)
            bar.update(tasks[what], total=total, completed=done)

        yield report, lambda text: bar.console.print("note:", text)
