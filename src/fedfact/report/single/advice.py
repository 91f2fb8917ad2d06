"""What an applicant may end with under each rule, against training alone."""

import numpy as np
from matplotlib.figure import Figure

from ...advice import Advice
from ..base.style import BLUE, GREEN, GREY, ORANGE, picture


def picture_of_advice(advice: Advice, ending: str) -> bytes:
    """From the worst to the best outcome under each rule, and what is expected."""
    size = (7.5, 1.9 + 0.5 * len(advice.outcomes))
    return picture(lambda figure: _draw(figure, advice), size, ending)


def _draw(figure: Figure, advice: Advice) -> None:
    axes, outcomes = figure.subplots(), advice.outcomes
    rows = np.arange(len(outcomes))
    worst, best = ([getattr(of, end) for of in outcomes] for end in ("worst", "best"))
    axes.hlines(rows, best, worst, color=BLUE, lw=6, alpha=0.3, label="from best to worst")
    axes.plot([of.realised for of in outcomes], rows, "o", color=GREEN, ms=8, label="expected")
    believed = [of.believed for of in outcomes]
    axes.plot(believed, rows, "|", color=ORANGE, ms=14, mew=2, label="as you believe")
    axes.axvline(advice.alone, color=GREY, lw=1, ls="--", label="alone")
    axes.set_yticks(rows, [of.rule for of in outcomes])
    axes.set_ylim(len(outcomes) - 0.5, -0.5)  # the first on top
    axes.set_xlabel(f"loss it leaves you with, in {advice.terms.money_unit.name}")
    axes.set_title(f"What you may end with, using {advice.samples:,} samples")
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=4)
