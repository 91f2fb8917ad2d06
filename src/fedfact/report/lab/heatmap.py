"""The table rule by attack as a picture: a coloured cell for each, with its number in it."""

from dataclasses import dataclass
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ..base.chart import Draw
from ..base.style import BLUE, EDGE, GREY, GRID, INK, RED
from ..base.words import percent
from .plays import short
from .summary import SMALL

_DARKEST = 0.55
"""Of a cell's colour: letters stay readable on it, on a light page and on a dark one."""
_FULL = 0.5
"""The part of the loss alone that has the darkest colour."""
_LETTERS, _SMALLER, _WIDE = 8, 6.8, 9
"""Of numbers, in points: smaller ones where there are more columns than fit otherwise."""
_ATTACK = 19  # letters of an attack's name that fit beside the picture

Cells = dict[tuple[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Look:
    """What one of the tables shows, and which sign of it is bad."""

    title: str
    key: str
    marks: bool


def draw_table(of: dict[str, Any], cells: Cells, look: Look) -> Draw:
    """Attacks as rows, and as columns the rules under which there is somebody to attack."""
    rules = [rule for rule in of["rules"] if rule.get("federates", True)] or of["rules"]
    tried, letters = of["attacks"], _LETTERS if len(rules) <= _WIDE else _SMALLER

    def draw(axes: Axes) -> None:
        for x, rule in enumerate(rules):
            for y, attack in enumerate(tried):
                _cell(axes, x, y, cells.get((rule["rule"], attack["attack"])), look, letters)
        columns = [short(str(rule["title"])) for rule in rules]
        axes.set_xticks(range(len(rules)), columns, size=8, rotation=90, linespacing=0.95)
        names = [fill(str(attack["title"]), _ATTACK) for attack in tried]
        axes.set_yticks(range(len(tried)), names, size=8, linespacing=0.95)
        axes.set_xlim(-0.5, len(rules) - 0.5)
        axes.set_ylim(len(tried) - 0.5, -0.5)
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        _legend(axes, look)

    return draw


def _cell(
    axes: Axes, x: int, y: int, cell: dict[str, Any] | None, look: Look, letters: float
) -> None:
    """A coloured box with its number; what can be asked of it stands in an unseen dot."""
    value = None if cell is None or not cell["applies"] else cell[look.key]
    box = (x - 0.48, y - 0.46)
    if cell is None or value is None:
        axes.add_patch(Rectangle(box, 0.96, 0.92, facecolor="none", edgecolor=GRID, lw=0.8))
        axes.annotate("–", (x, y), ha="center", va="center_baseline", size=8, color=GREY)
        return
    dark = _DARKEST * min(1.0, (abs(value) / _FULL) ** 0.5) if abs(value) > SMALL else 0.0
    colour = RED if value > 0 else BLUE
    face: Any = (colour, dark) if dark else "none"
    axes.add_patch(Rectangle(box, 0.96, 0.92, facecolor=face, edgecolor=GRID, lw=0.8))
    axes.annotate(_brief(value), (x, y), ha="center", va="center_baseline", size=letters, color=INK)
    if look.marks and cell["irrational"]:
        axes.plot(x + 0.36, y - 0.33, marker="v", ms=4, mew=0, color=INK, label="_")
    if look.marks and cell["deficit"]:
        axes.plot(x + 0.36, y + 0.33, marker="s", ms=3.6, mew=0, color=INK, label="_")
    axes.scatter([x], [y], s=0.1, alpha=0, label=_asked(cell))


def _brief(value: float) -> str:
    """A part in percent without the sign for it, in few letters: +20, −0.3, 0, +2k."""
    hundred = 100 * value
    if abs(value) <= SMALL:
        return "0"
    size = abs(hundred)
    if size >= 1e6:
        text = f"{size:.0e}".replace("e+0", "e").replace("e+", "e")
    elif size >= 1e3:
        text = f"{size / 1e3:.0f}k"
    else:
        text = f"{size:.0f}" if size >= 9.95 else f"{size:.1f}" if size >= 0.095 else f"{size:.2f}"
    return f"{'+' if hundred > 0 else '−'}{text}"


def _asked(cell: dict[str, Any]) -> str:
    """All of a cell in words."""
    text = f"an attacker {_moves(cell['gain'], cell['gain_error'], 'gains', 'loses')}, "
    text += f"an honest agent {_moves(cell['honest'], cell['honest_error'], 'loses', 'gains')}; "
    text += f"{cell['payer']} {'pay' if cell['payer'] in ('the honest', 'both') else 'pays'}"
    if cell["irrational"]:
        text += f"; {percent(cell['irrational'])} of the honest may end worse than alone"
    return f"{text}; the server's money may run out" if cell["deficit"] else text


def _moves(value: float | None, error: float | None, up: str, down: str) -> str:
    if value is None:
        return f"{up} or {down} without end"
    if abs(value) <= SMALL:
        return f"{up} nothing"
    half = f" ± {percent(error)}" if error else ""
    return f"{up if value > 0 else down} {percent(abs(value))}{half}"


def _legend(axes: Axes, look: Look) -> None:
    """What the colours and marks mean, below."""
    if look.marks:
        handles = [
            Line2D([], [], marker="v", ms=5, mew=0, ls="", color=INK),
            Line2D([], [], marker="s", ms=4.5, mew=0, ls="", color=INK),
            Line2D([], [], marker="_", ms=6, ls="", color=GREY),
        ]
        labels = ["may end worse than alone", "the server's money may run out", "cannot be tried"]
    else:
        handles = [
            Line2D([], [], marker="s", ms=8, mew=0.6, mec=EDGE, ls="", color=(RED, _DARKEST)),
            Line2D([], [], marker="s", ms=8, mew=0.6, mec=EDGE, ls="", color=(BLUE, _DARKEST)),
            Line2D([], [], marker="_", ms=6, ls="", color=GREY),
        ]
        labels = ["the attack pays", "it costs the attacker", "cannot be tried"]
    axes.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(-0.3, -0.01),
        ncols=2 if look.marks else 3,
        borderaxespad=0,
        borderpad=0.3,
        handlelength=1.0,
        handletextpad=0.5,
        columnspacing=1.2,
        fontsize=8.5,
    )
