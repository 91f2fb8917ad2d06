"""Play over rounds in one picture: of every rule the samples used, and beside them the reports."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..base.chart import Chart, Draw, Panel
from ..base.style import EDGE
from .plays import federations, plays_of, titles_of
from .reports import reports_panel, reports_say
from .samples import HEADER, samples_panel, samples_rows, samples_say, top_of

_HEIGHT = 2.9


def dynamics(document: dict[str, Any]) -> Chart:
    """Of as many ways to play as the document has; reports where agents may lie."""
    plays = plays_of(document)
    titles = titles_of(plays)
    still = {name for play in plays for name, rule in play.rules.items() if rule.get("benchmark")}
    names = [name for name in federations(titles) if name not in still] or federations(titles)
    lying = [play for play in plays if play.key != "true"]
    key = Panel("How to read it", _key(plays[0].colour, bool(lying)), _HEIGHT)
    panels = []
    for name in names:
        panels.append(samples_panel(plays, name, f"{titles[name]}: samples", top_of(plays)))
        if lying and any(play.rules[name].get("asks", True) for play in lying):
            panels.append(reports_panel(lying, name, f"{titles[name]}: reports"))
        elif lying and key not in panels:
            panels.append(key)  # in the place of reports that nobody asks for
    if key not in panels:
        panels.append(key)
    sentence = f"{samples_say(plays)} {reports_say(lying)}" if lying else samples_say(plays)
    return Chart(
        "dynamics",
        None,
        "Dynamics: samples and reports, round by round",
        sentence,
        panels,
        HEADER,
        samples_rows(plays, names),
        columns=4 if len(panels) > 6 else 2 if lying and len(panels) > 3 else 3,
    )


def _key(colour: str, reports: bool) -> Draw:
    """What lines, bands and dots are."""
    entries: list[tuple[Any, str]] = [
        (Line2D([], [], color=colour, lw=1.8), "samples of all together"),
        (Line2D([], [], color=EDGE, lw=1, ls="--"), "what all would use alone"),
        (Line2D([], [], color=colour, marker="o", ms=5, ls=""), "where play ends"),
        (Line2D([], [], color=colour, lw=1.5, ls=(0, (1, 2.5))), "at rest from there on"),
    ]
    if reports:
        entries[2:2] = [
            (Line2D([], [], color=colour, lw=1.8), "reports: the median of them"),
            (Patch(facecolor=colour, alpha=0.2), "reports: from 10 % to 90 % of agents"),
            (Line2D([], [], color=EDGE, lw=1, ls="--"), "the median cost"),
        ]

    def draw(axes: Axes) -> None:
        axes.set_axis_off()
        handles, labels = zip(*entries, strict=True)
        axes.legend(handles, labels, loc="upper left", borderaxespad=0, borderpad=0, fontsize=9.5)

    return draw
