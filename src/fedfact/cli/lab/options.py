"""Options that the commands of the lab have in common."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ...lab import COSTS, TERMS, Setting, rule_names
from ...lab.attacks.registry import all_attacks
from ...lab.rules.registry import check_names
from ...settlement.terms import read_terms

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
Only = Annotated[
    list[str] | None,
    typer.Option(help=f"One rule only; give it again for several. Of {', '.join(rule_names())}."),
]
OnlyAttacks = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        help="One attack of the table; give it again for several. Of "
        f"{', '.join(each.name for each in all_attacks(6))}.",
    ),
]
By = Annotated[
    float, typer.Option(help="Percent by which liars inflate or deflate their cost, 1 to 99.")
]
Seed = Annotated[int, typer.Option(min=0, help="Where randomness starts.")]


def read_setting(
    agents: int | None, costs: str | None, terms: Path | None, rules: list[str] | None = None
) -> Setting:
    """The setting, or what is wrong with it."""
    check_names(rules or ())
    agreed = TERMS if terms is None else read_terms(terms)
    if agreed.error_scale is None:
        raise InputError(f"{terms}: error_scale is missing; the lab needs it")
    return Setting.read(COSTS if costs is None else costs, agents, agreed)
