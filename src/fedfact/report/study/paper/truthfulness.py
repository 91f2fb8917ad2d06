"""Figure 1: what an agent gains over training alone, against what it adds to its true cost."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ....arrays import Floats
from ...base.bands import Band, band, draw_band
from ...base.chart import Chart, Panel
from ...base.style import BLUE, GREY, ORANGE, PAPER, Percent, legend_below
from ...base.words import Cell, claim, listed, percent, signed_percent, span
from ..cases import Case

HEADER = ["case", "added to the cost", "believed", "low", "high", "realised", "low", "high"]


def truthfulness(cases: Sequence[Case]) -> Chart:
    """Figure 1 of these cases."""
    return Chart(
        "figure-1-truthfulness",
        1,
        "Truthfulness: what a wrong report gains",
        truthfulness_says(cases),
        [truthfulness_panel(case, case.name) for case in cases],
        HEADER,
        [row for case in cases for row in truthfulness_rows(case)],
    )


def truthfulness_panel(case: Case, title: str) -> Panel:
    """Closed form as a line, Monte Carlo as points, this study's own reports as a thin line."""
    curves = case.numbers["truthfulness"]
    believed, realised = _bands(case)
    simulated = band(curves["simulated_at"], curves["simulated"])

    def draw(axes: Axes) -> None:
        axes.axvline(0, color=GREY, lw=1, ls=":", zorder=0)
        draw_band(axes, realised, ORANGE, "realised, against these reports", lw=1)
        draw_band(axes, believed, BLUE, "believed, 2F(1−F)", lw=2)
        trials = f"simulated, {curves['trials']:,} trials"
        axes.plot(simulated.x, simulated.mean, "o", color=BLUE, mec=PAPER, ms=6, label=trials)
        axes.xaxis.set_major_formatter(Percent())
        axes.set(xlabel="added to the true cost", ylabel="net improvement in loss")
        legend_below(axes, 1)

    return Panel(title, draw, 3.6)


def truthfulness_rows(case: Case) -> list[list[Cell]]:
    """The lines as numbers."""
    believed, realised = _bands(case)
    columns = zip(
        believed.mean,
        believed.low,
        believed.high,
        realised.mean,
        realised.low,
        realised.high,
        strict=True,
    )
    return [
        [case.name, signed_percent(added), *map(float, numbers)]
        for added, numbers in zip(believed.x, columns, strict=True)
    ]


def truthfulness_says(cases: Sequence[Case]) -> str:
    """Where the curves peak, and whether simulation agrees with the closed form."""
    bands = [_bands(case) for case in cases]
    peaks = [_peak(believed) for believed, _ in bands]
    text = claim(
        "An agent that believes itself the median gains most by reporting its true cost",
        "An agent that believes itself the median does not gain most by reporting its true cost",
        [case.name for case in cases],
        [peak == 0 for peak in peaks],
    )
    elsewhere = [
        f"{case.name} peaks at {signed_percent(peak)}" if peak is not None else f"{case.name}: flat"
        for case, peak in zip(cases, peaks, strict=True)
        if peak != 0
    ]
    if elsewhere:
        text += f" ({listed(elsewhere)})"
    text += f"; simulation and closed form differ by at most {percent(_disagreement(cases))}"
    text += " of the largest improvement"
    best = [peak for peak in (_peak(realised) for _, realised in bands) if peak is not None]
    if best:
        added = span(best, signed_percent)
        text += (
            f"; against the reports actually made agents would on average do best to add {added}"
        )
    return f"{text}."


def _bands(case: Case) -> tuple[Band, Band]:
    curves = case.numbers["truthfulness"]
    return (
        band(curves["added"], curves["believed"]),
        band(curves["added"], curves["realised"]),
    )


def _peak(curve: Band) -> float | None:
    """Where the curve is highest, as near to the truth as can be; None where it is flat."""
    height = np.ptp(curve.mean)
    if not height > 1e-12 * np.abs(curve.mean).max():
        return None
    best: Floats = curve.x[curve.mean >= curve.mean.max() - 1e-9 * height]
    return float(best[np.argmin(np.abs(best))])


def _disagreement(cases: Sequence[Case]) -> float:
    """Largest difference of a simulated point from the line, as a part of the line's height."""
    worst = 0.0
    for case in cases:
        curves = case.numbers["truthfulness"]
        for line, points in zip(curves["believed"], curves["simulated"], strict=True):
            expected = np.interp(curves["simulated_at"], curves["added"], line)
            most = np.abs(line).max() or 1.0
            worst = max(worst, float(np.abs(points - expected).max() / most))
    return worst
