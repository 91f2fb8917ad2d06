"""``fedfact federation demo``: a whole consortium on this machine, in one command."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ..shared.options import AsJson
from ..shared.output import note, print_json, stdout
from .view import STOPPED, money_unit, paths, print_overview, watching


def demo(
    directory: Annotated[
        Path, typer.Option(help="Where to make it; a demo that is there already goes on.")
    ] = Path("runs/federation-demo"),
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Rounds of training.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Three members and an operator as real processes over mutual TLS, from nothing to settled.

    Each member has a third of scikit-learn's digits and a cost of its own; at the end the ledger
    is verified and every member has its statement and the model. Exit code 4 if it was stopped
    or paused.
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
        worth = money_unit(found["overview"]).worth
        for member, loss in found["members"].items():
            alone, settled = loss["alone"], loss["settled"]
            stdout().print(
                f"{member} would lose {worth(alone)} alone and loses {worth(settled)} as settled "
                f"({settled / alone - 1:+.1%})"
            )
        checks = found["checks"]
        held = sum(check["holds"] is True for check in checks)
        right = found["accuracy"]
        model = (
            "There is no model."
            if right is None
            else f"The federated model is right on {right:.2%} of the test digits."
        )
        stdout().print(
            f"Ledger: {held} of {len(checks)} checks hold. {model} Took {found['seconds']:.0f} s."
        )
        stdout().print(f"Look further:\n{paths(directory / 'operator', found['overview'])}")
    if not found["sound"]:
        raise InputError(f"{directory}: the ledger does not verify")
