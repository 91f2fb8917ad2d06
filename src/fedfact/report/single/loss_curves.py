"""One agent's losses over the samples it uses: Eq. 2, 3, 5 and 11, with their optima."""

import numpy as np
from matplotlib.figure import Figure

from ...advice.advise import Advice
from ...advice.applicant import Applicant
from ...mechanism import Play, federated_optimum, local_loss, rule_of
from ..base.style import BLUE, GREEN, GREY, ORANGE, RED, picture


def picture_of_losses(advice: Advice, applicant: Applicant, ending: str) -> bytes:
    """The losses of an honest agent against the samples it uses."""
    return picture(lambda figure: _draw(figure, advice, applicant), (7.5, 4.8), ending)


def _draw(figure: Figure, advice: Advice, applicant: Applicant) -> None:
    c, terms, others = applicant.true_cost, applicant.terms, applicant.others
    errors, m_star = applicant.errors, float(applicant.errors.optimum(c))
    best, under = (
        min(optimum, applicant.capacity or optimum) for optimum in (m_star, advice.optimum)
    )
    m = np.linspace(0, 2.5 * m_star, 1001)[1:]
    plays: list[tuple[Play, str, str, float]] = [
        ("local", "local (Eq. 2)", GREY, best),
        ("federated", "federated (Eq. 3)", RED, float(federated_optimum(c, others.total, errors))),
        ("penalised", "penalised (Eq. 5)", ORANGE, best),
        (terms.rule, f"FACT, {terms.rule}", BLUE, under),
    ]
    axes = figure.subplots()
    if rule_of(terms).draws:
        lost = local_loss(m, c, errors)
        won = lost - rule_of(terms).share(others, terms)
        axes.fill_between(m, won, lost, color=BLUE, alpha=0.1, lw=0, label="from winning to losing")
    for play, label, colour, optimum in plays:
        axes.plot(m, applicant.losses(play, m, c, believed=False), color=colour, label=label)
        least = applicant.loss(play, optimum, c, believed=False)
        axes.plot(optimum, least, "o", color=colour, mec="white", ms=8, clip_on=False, zorder=5)
    axes.plot([], [], "o", color="#333333", mec="white", ms=8, label="best for you")
    _mark(figure, m_star, f"m* = {m_star:,.6g}")
    if best < m_star:
        _mark(figure, best, f"you have {best:,}")
    low = min(0.0, advice.outcome.best * 1.2)
    axes.set(xlim=(0, m[-1]), ylim=(low, 2.6 * advice.alone))
    axes.set(xlabel="samples used, m", ylabel=f"loss, in {terms.money_unit.name}")
    axes.set_title("What you lose, over the samples you use")
    axes.xaxis.set_major_formatter("{x:,.6g}")
    axes.legend(loc="upper right")


def _mark(figure: Figure, samples: float, text: str) -> None:
    axes = figure.axes[0]
    axes.axvline(samples, color=GREEN, lw=1, ls="--", zorder=0)
    where = (samples, 1)
    axes.annotate(f" {text}", where, xycoords=("data", "axes fraction"), va="top", color=GREEN)
