"""The free-rider dilemma, trained: the model that each rule of the lab ends with."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ...io.files import write_whole
from ...study.measure.interval import estimate as over_seeds
from ..base.chart import Chart, Panel
from ..base.pictures import pictures
from ..base.style import BLUE, GREY, INK, RED, SKY, Percent
from ..base.words import PERCENT, Cell, estimate, listed, number, percent, span

TITLES = ("Reports are true", "Agents lie where it pays")

HEADER = [
    "agents",
    "rule",
    "samples",
    "contributors",
    "accuracy",
    "low",
    "high",
    "loss",
    "model of",
]

_ROOM = 1.25
"""Where the axis ends: past the longest bar, for the numbers beside the bars."""

_COLLAPSED = 2.0
"""Times what an agent would use alone: at most that much behind the model of many is a collapse."""


def write_collapse(document: dict[str, Any], folder: Path) -> tuple[Path, str]:
    """Draw it to ``collapse.png`` and ``.svg``; return the picture's path and what it says."""
    chart = collapse_chart(document)
    for ending, content in pictures(chart).items():
        write_whole(folder / f"{chart.stem}{ending}", content)
    return folder / f"{chart.stem}.png", chart.sentence


def collapse_chart(document: dict[str, Any]) -> Chart:
    """The chart of what ``fedfact lab collapse`` wrote."""
    both = halves(document)
    data = f"{document['title']}, {document['agents']} agents"
    longest = max(float(_errors(document["cases"])[1].max()), 1e-3)
    return Chart(
        "collapse",
        None,
        "The free-rider dilemma, trained",
        collapse_says(document),
        [_panel(title, data, half, longest) for title, half in zip(TITLES, both, strict=True)],
        HEADER,
        [_row(case) for half in both for case in half],
        columns=2,
    )


def halves(document: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The cases with true reports, and those of agents that lie, rule by rule."""
    true, lies = (
        [case for case in document["cases"] if case["lies"] == wanted] for wanted in (False, True)
    )
    return true, lies


def cells(case: dict[str, Any]) -> tuple[str, str, str]:
    """Samples, contributors and accuracy, for a table."""
    accuracy = estimate(over_seeds(case["accuracy"]["values"]), 100, PERCENT)
    return _count(case["samples"]["mean"]), _count(case["contributors"]["mean"]), accuracy


def _count(mean: float) -> str:
    """A mean of whole numbers: 16, 15.7, 719."""
    return f"{mean:,.0f}" if mean >= 100 or mean == int(mean) else f"{mean:.1f}"


def _panel(title: str, data: str, cases: Sequence[dict[str, Any]], longest: float) -> Panel:
    """Bars with intervals, and how much data is behind each.

    Of errors, which begin at 0 and differ where accuracies are all close to 100 %.
    """
    means, ends = _errors(cases)

    def draw(axes: Axes) -> None:
        rows = np.arange(len(cases))
        bars = axes.barh(
            rows,
            means,
            0.7,
            color=[_colour(case) for case in cases],
            xerr=[means - ends[:, 0], ends[:, 1] - means],
            error_kw={"ecolor": INK, "elinewidth": 1, "capsize": 2},
        )
        for case, bar in zip(cases, bars.patches, strict=True):
            if not case["gives_model"]:  # hatched: not a model that agents get
                bar.set(fill=False, hatch="////", edgecolor=_colour(case), linewidth=1)
        for row, mean in enumerate(means):
            at = (max(mean, ends[row, 1]), row)
            axes.annotate(
                percent(mean), at, (4, 0), textcoords="offset points", va="center", size=9
            )
        axes.set_yticks(rows, [_label(case) for case in cases], size=9)
        axes.set_ylim(len(cases) - 0.5, -0.5)  # the first on top
        axes.set_xlim(0, _ROOM * longest)
        ticks = MaxNLocator(3).tick_values(0, longest)
        axes.set_xticks([tick for tick in ticks if tick <= longest])
        axes.xaxis.set_major_formatter(Percent())
        axes.spines["bottom"].set_bounds(0, longest)
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"test error, {data}", loc="left")

    return Panel(title, draw, 4.6)


def _errors(cases: Sequence[dict[str, Any]]) -> tuple[Any, Any]:
    """Means, and the ends of their intervals."""
    found = [over_seeds(case["accuracy"]["values"]) for case in cases]
    means = 1 - np.array([each["mean"] for each in found])
    ends = 1 - np.array([[each["high"], each["low"]] for each in found], np.float64)
    return means, np.clip(np.where(np.isnan(ends), means[:, None], ends), 0, 1)


def _label(case: dict[str, Any]) -> str:
    """The rule, and below it what is behind its model."""
    samples, agents, _ = cells(case)
    whose = f"{samples} samples of {agents} agent{'' if agents == '1' else 's'}"
    title = case["title"] if case["gives_model"] else f"{case['title']}, server's model"
    return f"{title}\n{whose}"


def _colour(case: dict[str, Any]) -> str:
    """FACT, its two ends, and its rivals."""
    return {"local": GREY, "federated": RED}.get(case["rule"], BLUE if _is_fact(case) else SKY)


def _is_fact(case: dict[str, Any]) -> bool:
    """Whether the rule is one of ours, by its title (`Rule.title`), as written or with variants."""
    return str(case["title"]).startswith("FACT ")


def _row(case: dict[str, Any]) -> list[Cell]:
    accuracy = over_seeds(case["accuracy"]["values"])
    return [
        TITLES[case["lies"]].lower(),
        case["title"],
        case["samples"]["mean"],
        case["contributors"]["mean"],
        *(accuracy[part] for part in ("mean", "low", "high")),
        case["loss"]["mean"],
        "all" if case["gives_model"] else "the server",
    ]


def collapse_says(document: dict[str, Any]) -> str:
    """Which rules end with about one agent's data, first with true reports, then with lies."""
    true, lies = halves(document)
    alone = float(document["alone"])
    (by_itself,) = (case for case in true if case["rule"] == "local")
    before, after = (_collapsed(half, alone) for half in (true, lies))
    more = [case for case in after if case["rule"] not in {each["rule"] for each in before}]
    fact = [case for case in document["cases"] if _is_fact(case)]
    one = f"about one agent's data ({number(alone)} samples are best alone)"
    if before:
        text = f"With true reports {_names(before)} {_verb('collapse', before)} to {one}, "
        text += f"{span(_mean(before, 'samples'), _count)} samples and {_accuracies(before)}"
    else:
        text = f"With true reports no rule collapses to {one}"
    if more:
        text += f"; where agents lie {_names(more)} {_verb('do', more)} so too, at "
        text += _accuracies(more)
    else:
        text += "; where agents lie no other rule does"
    always = all(case not in fact for case in (*before, *after))
    text += f". An agent alone reaches {percent(by_itself['accuracy']['mean'])}; FACT "
    text += f"{_accuracies(fact)} with {span(_mean(fact, 'samples'), _count)} samples"
    return f"{text}{', lies or not' if always else ''}."


def _collapsed(cases: Sequence[dict[str, Any]], alone: float) -> list[dict[str, Any]]:
    """Models of a federation with hardly more behind them than one agent has."""
    return [
        case
        for case in cases
        if case["rule"] != "local" and case["samples"]["mean"] <= _COLLAPSED * alone
    ]


def _names(cases: Sequence[dict[str, Any]]) -> str:
    """PFL (penalty only) and RealFM."""
    titles = [case["title"].partition(", ") for case in cases]
    return listed([f"{name} ({which})" if which else name for name, _, which in titles])


def _verb(verb: str, cases: Sequence[dict[str, Any]]) -> str:
    return verb if len(cases) > 1 else {"do": "does"}.get(verb, f"{verb}s")


def _accuracies(cases: Sequence[dict[str, Any]]) -> str:
    return span(_mean(cases, "accuracy"), percent)


def _mean(cases: Sequence[dict[str, Any]], of: str) -> list[float]:
    return [float(case[of]["mean"]) for case in cases]
