"""One agent's losses over the samples it uses: Eq. 2, 3, 5 and 11, with their optima."""

from pathlib import Path

import numpy as np

from ..federation.advice import Advice, Member
from ..mechanism import Play, federated_optimum, local_loss, reward
from .style import BLUE, GREEN, GREY, ORANGE, RED, figure


def draw_losses(path: Path, advice: Advice, member: Member) -> None:
    """Draw the losses of an honest agent against the samples it uses."""
    others = member.others
    c, terms, m_star = advice.true_cost, advice.terms, advice.optimum
    A = float(terms.required_error_scale)
    m = np.linspace(0, 2.5 * m_star, 1001)[1:]
    plays: list[tuple[Play, str, str, str, float]] = [
        ("local", "local (Eq. 2)", GREY, "-", m_star),
        ("federated", "federated (Eq. 3)", RED, "-", float(federated_optimum(c, others.total, A))),
        ("penalised", "penalised (Eq. 5)", ORANGE, "-", m_star),
        (terms.rule, f"FACT, {terms.rule}", BLUE, "-", m_star),
    ]
    with figure(path, 7.5, 4.8) as drawing:
        axes = drawing.subplots()
        if terms.rule == "sandwich":
            lost = local_loss(m, c, A)
            axes.fill_between(
                m, lost, lost - reward(others, terms), color=BLUE, alpha=0.1, lw=0,
                label="from winning to losing",
            )  # fmt: skip
        for play, label, colour, line, optimum in plays:
            axes.plot(m, member.losses(play, m, c, believed=False), line, color=colour, label=label)
            least = member.loss(play, optimum, c, believed=False)
            axes.plot(optimum, least, "o", color=colour, mec="white", ms=8, clip_on=False, zorder=5)
        axes.axvline(m_star, color=GREEN, lw=1, ls="--", zorder=0)
        axes.annotate(
            f" m* = {m_star:,.6g}", (m_star, 1), xycoords=("data", "axes fraction"),
            va="top", color=GREEN,
        )  # fmt: skip
        low = min(0.0, float(advice.outcome.best) * 1.2)
        axes.set(
            xlim=(0, m[-1]), ylim=(low, 2.6 * advice.alone), xlabel="samples used, m",
            ylabel="loss", title="What you lose, over the samples you use",
        )  # fmt: skip
        axes.plot([], [], "o", color="#333333", mec="white", ms=8, label="optimum")
        axes.xaxis.set_major_formatter("{x:,.6g}")
        axes.legend(loc="upper right")
