"""A learning curve as it was measured, its fits, and what is proved of what federation saves."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from ...arrays import Floats
from ...calibration import Calibration
from ...calibration.calibration import Priced
from ..base.style import BLUE, GREEN, GREY, INK, ORANGE, PAPER, Percent, picture

_FEW = 30  # members' sizes that have room for a dash each


def picture_of_calibration(found: Calibration, ending: str) -> bytes:
    """The losses with both fits, the fits' misfit, and members' savings with their lower bound."""
    return picture(lambda figure: _draw(figure, found), (12.5, 4.6), ending)


def _draw(figure: Figure, found: Calibration) -> None:
    axes = figure.subplots(1, 3)
    for each, draw in zip(axes, (_losses, _misfits, _savings), strict=True):
        draw(each, found)
        each.set_xscale("log")
        each.xaxis.set_major_formatter(FuncFormatter(lambda m, _: f"{m:,.0f}"))
        each.xaxis.set_minor_formatter(NullFormatter())
        each.set_xlabel("samples, m")
        each.legend(fontsize=9)


def _losses(axes: Axes, found: Calibration) -> None:
    """Every run, and both fits through them."""
    runs, sizes, b = found.runs, found.sizes.samples, found.law.exponent.value
    m = np.geomspace(sizes[0], sizes[-1], 200)
    axes.plot(runs.samples, runs.loss, "o", color=INK, ms=3, alpha=0.45, label="runs")
    axes.plot(m, found.law(m), color=BLUE, label=f"fit, b = {b:.3g}")
    axes.plot(m, found.inverse.law(m), color=ORANGE, ls="--", label="fit of A/m, b = 1")
    axes.set_ylim(0.9 * runs.loss.min(), max(1.15 * runs.loss.max(), 1.05 * found.law(m).max()))
    if runs.loss.min() > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}" if runs.loss.max() < 8 * runs.loss.min() else "")
    axes.set_title("The learning curve")
    axes.set_ylabel(f"test {runs.measure}")


def _misfits(axes: Axes, found: Calibration) -> None:
    """How far the means are from each fit, relative to it, with two standard errors."""
    laws = ((found.inverse.law, ORANGE, "of A/m"), (found.law, BLUE, "of the fit"))
    for law, colour, label in laws:
        fitted = np.abs(law(found.sizes.samples))
        axes.errorbar(
            found.sizes.samples,
            law.misfit / fitted,
            yerr=2 * law.noise / fitted,
            fmt="o",
            color=colour,
            label=label,
            ms=5,
            capsize=2,
            lw=1.2,
        )
    axes.axhline(0, color=INK, lw=1)
    axes.set_title("Misfit")
    axes.yaxis.set_major_formatter(Percent(1))
    axes.set_ylabel(f"mean {found.runs.measure} above the fit, ± 2 standard errors")


def _savings(axes: Axes, found: Calibration) -> None:
    """What a member saves by the means, by the terms, and at least."""
    sizes, place = found.sizes, found.place
    first = min(found.published.savings[0].samples, int(sizes.samples[0]))
    m = np.geomspace(first, 0.8 * found.whole, 200)
    measured = sizes.mean[:place] - sizes.mean[place]
    axes.plot(sizes.samples[:place], measured, "o", color=INK, mec=PAPER, ms=7, label="measured")
    own = [saving.samples for saving in found.published.savings]
    least = [saving.least for saving in found.published.savings]
    mark, size = ("_", 14) if len(own) <= _FEW else (".", 3)
    axes.plot(own, least, mark, color=GREEN, ms=size, mew=2, label="at least, at 95 %")
    for priced, colour, style, label in (
        (found.published, BLUE, "-", f"terms, b = {found.published.law.exponent.value:g}"),
        (found.inverse, ORANGE, "--", "terms with A/m"),
    ):
        if priced.q > 0:
            axes.plot(m, _charged(priced, m, found.whole), style, color=colour, label=label)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_title(f"Saved by a whole of {found.whole:,}")
    axes.set_ylabel(f"e(m) − e(M), in {found.runs.measure}")
    axes.grid(color=GREY, alpha=0.2)


def _charged(priced: Priced, m: Floats, whole: int) -> Floats:
    """What terms with the lowered scale say is saved."""
    return priced.q * (priced.law.reducible(m) - priced.law.reducible(whole))
