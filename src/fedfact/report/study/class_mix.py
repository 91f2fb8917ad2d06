"""Ours: how many samples of each class each agent uses."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ...arrays import Floats
from ..base.chart import Chart, Panel
from ..base.style import CLASS_COLOURS, agents_below, legend_below
from ..base.words import Cell, listed, percent
from .cases import Case


def class_mix(cases: Sequence[Case]) -> Chart:
    """The agents' data in the first seed."""
    most = max(len(case.result.summary["classes"]) for case in cases)
    return Chart(
        "class-mix",
        None,
        "Class mix of each agent",
        _says(cases),
        [_panel(case) for case in cases],
        ["case", "agent", *(f"class {k + 1}" for k in range(most))],
        [row for case in cases for row in _rows(case, most)],
    )


def _panel(case: Case) -> Panel:
    """One bar an agent, one part of it a class."""
    labels, names = _labels(case), case.result.summary["classes"]
    columns = 5 if max(map(len, map(str, names))) <= 8 else 2

    def draw(axes: Axes) -> None:
        rank, below = np.arange(1, len(labels) + 1), np.zeros(len(labels))
        for k, name in enumerate(names):
            colour = CLASS_COLOURS[k % len(CLASS_COLOURS)]
            axes.bar(rank, labels[:, k], 0.8, bottom=below, color=colour, label=str(name), lw=0)
            below = below + labels[:, k]
        axes.grid(axis="x", visible=False)
        axes.yaxis.set_major_formatter("{x:,.6g}")
        axes.set_ylim(0, 1.05 * labels.sum(axis=1).max())  # some bars would end at the edge
        axes.set_ylabel("samples used")
        agents_below(axes, len(rank))
        legend_below(axes, columns)

    return Panel(case.name, draw, 3.3 + 0.18 * (-(-len(names) // columns) - 1))


def _labels(case: Case) -> Floats:
    """Samples of each class (columns) of each agent (rows)."""
    return np.array([list(row) for row in case.agents()["labels"]], np.float64)


def _rows(case: Case, most: int) -> list[list[Cell]]:
    agents = case.agents()
    return [
        [case.name, str(name), *map(int, labels), *[None] * (most - len(labels))]
        for name, labels in zip(agents["agent"], agents["labels"], strict=True)
    ]


def _says(cases: Sequence[Case]) -> str:
    """How much of an agent's data is of its commonest class."""
    shares = {case.name: _commonest(case) for case in cases}
    if len(shares) > 3:  # the ends are enough
        ends = sorted(shares, key=lambda name: shares[name])
        shares = {name: shares[name] for name in (ends[0], ends[-1])}
    told = [f"{percent(share)} in {name}" for name, share in shares.items()]
    text = " to ".join(told) if len(cases) > 3 else listed(told)
    return f"On average {text} of an agent's samples are of its commonest class."


def _commonest(case: Case) -> float:
    """The part of an agent's data that is of one class, mean over agents."""
    labels = _labels(case)
    return float(np.mean(labels.max(axis=1) / labels.sum(axis=1).clip(min=1)))
