"""A panel as SVG inside a page: its colours are the page's, and its points can be asked."""

import html
import io
import json
import re

from matplotlib.figure import Figure

from .chart import WIDTH, Panel
from .hotspots import Hotspot, hotspots
from .style import COLOURS, styled


def inline(panel: Panel, prefix: str, sentence: str) -> str:
    """The panel as HTML; ``prefix`` makes its ids unlike those of all other panels.

    Those who cannot see it are told its title and the chart's sentence.
    """
    buffer = io.StringIO()
    with styled(letters=True):
        figure = Figure((WIDTH, panel.height), 72, layout="constrained")
        axes = figure.subplots()
        panel.draw(axes)
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        spots = hotspots(axes)
    title, told = html.escape(panel.title), f"{panel.title}. {sentence}"
    points = html.escape(json.dumps(_compact(spots), ensure_ascii=False, separators=(",", ":")))
    return (
        f'<figure class="panel" data-points="{points}"><figcaption>{title}</figcaption>'
        f"{_page_svg(buffer.getvalue(), prefix, told)}</figure>"
    )


def _compact(spots: list[Hotspot]) -> list[list[object]]:
    """[x, y, label, text] of each place, and of a bar its box as well."""
    return [[s.x, s.y, s.label, s.text, *(s.box or ())] for s in spots]


def _page_svg(text: str, prefix: str, told: str) -> str:
    """The drawing without what belongs to a file of its own, and without colours of its own."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)  # it would be the page's
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    # Inside tags only: what stands between them are names of agents and studies.
    text = re.sub(r"<[^>]+>", lambda tag: _page_tag(tag[0], prefix, used), text)
    text = re.sub(r"\n\s*", "\n", text)
    box = re.search(r'viewBox="[^"]*"', text)
    assert box is not None
    head = f'<svg {box[0]} role="img" aria-label="{html.escape(told)}">'
    return head + text[text.index(">") + 1 :].strip()


def _page_tag(tag: str, prefix: str, used: set[str]) -> str:
    """Short numbers, ids only where something refers to them, colours and fonts of the page."""
    tag = re.sub(r"\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}", tag)  # 1/7200 inch will do
    tag = re.sub(r' id="([^"]*)"', lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "", tag)
    tag = tag.replace("url(#", f"url(#{prefix}")
    tag = re.sub(r'(?:xlink:)?href="#', f'href="#{prefix}', tag)
    for colour, name in COLOURS.items():
        tag = re.sub(f"(?i){colour}", f"var(--{name})", tag)
    tag = re.sub(r"font-family: [^;\"]*;? ?", "", tag)
    return re.sub(r"font: ((?:\w+ )*)([\d.]+)px [^;\"]*", _font, tag)


def _font(found: re.Match[str]) -> str:
    """Older versions of matplotlib write size, weight and family in one."""
    weight = "font-weight: 600; " if re.search("bold|[67]00", found[1]) else ""
    return f"{weight}font-size: {found[2]}px"
