"""Figure 2: the loss of an average agent alone, under every reading of FACT, and federated."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ...base.chart import Chart, Panel
from ...base.style import BLUE, GREY, INK, ORANGE, RED, SKY
from ...base.words import Cell, claim, estimate, listed, number, span
from ..cases import Case
from ..rules import measured_by

HEADER = ["case", "loss", "mean", "low", "high", "local / this"]

_SHARE = " (1/G)"
"""Of its pool, what a winner gets as settled; in the paper's readings it is 3/n."""


def _bars(case: Case) -> list[tuple[str, str, str]]:
    """Key, label and colour of each loss of a case.

    Where somebody deviates, the federated loss is not that of nobody.
    """
    deviate = any(each["number"] for each in case.numbers["deviators"])
    return [
        ("local", "local", GREY),
        ("fact_paper", "FACT, paper (p = ⅓)", BLUE),
        ("fact_realised", "FACT, realised (exact p)", SKY),
        ("fact_believed", "FACT, believed (p = ½)", ORANGE),
        *(
            (each.key, f"{each.label}{_SHARE * each.rule.from_paper}", each.colour)
            for each in measured_by([case])
        ),
        ("federated", "federated" if deviate else "federated,\nif nobody free rode", RED),
    ]


def loss_bars(cases: Sequence[Case]) -> Chart:
    """Figure 2 of these cases."""
    return Chart(
        "figure-2-losses",
        2,
        "Losses: alone, under FACT, and federated",
        loss_says(cases),
        [loss_panel(case, case.name) for case in cases],
        HEADER,
        [row for case in cases for row in loss_rows(case)],
    )


def loss_panel(case: Case, title: str) -> Panel:
    """Bars with intervals; the federated one is hatched: a bound, not an offer."""
    losses, (keys, labels, colours) = case.numbers["loss"], zip(*_bars(case), strict=True)
    means = [losses[key]["mean"] for key in keys]
    lows, highs = (
        np.array([losses[key][end] for key in keys], np.float64) for end in ("low", "high")
    )

    def draw(axes: Axes) -> None:
        rows = np.arange(len(keys))
        bars = axes.barh(
            rows,
            means,
            0.7,
            color=colours,
            xerr=np.nan_to_num([means - lows, highs - means]),
            error_kw={"ecolor": INK, "elinewidth": 1, "capsize": 2},
            label="mean over agents and seeds",
        )
        bars.patches[-1].set(fill=False, hatch="////", edgecolor=RED, linewidth=1)
        ends = np.fmax(np.fmax(means, highs), 0)
        for row, end, mean in zip(rows, ends, means, strict=True):
            axes.annotate(
                number(mean), (end, row), (4, 0), textcoords="offset points", va="center", size=9
            )
        axes.set_yticks(rows, labels, size=9)
        axes.set_ylim(len(keys) - 0.5, -0.5)  # the first on top
        left, right = min(0.0, np.fmin(means, lows).min()), ends.max()
        axes.set_xlim(left - 0.05 * (right - left) * (left < 0), right + 0.18 * (right - left))
        if left < 0:
            axes.axvline(0, color=INK, lw=1)
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("test loss, mean over agents")

    return Panel(title, draw)


def loss_rows(case: Case) -> list[list[Cell]]:
    """The bars as numbers."""
    losses = case.numbers["loss"]
    ratios = case.numbers["ratio"]
    return [
        [
            case.name,
            label.replace("\n", " "),
            *(losses[key][part] for part in ("mean", "low", "high")),
            ratios[key]["mean"] if ratios.get(key) else None,
        ]
        for key, label, _ in _bars(case)
    ]


def loss_says(cases: Sequence[Case]) -> str:
    """Whether FACT lies between local and federated, by the paper's formula and as settled."""
    names = [case.name for case in cases]
    places = [_place(case) for case in cases]
    text = claim(
        "By the paper's formula the loss under FACT lies between local and federated loss",
        "By the paper's formula the loss under FACT does not lie between local and federated loss",
        names,
        [place == "between" for place in places],
    )
    outside = [
        f"{name}: {place}" for name, place in zip(names, places, strict=True) if place != "between"
    ]
    if outside:
        text += f" ({listed(outside)})"
    paper, settled = (_ratio(cases, key) for key in ("fact_paper", "fact_settled"))
    if paper and settled:
        text += f"; local loss is {paper} times the loss under FACT, {settled} times as settled"
    return f"{text}."


def _ratio(cases: Sequence[Case], key: str) -> str:
    """Local loss over this one, where it has a meaning."""
    ratios = [case.numbers["ratio"][key] for case in cases if case.numbers["ratio"][key]]
    if len(cases) == len(ratios) == 1:
        return estimate(ratios[0])
    return span(each["mean"] for each in ratios) if ratios else ""


def _place(case: Case) -> str:
    """Where FACT lies, as the paper counts it."""
    local, fact, federated = (
        case.numbers["loss"][key]["mean"] for key in ("local", "fact_paper", "federated")
    )
    if fact > local:
        return "above local"
    if fact < federated:
        return "below federated"
    return "between" if federated < local else "federation does not lower the loss"
