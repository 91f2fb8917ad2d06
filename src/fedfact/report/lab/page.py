"""The page of the lab: all rules on one population, compared."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ...progress import Progress, silent
from ..base.chart import Chart
from ..base.markup import code, table
from ..base.publish import publish
from ..base.template import Section, cell_text, chart_html, whole_page
from ..base.words import Cell, percent
from .advice import advice_html
from .attacks import attacks
from .contributions import contributions
from .reports import reports_over_rounds
from .samples import samples_over_rounds
from .table import MEANS, restless, rules_side_by_side
from .welfare import welfare

STEMS = ("welfare", "contributions", "attacks", "samples-over-rounds", "reports-over-rounds")
"""Of the files of all figures."""


def compare_charts(document: dict[str, Any]) -> list[Chart]:
    """The figures, in their order."""
    return [
        welfare(document),
        contributions(document),
        attacks(document),
        samples_over_rounds(document),
        reports_over_rounds(document),
    ]


def write_compare(document: dict[str, Any], folder: Path, progress: Progress = silent) -> Path:
    """Write ``figures/`` and ``compare.html``; return where the page is."""
    charts = compare_charts(document)
    return publish(
        folder / "compare.html",
        charts,
        STEMS,
        lambda tick: compare_page(document, charts, tick),
        progress,
    )


def compare_page(
    document: dict[str, Any], charts: Sequence[Chart], tick: Callable[[], None]
) -> str:
    """The page; ``tick`` is called after each of the charts."""
    numbers = f'<p class="says">{escape(MEANS + restless(document))}</p>'
    numbers += table(*rules_side_by_side(document))
    sections: list[Section] = [
        ("numbers", "Rules side by side", numbers),
        ("when", "Which rule when", advice_html(document)),
    ]
    for chart in charts:
        sections.append((chart.stem, chart.title, chart_html(chart)))
        tick()
    if document["attacks"].get("curves"):
        sections.append(("curves", "Other curves, and wrong ones", _curves(document["attacks"])))
    sections += [
        ("tried", "The attacks", _attacks(document["attacks"])),
        ("reproduce", "Reproduce", _reproduce(document)),
    ]
    return whole_page("FACT and its rivals", _lead(document), sections)


def _lead(document: dict[str, Any]) -> str:
    """What was played."""
    of, attacked = document["true"], document["attacks"]
    return (
        f"{len(of['rules'])} rules, {of['agents']:,} agents with costs {of['costs']}, seed "
        f"{of['seed']}. Agents tell the truth and choose how much data to use; or they lie as is "
        "best for each, "
        + ("or learn it; " if document.get("learned") else "")
        + f"and {len(attacked['attacks'])} attacks are tried on {attacked['populations']:,} "
        "populations like this one."
    )


def _attacks(of: dict[str, Any]) -> str:
    """What each attack is."""
    rows = [[each["title"], each["attackers"], each["about"]] for each in of["attacks"]]
    return table(["attack", "attackers", "what they do"], rows)


def _curves(of: dict[str, Any]) -> str:
    """What honest agents bear with other curves than that of the terms."""
    block = of["curves"]
    cells = {(cell["rule"], cell["case"]): cell for cell in block["cells"]}
    rows: list[list[Cell]] = [
        [
            rule["title"],
            *(_borne(cells[rule["rule"], case["case"]]) for case in block["cases"]),
        ]
        for rule in of["rules"]
    ]
    says = (
        "Mean loss of honest agents, of the loss alone by the true curve, by which errors go; "
        "agents act by what the terms say. “!”: some may end worse than alone. “–”: its money "
        "does not go by the curve of the terms."
    )
    header = ["rule", *(case["title"] for case in block["cases"])]
    return f'<p class="says">{escape(says)}</p>{table(header, rows)}'


def _borne(cell: dict[str, Any]) -> str:
    if not cell["applies"]:
        return "–"
    return f"{percent(cell['loss'])}{' !' * bool(cell['irrational'])}"


def _reproduce(document: dict[str, Any]) -> str:
    setting = [[key, cell_text(value)] for key, value in document["setting"].items()]
    command = code(document["command"]) if "command" in document else ""  # none, from Python
    return f"{command}{table(['', ''], setting)}"
