"""Options that the commands of the lab have in common."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import InputError
from ...settlement.terms import read_terms

if TYPE_CHECKING:
    from ...lab import Setting

Agents = Annotated[int | None, typer.Option(help="Number of agents (default 16).")]
Costs = Annotated[
    str | None,
    typer.Option(
        help="True costs: a distribution of scipy.stats, as lognorm:s=0.5 (default "
        "norm:loc=1,scale=0.1), or a CSV or JSON file with a column true_cost."
    ),
]
TermsFile = Annotated[
    Path | None,
    typer.Option("--terms", help="TOML file with the terms (default: A = 1e6, α = 1, κ = 1)."),
]
_RULES = "local, federated, penalised, sandwich-paper, sandwich, rebate, shaping, realfm, auction"
Only = Annotated[
    list[str] | None,
    typer.Option(help=f"One rule only; give it again for several. Of {_RULES}."),
]
_ATTACKS = (
    "inflate, deflate, median, median-low, best-reply, learner, imitator, free-rider, unverified, "
    "saboteur, collude-2, collude-2-known, collude-3, collude-3-known, merged, sybil, leave-3, "
    "leave-half"
)
OnlyAttacks = Annotated[
    list[str] | None,
    typer.Option(
        "--attack", help=f"One attack of the table; give it again for several. Of {_ATTACKS}."
    ),
]
By = Annotated[
    float, typer.Option(help="Percent by which liars inflate or deflate their cost, 1 to 99.")
]
Seed = Annotated[int, typer.Option(min=0, help="Where randomness starts.")]


def read_setting(
    agents: int | None, costs: str | None, terms: Path | None, rules: list[str] | None = None
) -> "Setting":
    """The setting, or what is wrong with it."""
    from ...lab import COSTS, TERMS, Setting  # here, because scipy loads slowly
    from ...lab.rules.registry import check_names

    check_names(rules or ())
    agreed = TERMS if terms is None else read_terms(terms)
    if agreed.error_scale is None:
        raise InputError(f"{terms}: error_scale is missing; the lab needs it")
    return Setting.read(COSTS if costs is None else costs, agents, agreed)
