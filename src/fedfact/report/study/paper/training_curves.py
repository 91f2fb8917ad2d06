"""Figures 5 and 6: test loss and test accuracy by epoch, alone and federated."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ....arrays import Floats
from ....study.files.columns import StudyTable
from ...base.bands import Band, band, draw_band
from ...base.chart import Chart, Panel
from ...base.style import GREY, RED, Percent, legend_below
from ...base.words import Cell, claim, number, percent, span
from ..cases import Case, where

Measure = Literal["loss", "accuracy"]

_FAR = 3
"""How much higher losses at the first test may be than all later ones and still be shown."""

HEADER = ["case", "training", "epoch", "mean", "low", "high"]

_FIGURES: dict[Measure, tuple[int, str]] = {
    "loss": (5, "Test loss while training"),
    "accuracy": (6, "Test accuracy while training"),
}


def training_curves(cases: Sequence[Case], measure: Measure) -> Chart:
    """Figure 5 (loss) or 6 (accuracy) of these cases."""
    figure, title = _FIGURES[measure]
    return Chart(
        f"figure-{figure}-test-{measure}",
        figure,
        title,
        curves_say(cases, measure),
        [curves_panel(case, measure, case.name) for case in cases],
        HEADER,
        [row for case in cases for row in curves_rows(case, measure)],
    )


def curves_panel(case: Case, measure: Measure, title: str) -> Panel:
    """Means over agents with their intervals over seeds; shaded, the range of agents alone."""
    local, federated = _bands(case, measure)
    low, high = _range(case, measure)

    def draw(axes: Axes) -> None:
        axes.fill_between(
            local.x, low, high, color=GREY, alpha=0.15, lw=0, label="local, all agents"
        )
        draw_band(axes, local, GREY, "local mean, 95 %", lw=2)
        draw_band(axes, federated, RED, "federated mean, 95 %", lw=2)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set(xlabel="epoch", ylabel=f"test {measure}")
        if measure == "accuracy":
            axes.yaxis.set_major_formatter(Percent())
        elif high[0] > _FAR * high[1:].max(initial=0) > 0:  # the rest would be a flat line
            axes.set_ylim(0, 1.1 * high[1:].max())
            axes.set_xlabel(f"epoch (at the first test up to {number(high[0])}, not shown)")
        legend_below(axes, 2)

    return Panel(title, draw, 3.5)


def curves_rows(case: Case, measure: Measure) -> list[list[Cell]]:
    """The lines as numbers."""
    return [
        [case.name, training, int(epoch), *map(float, numbers)]
        for training, of in zip(("local", "federated"), _bands(case, measure), strict=True)
        for epoch, *numbers in zip(of.x, of.mean, of.low, of.high, strict=True)
    ]


def curves_say(cases: Sequence[Case], measure: Measure) -> str:
    """Who ends better, and at what."""
    ends = [[of.mean[-1] for of in _bands(case, measure)] for case in cases]
    better = "lower" if measure == "loss" else "higher"
    text = claim(
        f"After the last epoch the federated model's test {measure} is {better} than that of "
        "agents alone",
        f"After the last epoch the federated model's test {measure} is not {better} than that of "
        "agents alone",
        [case.name for case in cases],
        [(alone - together if measure == "loss" else together - alone) > 0
         for alone, together in ends],
    )  # fmt: skip
    form = number if measure == "loss" else percent
    local, federated = (span((end[k] for end in ends), form) for k in (0, 1))
    return f"{text}: {federated} against {local}."


def _bands(case: Case, measure: Measure) -> tuple[Band, Band]:
    """Local (mean over agents) and federated."""
    local, federated = _table(case, "local"), _table(case, "federated")
    epochs, together = np.unique(local["epoch"]), np.unique(federated["epoch"])
    alone = [_by_epoch(each, measure, epochs).mean(axis=0) for each in _seeds(local)]
    shared = [_by_epoch(each, measure, together)[0] for each in _seeds(federated)]
    return band(epochs, alone), band(together, shared)


def _range(case: Case, measure: Measure) -> tuple[Floats, Floats]:
    """Least and greatest value of any agent alone in any seed, by epoch."""
    local = _table(case, "local")
    values = _by_epoch(local, measure, np.unique(local["epoch"]))
    return values.min(axis=0), values.max(axis=0)


def _table(case: Case, training: str) -> StudyTable:
    return where(case.result.curves, arm=case.numbers["arm"], training=training)


def _seeds(table: StudyTable) -> list[StudyTable]:
    return [where(table, seed=seed) for seed in np.unique(table["seed"])]


def _by_epoch(table: StudyTable, measure: Measure, epochs: Floats) -> Floats:
    """One row for each model, one column for each epoch."""
    order = np.argsort(table["epoch"], kind="stable")
    values: Floats = table[measure][order].astype(np.float64)
    return values.reshape(len(epochs), -1).T
