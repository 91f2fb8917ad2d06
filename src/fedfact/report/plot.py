"""``fedfact.plot(result)``: one picture of a result, for notebooks.

It lies here, above all results, so that these import nothing that draws.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

from ..advice import Advice, Applicant, advise
from ..calibration import Calibration
from ..errors import InputError, did_you_mean
from ..federation.deploy.in_process import FinishedFederation
from ..io.files import write_whole
from ..lab import AttackTable, Comparison, Equilibrium, Sweep
from ..mechanism import Settlement
from ..study.collapse.result import Collapse
from ..study.files.directory import Result
from .base.chart import Chart
from .base.pictures import pictures
from .lab.attacks import attacks
from .lab.dynamics import dynamics
from .lab.page import compare_charts
from .lab.sweep import sweep_chart
from .single.advice import picture_of_advice
from .single.calibration import picture_of_calibration
from .single.collapse import collapse_chart
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


@dataclass(frozen=True)
class _Drawing:
    """A picture that can be made."""

    name: str
    title: str
    draw: Callable[[], bytes]


def plot(result: Any, figure: str | None = None) -> Picture:
    """A picture of a result.

    That is a calibration, a settlement, an advice or its applicant, a finished federation, a study,
    a collapse, or from the lab an equilibrium, a table of attacks, a sweep or a comparison.

    Of a study or a comparison there are several; ``figure`` names the one to draw, such as
    ``figure-2-losses``. Without it, the first is drawn.
    """
    drawings = {each.name: each for each in _drawings(result)}
    name = next(iter(drawings)) if figure is None else figure
    if name not in drawings:
        remedy = did_you_mean(name, drawings) or f"there is {', '.join(drawings)}"
        raise InputError(f"a {type(result).__name__} has no figure {name!r}; {remedy}")
    return Picture(drawings[name].title, drawings[name].draw())


@singledispatch
def _drawings(result: Any) -> list[_Drawing]:
    """The pictures that there are of a result."""
    raise InputError(
        f"there is no picture of a {type(result).__name__}; give a calibration, a settlement, an "
        "advice, an applicant, a finished federation, or the result of a study, a collapse or the "
        "lab"
    )


@_drawings.register
def _settlement(result: Settlement) -> list[_Drawing]:
    draw = partial(picture_of_settlement, result, ".svg")
    return [_Drawing("settlement", "What each agent pays and receives", draw)]


@_drawings.register
def _calibration(result: Calibration) -> list[_Drawing]:
    draw = partial(picture_of_calibration, result, ".svg")
    return [_Drawing("calibration", "The learning curve, and what federation saves members", draw)]


@_drawings.register
def _applicant(result: Applicant) -> list[_Drawing]:
    title = "What you lose, over the samples you use"
    return [_Drawing("losses", title, lambda: picture_of_losses(advise(result), result, ".svg"))]


@_drawings.register
def _advice(result: Advice) -> list[_Drawing]:
    draw = partial(picture_of_advice, result, ".svg")
    return [_Drawing("outcomes", "What you may end with under each rule", draw)]


@_drawings.register
def _federation(result: FinishedFederation) -> list[_Drawing]:
    settlement = result.state.season.settlement_now()
    if settlement is None:
        raise InputError("the settlement of this federation is void; there is nothing to draw")
    return _settlement(settlement)


@_drawings.register
def _study(result: Result) -> list[_Drawing]:
    return _of_charts(charts_of([result]))


@_drawings.register
def _collapse(result: Collapse) -> list[_Drawing]:
    return _of_charts([collapse_chart(result.document())])


@_drawings.register
def _equilibrium(result: Equilibrium) -> list[_Drawing]:
    key = "learned" if result.how == "hedge" else "strategic" if result.lies else "true"
    return _of_charts([dynamics({key: result.document()})])


@_drawings.register
def _attacks(result: AttackTable) -> list[_Drawing]:
    return _of_charts([attacks({"attacks": result.document()})])


@_drawings.register
def _sweep(result: Sweep) -> list[_Drawing]:
    return _of_charts([sweep_chart(result.document())])


@_drawings.register
def _comparison(result: Comparison) -> list[_Drawing]:
    return _of_charts(compare_charts(result.document()))


def _of_charts(charts: Sequence[Chart]) -> list[_Drawing]:
    return [_Drawing(chart.stem, chart.title, partial(_svg, chart)) for chart in charts]


def _svg(chart: Chart) -> bytes:
    return pictures(chart)[".svg"]
