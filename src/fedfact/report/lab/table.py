"""Rules side by side: the key numbers of each in a line."""

import math
from typing import Any

from ..base.words import Cell, listed
from .summary import Hit, summaries

RULE_COLUMNS = {
    "samples, if true": "samples, true",
    "samples, if agents lie": "samples, lies",
    "contribute": "contribute",
    "loss, if true": "loss, true",
    "loss, if agents lie": "loss, lies",
    "loss of the worst-off": "worst-off",
    "server keeps": "server",
    "shut out": "shut out",
    "a liar gains at most": "a liar gains",
    "an attack gains at most": "an attack",
    "the best-placed gain at most": "best placed",
    "a claim gains": "a claim",
}
"""Of numbers: their names, and short ones for a terminal."""

MEANS = (
    "In percent: samples of what all would use alone, losses and gains of the loss alone, what the "
    "server keeps (or pays, if below 0) an agent of the mean loss alone. Contributors, the "
    "worst-off, the server and who is shut out are those where agents may lie and know all "
    "reports. A liar is one agent, an attack whatever was tried with samples that are counted, a "
    "claim one of samples that nobody counts; gains are over what honest agents bear under that "
    "rule, on average over attackers. Best placed: the same by whoever gains most, of the "
    "cheapest, the dearest and those in the middle (the median over populations)."
)


def restless(document: dict[str, Any]) -> str:
    """Of which rules the numbers are not final; nothing where all are."""
    still = [
        each.spoken
        for each in summaries(document)
        if not (each.true["converged"] and each.strategic["converged"])
    ]
    return f" Not at rest yet, and worth more rounds: {listed(still)}." if still else ""


def rules_side_by_side(document: dict[str, Any]) -> tuple[list[str], list[list[Cell]]]:
    """Header and rows: numbers first, then the best attack, what must be known, and the source."""
    rows: list[list[Cell]] = []
    for each in summaries(document):
        true, lies = each.true, each.strategic
        claim = each.claims[0] if each.claims else None
        rows.append(
            [
                each.title,
                _percent(true["samples_share"]),
                _percent(lies["samples_share"]),
                lies["contributors"],
                _percent(true["loss"]["mean"]),
                _percent(lies["loss"]["mean"]),
                _percent(lies["loss"]["worst"]),
                _percent(lies["surplus"]),
                lies["shut_out"],
                *(_percent(_gain(hit)) for hit in (each.best_alone, each.best)),
                _percent(each.best_placed),
                _percent(_gain(claim)),
                each.pays[0].attack if each.pays else "none",
                each.true["needs"],
                each.true["source"],
            ]
        )
    return ["rule", *RULE_COLUMNS, "the best attack", "has to know", "source"], rows


def _gain(hit: Hit | None) -> float | None:
    """Nothing, where the best attack does not pay."""
    return None if hit is None else hit.amount if hit.pays else 0.0


def _percent(part: float | None) -> float | None:
    return None if part is None or math.isnan(part) else 100 * round(part, 6)
