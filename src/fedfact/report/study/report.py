"""The report of one study or several: figures as files, and the page."""

from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from ...progress import Progress, silent
from ...study.files.directory import Result
from ..base.publish import publish
from .charts import STEMS, charts_of
from .page import page


def write_report(results: Sequence[Result], output: Path, progress: Progress = silent) -> Path:
    """Write ``figures/`` and ``report.html``; return where the page is.

    Figures of an earlier report that these studies do not have are removed.
    """
    if not results:
        raise InputError("there are no studies to report; name the directory of one")
    charts = charts_of(results)
    return publish(
        output / "report.html",
        charts,
        STEMS,
        lambda tick: page(results, charts, tick),
        progress,
    )
