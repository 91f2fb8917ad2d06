"""What members bear and what is collected under each rule, over n and over the exponent b."""

from typing import Any

from matplotlib.axes import Axes

from ..base.chart import Chart, Draw, Panel
from ..base.style import BLUE, EDGE, GREEN, INK, ORANGE, PINK, RED, SKY, Percent, legend_below
from ..base.words import percent
from .plays import spoken

HEADER = ["changed", "value", "rule", "mean loss", "samples"]

_COLOURS = (ORANGE, BLUE, GREEN, RED, PINK, SKY)
_OVER = (("agents", "number of agents, n"), ("exponent", "exponent of the curve, b"))
_WHAT = (
    ("loss", "Members' loss", "of the loss alone"),
    ("samples_share", "Samples collected", "of what all would use alone"),
)


def sweep_chart(document: dict[str, Any]) -> Chart:
    """Four panels: losses and samples, over n and over b."""
    return Chart(
        "sweep",
        None,
        "Losses and samples, by rule",
        _says(document),
        [
            Panel(title, _lines(document, over, x, key, y), 3.9)
            for key, title, y in _WHAT
            for over, x in _OVER
        ],
        HEADER,
        [
            [row[key] for key in ("over", "value", "rule", "loss", "samples_share")]
            for row in document["rows"]
        ],
        columns=2,
    )


def _lines(document: dict[str, Any], over: str, x: str, key: str, y: str) -> Draw:
    def draw(axes: Axes) -> None:
        for rule, colour in zip(document["rules"], _COLOURS, strict=False):
            rows = [r for r in document["rows"] if (r["over"], r["rule"]) == (over, rule["rule"])]
            axes.plot(
                [row["value"] for row in rows],
                [row[key] for row in rows],
                color=INK if rule["benchmark"] else colour,
                ls="--" if rule["benchmark"] else "-",
                marker="o",
                ms=3,
                label=rule["title"],
            )
        axes.axhline(1, color=EDGE, lw=1, ls=":", zorder=0.9)
        axes.set_xscale("log")
        ticks = sorted({row["value"] for row in document["rows"] if row["over"] == over})
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(Percent())
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        legend_below(axes, 2)

    return draw


def _says(document: dict[str, Any]) -> str:
    """Who bears least with most agents, and collects most."""
    most = max(row["value"] for row in document["rows"] if row["over"] == "agents")
    last = [row for row in document["rows"] if (row["over"], row["value"]) == ("agents", most)]
    titles = {
        rule["rule"]: spoken(rule["title"]) for rule in document["rules"] if not rule["benchmark"]
    }
    rows = [row for row in last if row["rule"] in titles]
    if not rows:
        return ""
    least = min(rows, key=lambda row: float(row["loss"]))
    many = max(rows, key=lambda row: float(row["samples_share"]))
    return (
        f"Of {most:,} agents {titles[least['rule']]} leaves members the least to bear, "
        f"{percent(least['loss'])} of their loss alone; {titles[many['rule']]} collects the most, "
        f"{percent(many['samples_share'])} of what all would use alone."
    )
