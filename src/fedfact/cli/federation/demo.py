"""``fedfact federation demo``: a whole consortium on this machine, in one command."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...errors import InputError
from ...money import MoneyUnit
from ..shared.options import AsJson
from ..shared.output import note, print_json, stdout
from .view import STOPPED, money_unit, paths, print_overview, watching


def demo(
    directory: Annotated[
        Path, typer.Option(help="Where to make it; a demo that is there already goes on.")
    ] = Path("runs/federation-demo"),
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Rounds in each season.")] = 15,
    as_json: AsJson = False,
) -> None:
    """An operator and six members as real processes over mutual TLS, through two seasons.

    Each member has a sixth of scikit-learn's digits and a cost of its own. Five are in the first
    season; then one leaves for good, and one joins. At the end the ledger is verified over both,
    and every member has its statements and the models. Exit code 4 if it was stopped or paused.
    """
    from ...federation.deploy.flare.kits.paths import require_flare

    require_flare()
    from ...federation.deploy.flare.demo import run_demo

    with watching() as view:
        found = run_demo(directory, rounds, view.show)
    if as_json:
        print_json(found)
    if found["stopped"]:
        why = found["unfinished"]
        note(f"{why}; go on with fedfact federation demo --directory {directory}")
        raise typer.Exit(STOPPED)
    if not as_json:
        print_overview(found["overview"], running=False)
        _print_seasons(found["seasons"], money_unit(found["overview"]))
        checks = found["checks"]
        held = sum(check["holds"] is True for check in checks)
        stdout().print(
            f"Ledger: {held} of {len(checks)} checks hold, over both seasons and with what every "
            f"member kept. Took {found['seconds']:.0f} s."
        )
        stdout().print(f"Look further:\n{paths(directory / 'operator', found['overview'])}")
    if not found["sound"]:
        raise InputError(f"{directory}: the ledger does not verify")


def _print_seasons(seasons: list[dict[str, Any]], money: MoneyUnit) -> None:
    """Who was better off in each season, and how good its model is."""
    for season in seasons:
        right = season["accuracy"]
        model = "no model" if right is None else f"its model is right on {right:.2%} of test digits"
        stdout().print(f"Season {season['season']}: {model}.")
        for member, loss in season["members"].items():
            alone, settled = loss["alone"], loss["settled"]
            stdout().print(
                f"  {member} would lose {money.worth(alone)} alone and loses "
                f"{money.worth(settled)} as settled ({settled / alone - 1:+.1%})"
            )
