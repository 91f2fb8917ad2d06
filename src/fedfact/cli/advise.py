"""``fedfact advise``: what joining would mean, before signing."""

from pathlib import Path
from typing import Annotated

import typer

from ..federation.others import others_from_file, others_like
from ..federation.terms_file import read_terms
from ..files import check_output, write_whole
from ..mechanism import InputError
from ..mechanism.arrays import IN_RANGE, LARGEST, SMALLEST
from ..report import FIGURES
from .console import note, print_json
from .options import AsJson

ASSUMED_AGENTS = 6  # the fewest we recommend


def advise(
    cost: Annotated[float, typer.Option(help="Your true cost of one sample.")],
    terms: Annotated[Path, typer.Option(help="TOML file with the terms you were offered.")],
    others: Annotated[
        Path | None, typer.Option(help="CSV or JSON with the other agents, as for settle.")
    ] = None,
    total: Annotated[
        int | None, typer.Option(min=1, help="Samples of all agents together, with yours.")
    ] = None,
    agents: Annotated[
        int | None, typer.Option(min=3, help="Number of agents, with you (default 6).")
    ] = None,
    capacity: Annotated[int | None, typer.Option(min=1, help="The most samples you have.")] = None,
    lie: Annotated[float, typer.Option(help="What if you misreported by so many percent?")] = 20,
    free_ride: Annotated[
        float, typer.Option(help="What if you held back so many percent of your data?")
    ] = 75,
    plot: Annotated[Path | None, typer.Option(help="Draw your losses: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Advise a member: how much data to use, what joining costs and brings, what a lie would do.

    Say what you know of the others: a file, or how many you are and how many samples all have. Of
    what you leave open, the others are taken to be like you.
    """
    from ..federation.advice import advise as work_out  # here, because scipy loads slowly
    from ..federation.member import Member
    from ..federation.recommendation import document
    from .advice_table import print_advice

    if not SMALLEST <= cost <= LARGEST:
        raise InputError(f"--cost is {cost}; it must be {IN_RANGE}")
    if not 0 < lie < 100 or not 0 < free_ride < 100:
        raise InputError("--lie and --free-ride are percentages; they must lie between 0 and 100")
    if others is not None and (total is not None or agents is not None):
        raise InputError("--others says it all; leave out --total and --agents")
    if total is not None and agents is None:
        raise InputError("--total needs --agents, the number of agents that share it")
    if plot is not None:
        check_output(plot, FIGURES, (terms,) if others is None else (terms, others))
    offered = read_terms(terms)
    if offered.error_scale is None:
        raise InputError(f"{terms}: error_scale is missing; advice needs it")
    if others is not None:
        rivals = others_from_file(others, offered)
    else:
        rivals = others_like(cost, offered, agents or ASSUMED_AGENTS, total)
    member = Member(cost, offered, rivals, knows_reports=others is not None, capacity=capacity)
    advice = work_out(member, lie=lie / 100, free_ride=free_ride / 100)
    if plot is not None:
        from ..report.loss_curves import picture_of_losses

        write_whole(plot, picture_of_losses(advice, member, plot.suffix.lower()))
        note(f"wrote {plot}")
    print_json(document(advice)) if as_json else print_advice(advice)
