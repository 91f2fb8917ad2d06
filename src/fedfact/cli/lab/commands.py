"""``fedfact lab``: what happens when people play to win."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ...errors import InputError
from ...io.files import write_whole
from ...lab.attacks.registry import check_attacks
from ...lab.attacks.table import attack as try_all
from ...lab.play.equilibrium import equilibrium as play
from ..shared.options import AsJson, check_picture
from ..shared.output import note, print_json
from ..shared.progress import progress_bar
from .collapse import collapse
from .options import Agents, By, Costs, Only, OnlyAttacks, Seed, TermsFile, read_setting
from .realfm import realfm
from .sweep import sweep

lab = typer.Typer(
    name="lab",
    help="Strategic agents against FACT and its rivals.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
lab.command(epilog="Example:  fedfact lab collapse digits --seeds 3")(collapse)
lab.command(epilog="Example:  fedfact lab realfm --agents 8")(realfm)
lab.command(epilog="Example:  fedfact lab sweep --plot sweep.png")(sweep)

_DRAWN = (".png", ".svg")


@lab.command(epilog="Example:  fedfact lab equilibrium --rule sandwich --plot play.png")
def equilibrium(
    agents: Agents = None,
    costs: Costs = None,
    terms: TermsFile = None,
    rule: Only = None,
    how: Annotated[
        Literal["replies", "hedge"],
        typer.Option(help="Best replies, or no-regret learning (Hedge)."),
    ] = "replies",
    knows: Annotated[
        Literal["own", "distribution", "all"] | None,
        typer.Option(
            help="What an agent that lies knows of costs: its own, their distribution, or all "
            "(default)."
        ),
    ] = None,
    truthful: Annotated[
        bool, typer.Option("--truthful", help="Reports are true; agents choose samples only.")
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000, help="At most.")] = 1000,
    seed: Seed = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw the rounds: .png or .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let agents play each rule until nobody wants to change anything, and see where it ends."""
    from .tables import print_equilibrium

    if how == "hedge" and (truthful or knows is not None):
        raise InputError(
            "learners know nothing and may say anything; leave out --truthful and --knows, or "
            "--how hedge"
        )
    if truthful and knows is not None:
        raise InputError("--knows is for agents that lie; leave it out, or --truthful")
    check_picture(plot, _DRAWN, terms)
    setting = read_setting(agents, costs, terms, rule)
    with progress_bar() as (progress, _):
        document = play(
            setting,
            how=how,
            lies=not truthful,
            knows=knows or "all",
            rounds=rounds,
            seed=seed,
            rules=rule,
            progress=progress,
        ).document()
    if plot is not None:
        from ...report.base.pictures import pictures
        from ...report.lab.dynamics import dynamics

        key = "true" if truthful and how == "replies" else "strategic"
        key = "learned" if how == "hedge" else key
        write_whole(plot, pictures(dynamics({key: document}))[plot.suffix.lower()])
        note(f"wrote {plot}")
    print_json(document) if as_json else print_equilibrium(document)


@lab.command(epilog="Example:  fedfact lab attack --rule rebate --costs lognorm:s=0.5")
def attack(
    agents: Agents = None,
    costs: Costs = None,
    terms: TermsFile = None,
    rule: Only = None,
    attacks: OnlyAttacks = None,
    populations: Annotated[
        int, typer.Option(min=2, help="Populations drawn to average over.")
    ] = 5000,
    by: By = 20,
    seed: Seed = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw the table: .png or .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try every attack under every rule: what it gains, whom it costs, and what it breaks.

    With one --rule, all there is to know about it; without, gains, losses and payers under all.
    """
    from .tables import print_attacks

    check_picture(plot, _DRAWN, terms)
    check_attacks(attacks or ())
    setting = read_setting(agents, costs, terms, rule)
    with progress_bar() as (progress, _):
        document = try_all(
            setting,
            populations=populations,
            seed=seed,
            rules=rule,
            attacks=attacks,
            by=by / 100,
            curves=True,
            progress=progress,
        ).document()
    if plot is not None:
        from ...report.base.pictures import pictures
        from ...report.lab.attacks import attacks as drawn

        write_whole(plot, pictures(drawn({"attacks": document}))[plot.suffix.lower()])
        note(f"wrote {plot}")
    print_json(document) if as_json else print_attacks(document)
