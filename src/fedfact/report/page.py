"""The page: one HTML file with everything in it, and nothing fetched from anywhere."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from ..data.load import TITLES
from ..study.directory import Result
from .cases import Case, cases_of
from .chart import Chart
from .inline import inline
from .key_numbers import checks, key_numbers, other_numbers
from .markup import code, details, section, table
from .meanings import meanings
from .words import listed, span

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
<header>
<p class="kicker">fedfact <button id="theme" type="button" hidden>light or dark</button></p>
<h1>$title</h1>
<p class="lead">$lead</p>
</header>
<nav aria-label="Contents"><ol>
$contents
</ol></nav>
<main>
$main
</main>
<div id="tip" role="status" hidden></div>
<script>
$script
</script>
</body>
</html>
""")


def page(results: Sequence[Result], charts: Sequence[Chart], tick: Callable[[], None]) -> str:
    """The page about these studies; ``tick`` is called after each of the charts."""
    cases = cases_of(results)
    style, script = (_own(name) for name in ("page.css", "page.js"))
    sections = [("numbers", "Key numbers", _numbers(cases))]
    for chart in charts:
        sections.append((chart.stem, _called(chart), _chart(chart)))
        tick()
    sections += [
        ("checks", "Checks", _checks(cases)),
        ("meanings", "What the losses mean", meanings()),
        ("reproduce", "Reproduce", "\n".join(map(_study, results))),
    ]
    return _PAGE.substitute(
        title=escape(f"FACT on {listed(_data(results))}"),
        lead=escape(_lead(results)),
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{_hash(script)}'",
        style=style,
        script=script,
        contents="\n".join(
            f'<li><a href="#{escape(name)}">{escape(title)}</a></li>' for name, title, _ in sections
        ),
        main="\n".join(section(name, title, inside) for name, title, inside in sections),
    )


def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def _hash(script: str) -> str:
    """Of the script as it stands between its tags: a browser runs this one and no other."""
    return b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()


def _called(chart: Chart) -> str:
    return chart.title if chart.number is None else f"Figure {chart.number}: {chart.title}"


def _lead(results: Sequence[Result]) -> str:
    """What was run."""
    arms = sum(len(result.summary["arms"]) for result in results)
    agents = span((result.summary["agents"] for result in results), "{:,}".format)
    seeds = span((len(result.summary["seeds"]) for result in results), "{:,}".format)
    text = f"{_counted(len(results), 'study', 'studies')}, {_counted(arms, 'case', 'cases')}, "
    if seeds == "1":
        return f"{text}{agents} agents, 1 seed."
    text += f"{agents} agents, {seeds} seeds each."
    return f"{text} ± is half of a 95 % interval over seeds (Student)."


def _data(results: Sequence[Result]) -> list[str]:
    """The data sets, each once."""
    return list(dict.fromkeys(TITLES[case.dataset] for case in cases_of(results)))


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _numbers(cases: Sequence[Case]) -> str:
    """The key numbers, and to open: the same at the other end of training."""
    parts = [table(*key_numbers(cases))]
    for score, text in (
        ("best", "The same had every model been taken at its epoch of lowest test loss"),
        ("final", "The same after the last epoch"),
    ):
        header, rows = other_numbers(cases, score)
        if rows:
            parts.append(details(text, table(header, rows)))
    return "\n".join(parts)


def _chart(chart: Chart) -> str:
    where = "Not in the paper" if chart.number is None else f"Figure {chart.number} in the paper"
    two = " two" if chart.columns == 2 else ""
    panels = "\n".join(
        inline(panel, f"{chart.stem}-{k}-", chart.sentence) for k, panel in enumerate(chart.panels)
    )
    return (
        f'<p class="where">{where}</p><p class="says">{escape(chart.sentence)}</p>\n'
        f'<div class="panels{two}">\n{panels}\n</div>\n'
        f"{details('The table behind it', table(chart.header, chart.rows))}"
    )


def _checks(cases: Sequence[Case]) -> str:
    text = (
        "Agents over all seeds that pass. Contributes, of honest agents: it uses the number of "
        "samples that is best for it, found by search, or all that it has. Rational: it ends no "
        "worse than alone, whatever is drawn. Surplus is what the operator is left with and "
        "shortfall what compensations lack, mean over seeds, in units of test loss."
    )
    return f'<p class="says">{text}</p>{table(*checks(cases))}'


def _study(result: Result) -> str:
    """The command, the resolved study, and what it ran on."""
    made = [[key, _told(value)] for key, value in result.manifest.items() if key != "command"]
    return (
        f"<h3>{escape(str(result.summary['study']))}</h3>"
        f"{code(str(result.manifest.get('command', '')))}"
        f"{details('The study in full', code(result.config))}"
        f"{details('Versions and hardware', table(['', ''], made))}"
    )


def _told(value: Any) -> str:
    """Words as they are, and of a table each entry."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(entry)}" for key, entry in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
