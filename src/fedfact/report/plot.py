"""``fedfact.plot(result)``: one picture of a result, for notebooks.

It lies here, above all results, so that these import nothing that draws.
"""

from dataclasses import dataclass, field
from functools import singledispatch
from pathlib import Path
from typing import Any

from ..advice import Applicant, advise
from ..errors import InputError, did_you_mean
from ..federation.deploy.in_process import FinishedFederation
from ..io.files import write_whole
from ..mechanism import Settlement
from ..study.files.directory import Result
from .base.pictures import pictures
from .single.loss_curves import picture_of_losses
from .single.settlement import picture_of_settlement
from .study.charts import charts_of


@dataclass(frozen=True)
class Picture:
    """A picture that a notebook shows, and that can be saved."""

    title: str
    svg: bytes = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg.decode()

    def save(self, path: Path | str) -> None:
        """Write it to a file, as SVG."""
        write_whole(Path(path), self.svg)


@singledispatch
def plot(result: Any, figure: str | None = None) -> Picture:
    """A picture of a settlement, an applicant's losses, a finished federation or a study.

    Of a study, ``figure`` names the one to draw, such as ``figure-2-losses``; without it, the
    first is drawn.
    """
    raise InputError(
        f"there is no picture of a {type(result).__name__}; give a settlement, an applicant, a "
        "finished federation or the result of a study"
    )


@plot.register
def _settlement(result: Settlement, figure: str | None = None) -> Picture:
    return Picture("What each agent pays and receives", picture_of_settlement(result, ".svg"))


@plot.register
def _applicant(result: Applicant, figure: str | None = None) -> Picture:
    drawn = picture_of_losses(advise(result), result, ".svg")
    return Picture("What you lose, over the samples you use", drawn)


@plot.register
def _federation(result: FinishedFederation, figure: str | None = None) -> Picture:
    settlement = result.state.settlement_now()
    if settlement is None:
        raise InputError("the settlement of this federation is void; there is nothing to draw")
    return _settlement(settlement)


@plot.register
def _study(result: Result, figure: str | None = None) -> Picture:
    charts = {chart.stem: chart for chart in charts_of([result])}
    stem = next(iter(charts)) if figure is None else figure
    if stem not in charts:
        remedy = did_you_mean(stem, charts) or f"the figures are {', '.join(charts)}"
        raise InputError(f"this study has no figure {stem!r}; {remedy}")
    return Picture(charts[stem].title, pictures(charts[stem])[".svg"])
