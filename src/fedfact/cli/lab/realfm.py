"""``fedfact lab realfm``: RealFM with the non-linear payoff of its own agents."""

from typing import Annotated, Any

import typer

from ...lab.play.realfm import realfm as play
from ..shared.options import AsJson
from ..shared.output import print_json, print_table, stdout
from ..shared.tables import new_table
from .options import Agents, Costs, Seed, read_setting

_PAYOFFS = {"convex": "1/(1−a)² − 1", "linear": "a"}
_HOW = {
    "alone": "training alone",
    "federated": "plain federated learning",
    "true": "RealFM, true reports",
    "lies": "RealFM, agents that lie",
}


def realfm(
    agents: Agents = None,
    costs: Costs = None,
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000, help="At most.")] = 200,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Play RealFM among agents to whom accuracy has its non-linear payoff, or a linear one.

    Costs are spread about those of RealFM's experiments, as --costs are about their median.
    """
    document = play(read_setting(agents, costs, None), rounds=rounds, seed=seed).document()
    print_json(document) if as_json else _print(document)


def _print(document: dict[str, Any]) -> None:
    from .tables import part

    columns = ("samples", "of alone", "contribute", "accuracy", "an agent has", "least gain")
    table = new_table("rule", "payoff", *columns, "server has", "rounds")
    for row in document["rows"]:
        rounds = f"{row['rounds']:,}" if row.get("converged") else "no rest"
        table.add_row(
            _HOW[row["how"]],
            _PAYOFFS[row["payoff"]],
            f"{row['samples']:,.0f}",
            part(row["samples_share"]),
            f"{row['contributors']} of {document['agents']}",
            part(row["accuracy"]),
            part(row["payoff_mean"]),
            part(row["payoff_worst"], sign=True),
            f"{row['server']:.3g}",
            rounds if "rounds" in row else "",
        )
    print_table(table)
    stdout().print(
        "Samples in parts of what all would use alone; the accuracy of the model, of agents alone "
        "the mean. An agent has the payoff of its model and its share, less what its data costs: "
        "the mean, and how much more than alone for whom federation does least, in parts of the "
        "mean alone. The server has the payoff of the model, less the shares that it pays "
        f"({part(1 - document['kept'])} of it under RealFM)."
    )
