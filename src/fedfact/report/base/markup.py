"""Pieces of HTML: tables and sections. Whatever comes from files is escaped here."""

from collections.abc import Sequence
from html import escape

from .words import Cell, number

_CLASS = ' class="t"'  # of words, which stand left


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table in a box of its own that scrolls, so that the page never has to."""
    words = [all(_is_words(row[k]) for row in rows) for k in range(len(header))]
    head = "".join(
        f'<th scope="col"{_CLASS if left else ""}>{escape(name)}</th>'
        for name, left in zip(header, words, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _is_words(value: Cell) -> bool:
    return isinstance(value, str) and " ± " not in value


def _cell(value: Cell) -> str:
    """Numbers are aligned as numbers, words as words, and an interval stands small."""
    if value is None or value != value:
        return "<td></td>"
    if _is_words(value):
        return f"<td{_CLASS}>{escape(str(value))}</td>"
    if isinstance(value, str):
        mean, _, half = value.partition(" ± ")
        return f"<td>{escape(mean)} <small>± {escape(half)}</small></td>"
    return f"<td>{value:,}</td>" if isinstance(value, int) else f"<td>{number(value)}</td>"


def section(name: str, title: str, *parts: str) -> str:
    """A part of the page that can be linked to."""
    inside = "\n".join(part for part in parts if part)
    return f'<section id="{escape(name)}">\n<h2>{escape(title)}</h2>\n{inside}\n</section>'


def details(summary: str, inside: str) -> str:
    """Something that the reader opens."""
    return f"<details><summary>{escape(summary)}</summary>{inside}</details>"


def code(text: str) -> str:
    """Text as it stands."""
    return f'<pre class="scroll" tabindex="0"><code>{escape(text)}</code></pre>'
