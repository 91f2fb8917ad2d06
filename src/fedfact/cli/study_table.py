"""A study as text for people."""

from typing import Any

from .console import print_table, stdout
from .tables import new_table

_LOSSES = {
    "local": "local",
    "federated": "federated",
    "fact_paper": "FACT, paper",
    "fact_realised": "realised",
    "fact_believed": "believed",
    "fact_settled": "settled",
    "fact_rebate": "rebate",
}


def print_study(summaries: list[dict[str, Any]]) -> None:
    """Losses and accuracies of every arm: the mean over seeds, ± half the 95 % interval."""
    table = new_table("study", "accuracy alone", "together", *_LOSSES.values(), "local/FACT")
    for summary in summaries:
        for arm in summary["arms"]:
            table.add_row(
                f"{summary['study']}, {arm['arm']}",
                _shown(arm["accuracy"]["local"], percent=True),
                _shown(arm["accuracy"]["federated"], percent=True),
                *(_shown(arm["loss"][name]) for name in _LOSSES),
                f"{arm['ratio']['fact_paper']['mean']:.2f}x",
            )
    print_table(table)
    seeds = {len(summary["seeds"]) for summary in summaries}
    over = f"{seeds.pop()} seeds" if len(seeds) == 1 else "the seeds of each"
    stdout().print(
        f"Test losses, mean over agents and {over}, ± half of the 95 % interval (Student). FACT as "
        "the paper counts it (p = ⅓), exactly for these agents, as an agent at the median "
        "believes (½), as our settlement pays, and under the rebate rule."
    )


def _shown(estimate: dict[str, Any], *, percent: bool = False) -> str:
    scale, digits, sign = (100, 1, " %") if percent else (1, 4, "")
    text = f"{scale * estimate['mean']:.{digits}f}"
    if estimate["high"] is not None:
        text += f" ± {scale * (estimate['high'] - estimate['mean']):.{digits}f}"
    return text + sign
