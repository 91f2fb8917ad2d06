"""A report as files: the figures in a folder, and the page beside it."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...io.files import write_whole
from ...io.folders import make_folder, refuse_links
from ...progress import Progress
from .chart import Chart
from .pictures import pictures

Tick = Callable[[], None]
"""To be called after each chart."""


def publish(
    page: Path,
    charts: Sequence[Chart],
    stems: Iterable[str],
    html: Callable[[Tick], str],
    report: Progress,
) -> Path:
    """Write ``figures/`` and the page beside it, which ``html`` makes; return where the page is.

    Those of ``stems``, all figures that there may be, that these charts do not have are removed.
    """
    folder, stems = page.parent / "figures", tuple(stems)
    make_folder(folder)
    names = {*stems, *(chart.stem for chart in charts)}
    figures = (f"figures/{name}{ending}" for name in sorted(names) for ending in (".svg", ".png"))
    refuse_links(page.parent, (page.name, "figures", *figures))
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
    for stem in stems:
        for ending in (".svg", ".png"):
            if f"{stem}{ending}" not in kept:
                (folder / f"{stem}{ending}").unlink(missing_ok=True)
    write_whole(page, html(tick).encode())
    return page
