"""Play over rounds in one picture: of every rule the samples used, and beside them the reports."""

from typing import Any

from .chart import Chart
from .lab_plays import federations, plays_of, titles_of
from .lab_reports import reports_panel, reports_say
from .lab_samples import HEADER, samples_panel, samples_rows, samples_say, top_of


def dynamics(document: dict[str, Any]) -> Chart:
    """Of as many ways to play as the document has; reports where agents may lie."""
    plays = plays_of(document)
    titles = titles_of(plays)
    names = federations(titles)
    lying = [play for play in plays if play.key != "true"]
    panels = []
    for name in names:
        panels.append(samples_panel(plays, name, f"{titles[name]}: samples", top_of(plays)))
        if lying:
            panels.append(reports_panel(lying, name, f"{titles[name]}: reports"))
    sentence = f"{samples_say(plays)} {reports_say(lying)}" if lying else samples_say(plays)
    return Chart(
        "dynamics",
        None,
        "Dynamics: samples and reports, round by round",
        sentence,
        panels,
        HEADER,
        samples_rows(plays, names),
        columns=4 if len(panels) > 6 else 2 if lying else 3,
    )
