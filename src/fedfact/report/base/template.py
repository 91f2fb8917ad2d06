"""The template of our pages: one HTML file with everything in it, and nothing fetched."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from .chart import Chart
from .inline import inline
from .markup import details, section, table

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

Section = tuple[str, str, str]
"""Name to link to, title, HTML."""


def whole_page(title: str, lead: str, sections: Iterable[Section]) -> str:
    """A page of sections, with a table of contents."""
    parts = list(sections)
    style, script = (_own(name) for name in ("page.css", "page.js"))
    return _PAGE.substitute(
        title=escape(title),
        lead=escape(lead),
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{_hash(script)}'",
        style=style,
        script=script,
        contents="\n".join(
            f'<li><a href="#{escape(name)}">{escape(title)}</a></li>' for name, title, _ in parts
        ),
        main="\n".join(section(name, title, inside) for name, title, inside in parts),
    )


def chart_html(chart: Chart, where: str = "") -> str:
    """What a chart says, its panels, and the table to open; ``where`` else it can be found."""
    above = f'<p class="where">{escape(where)}</p>' if where else ""
    two = " two" if chart.columns == 2 else ""
    panels = "\n".join(
        inline(panel, f"{chart.stem}-{k}-", chart.sentence) for k, panel in enumerate(chart.panels)
    )
    return (
        f'{above}<p class="says">{escape(chart.sentence)}</p>\n'
        f'<div class="panels{two}">\n{panels}\n</div>\n'
        f"{details('The table behind it', table(chart.header, chart.rows))}"
    )


def cell_text(value: Any) -> str:
    """Words as they are, and of a table each entry."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {cell_text(entry)}" for key, entry in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def _hash(script: str) -> str:
    """Of the script as it stands between its tags: a browser runs this one and no other."""
    return b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
