"""Rule against attack: what the attacker gains, what the honest lose, who pays, what breaks."""

from collections.abc import Callable, Sequence
from typing import Any

from ..base.chart import Chart, Panel
from ..base.words import Cell, percent, place_in_order, signed_percent
from .heatmap import Cells, Look, draw_table
from .plays import named, some, spoken
from .summary import pays

HEADER = ["rule", "attack", "attackers", "gain of an attacker", "± error",
          "gain of the best placed", "who that is", "loss of the honest", "± error",
          "most an honest agent loses", "who pays", "may end worse than alone",
          "money may run out", "surplus before", "surplus after", "wins before",
          "wins after"]  # fmt: skip


def attacks(document: dict[str, Any]) -> Chart:
    """The table rule by attack, as a picture for the attackers and one for the honest."""
    of = document["attacks"]
    cells = {(cell["rule"], cell["attack"]): cell for cell in of["cells"]}
    looks = (
        Look("What an attacker gains, % of its loss alone", "gain", False),
        Look("What an honest agent loses by it, %", "honest", True),
    )
    height = 2.0 + 0.29 * max(len(of["attacks"]), 3)
    return Chart(
        "attacks",
        None,
        "Attacks: who gains, and who pays",
        _says(of, cells),
        [Panel(look.title, draw_table(of, cells, look), height) for look in looks],
        HEADER,
        _rows(of, cells),
        columns=2,
    )


def _rows(of: dict[str, Any], cells: Cells) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for rule in of["rules"]:
        for attack in of["attacks"]:
            cell = cells.get((rule["rule"], attack["attack"]))
            if cell is None or not cell["applies"]:
                continue
            rows.append(
                [
                    rule["title"],
                    attack["title"],
                    attack["attackers"],
                    *(cell[key] for key in ("gain", "gain_error", "best_gain")),
                    place_in_order(cell["best_place"]),
                    *(cell[key] for key in ("honest", "honest_error", "worst")),
                    cell["payer"],
                    percent(cell["irrational"] or 0),
                    "yes" if cell["deficit"] else "no",
                    *(cell.get(key) for key in ("surplus_before", "surplus")),
                    *(cell.get(key) for key in ("wins_before", "wins")),
                ]
            )
    return rows


def _says(of: dict[str, Any], cells: Cells) -> str:
    """Which rules withstand all, which attack brings most, and what breaks."""
    tried = [cell for cell in cells.values() if cell["applies"]]
    if not tried:
        return "None of these attacks can be tried on any of these rules."
    rules = {rule["rule"]: spoken(str(rule["title"])) for rule in of["rules"]}
    called = {attack["attack"]: str(attack["title"]) for attack in of["attacks"]}
    paying = [cell for cell in tried if pays(cell)]
    if not paying:
        text = f"None of the {len(tried)} attacks pays"
    else:
        best = max(paying, key=lambda cell: float(cell["gain"]))
        text = (
            f"{len(paying)} of {len(tried)} attacks {'pays' if len(paying) == 1 else 'pay'}, most "
            f"of all “{called[best['attack']]}” under {rules[best['rule']]} "
            f"({signed_percent(best['gain'])} of the attacker's loss alone)"
        )
        safe = _without(rules, tried, pays)
        text += f"; none pays under {named(safe)}" if safe else "; every rule has one that pays"
    every = _without(rules, tried, lambda _: False)
    harmed, drained = (
        [title for title in every if title not in _without(rules, tried, bad)]
        for bad in (lambda cell: bool(cell["irrational"]), lambda cell: bool(cell["deficit"]))
    )
    text += f". Somebody honest may end worse than alone under {some(harmed, every)}"
    return f"{text}; the server's money may run out under {some(drained, every)}."


def _without(
    rules: dict[str, str],
    tried: Sequence[dict[str, Any]],
    bad: Callable[[dict[str, Any]], bool],
) -> list[str]:
    """The rules that were attacked and never in this way."""
    there = {cell["rule"] for cell in tried}
    hit = {cell["rule"] for cell in tried if bad(cell)}
    return [title for name, title in rules.items() if name in there - hit]
