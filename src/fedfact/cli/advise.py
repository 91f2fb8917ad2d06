"""``fedfact advise``: what joining would mean, before signing."""

from pathlib import Path
from typing import Annotated

import typer

from ..advice import (
    Advice,
    Applicant,
    assumptions,
    guarantees,
    others_from_file,
    others_like,
    recommendation,
)
from ..advice import advise as work_out
from ..advice.recommendation import document, remarks
from ..arrays import IN_RANGE, LARGEST, SMALLEST
from ..errors import InputError
from ..io.files import write_whole
from ..report import FIGURES
from ..settlement.terms import read_terms
from .shared.options import AsJson, check_picture
from .shared.output import note, print_json, print_table, stdout
from .shared.tables import new_table

ASSUMED_AGENTS = 6  # the fewest we recommend


def advise(
    cost: Annotated[float, typer.Option(help="Your true cost of one sample.")],
    terms: Annotated[
        Path, typer.Option(help="The terms you were offered: TOML, or a federation's terms.json.")
    ],
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
    size: Annotated[
        int | None, typer.Option(min=1, help="Your size, where members have sizes (default 1).")
    ] = None,
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
    if not SMALLEST <= cost <= LARGEST:
        raise InputError(f"--cost is {cost}; it must be {IN_RANGE}")
    if not 0 < lie < 100 or not 0 < free_ride < 100:
        raise InputError("--lie and --free-ride are percentages; they must lie between 0 and 100")
    if others is not None and (total is not None or agents is not None):
        raise InputError("--others says it all; leave out --total and --agents")
    if total is not None and agents is None:
        raise InputError("--total needs --agents, the number of agents that share it")
    check_picture(plot, FIGURES, terms, others)
    offered = read_terms(terms)
    if offered.error_scale is None:
        raise InputError(f"{terms}: error_scale is missing; advice needs it")
    if others is not None:
        rivals = others_from_file(others, offered, size)
    else:
        rivals = others_like(cost, offered, agents or ASSUMED_AGENTS, total, size or 1)
    applicant = Applicant(
        cost,
        offered,
        rivals,
        knows_reports=others is not None,
        capacity=capacity,
        size=size or 1,
    )
    advice = work_out(applicant, lie=lie / 100, free_ride=free_ride / 100)
    worth_knowing = remarks(applicant)
    for remark in worth_knowing:
        note(remark)
    if plot is not None:
        from ..report.single.loss_curves import picture_of_losses

        write_whole(plot, picture_of_losses(advice, applicant, plot.suffix.lower()))
        note(f"wrote {plot}")
    print_json(document(advice) | {"remarks": worth_knowing}) if as_json else _print(advice)


def _print(advice: Advice) -> None:
    """What to do, what it costs and brings, what a lie would do, and what that rests on."""
    console, terms, alone = stdout(), advice.terms, advice.alone
    money = terms.money_unit
    console.print(recommendation(advice), style="bold")
    console.print(
        f"\nUnder these terms m* = {advice.optimum:,.6g} samples are best for you; use "
        f"{advice.samples:,}. Alone you would use {advice.at_home:,} and end at a loss of "
        f"{money.worth(alone)}.\nYour fee is {money.money(advice.fee)} (never above "
        f"{money.money(advice.largest_fee)}, whoever the others are).\n\n"
        f"What each rule would mean for you, with losses in {money.name}:"
    )
    table = new_table(
        "rule", "samples", "fee", "worst", "believed", "realised", "best", "realised, of alone"
    )
    for outcome in advice.outcomes:
        values = (outcome.worst, outcome.believed, outcome.realised, outcome.best)
        mark = " (these terms)" if outcome.rule == terms.rule else ""
        share = f"{outcome.realised / alone - 1:+.1%}"
        amounts = (f"{outcome.samples:,}", money.amount(outcome.fee), *map(money.loss, values))
        table.add_row(outcome.rule + mark, *amounts, share)
    print_table(table, ("believed", "best", "fee"))
    console.print("What it would change, in percent of your loss alone (+ is worse for you):")
    titles = {"federated": "no mechanism", "penalised": "penalty only"}
    every = [deviation.added for deviation in advice.deviations]
    plays = [play for play in every[0] if any(added[play] is not None for added in every)]
    table = new_table(
        "if you …", *(titles.get(play, play.replace("_realised", ", realised")) for play in plays)
    )
    for deviation in advice.deviations:
        table.add_row(deviation.name, *(_percent(deviation.added[play]) for play in plays))
    print_table(table, ("penalty only", "no mechanism"))
    console.print("Your worst outcome against training alone, if the curve of the terms is wrong:")
    table = new_table("if …", *(outcome.rule for outcome in advice.outcomes))
    for wrong in advice.if_wrong:
        table.add_row(wrong.name, *(_percent(worst) for worst in wrong.worst.values()))
    print_table(table)
    _list("This rule guarantees to members who keep their word:", guarantees(advice))
    _list("This assumes:", assumptions(advice))


def _percent(part: float | None) -> str:
    return "–" if part is None else f"{part:+.1%}"


def _list(title: str, sentences: list[str]) -> None:
    """The sentences under their title, if there are any."""
    if sentences:
        stdout().print("\n · ".join((title, *sentences)))
