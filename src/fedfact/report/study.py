"""The report of one study or several: figures as files, and the page."""

from collections.abc import Sequence
from pathlib import Path

from ..files import reason, write_whole
from ..mechanism import InputError
from ..progress import Report, silent
from ..study.directory import Result
from .charts import STEMS, charts_of
from .page import page
from .pictures import pictures


def write_report(results: Sequence[Result], output: Path, report: Report = silent) -> Path:
    """Write ``figures/`` and ``report.html``; return where the page is.

    Figures of an earlier report that these studies do not have are removed.
    """
    if not results:
        raise InputError("there are no studies to report; name the directory of one")
    folder = output / "figures"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be created ({reason(error)}); name another place"
        ) from None
    charts = charts_of(results)
    done, total = 0, 2 * len(charts)

    def tick() -> None:
        nonlocal done
        done += 1
        report("report", done, total, "figures")

    kept = set()
    for chart in charts:
        for ending, content in pictures(chart).items():
            write_whole(folder / f"{chart.stem}{ending}", content)
            kept.add(f"{chart.stem}{ending}")
        tick()
    for stem in STEMS:
        for ending in (".svg", ".png"):
            if f"{stem}{ending}" not in kept:
                (folder / f"{stem}{ending}").unlink(missing_ok=True)
    path = output / "report.html"
    write_whole(path, page(results, charts, tick).encode())
    return path
