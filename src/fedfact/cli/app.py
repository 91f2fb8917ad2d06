"""All commands, and what they say when something is wrong."""

import io
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from .._version import __version__
from ..errors import FedfactError
from ..extras import missing
from ..io.files import reason
from .accounts.commands import accounts
from .advise import advise
from .backup import backup, restore
from .calibrate import calibrate
from .federation.commands import federation
from .lab.commands import lab
from .lab.compare import compare
from .ledger import ledger, statement
from .run.report import report
from .run.run import run
from .run.train import train
from .settle import settle
from .shared.output import error, note
from .verify import verify

app = typer.Typer(
    name="fedfact",
    help="Federated learning that is safe to join.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog="Example:  fedfact run mnist --partition iid --seeds 3 -o runs/mnist")(run)
app.command(epilog="Example:  fedfact report runs/digits runs/mnist -o runs/both")(report)
app.add_typer(lab)
app.command(epilog="Example:  fedfact compare --costs lognorm:s=0.5 -o runs/compare")(compare)
app.command(epilog="Example:  fedfact calibrate results/calibration/digits/runs.csv --value 5e6")(
    calibrate
)
app.command(epilog="Example:  fedfact settle examples/hospitals.csv --terms examples/terms.toml")(
    settle
)
app.command(epilog="Example:  fedfact advise --cost 0.5 --terms examples/terms.toml --agents 10")(
    advise
)
app.command(epilog="Example:  fedfact verify consortium")(verify)
app.command(epilog="Example:  fedfact statement consortium alder")(statement)
app.add_typer(ledger)
app.add_typer(accounts)
app.add_typer(federation)
app.command(epilog="Example:  fedfact backup consortium -o consortium.backup")(backup)
app.command(epilog="Example:  fedfact restore consortium.backup consortium")(restore)
app.command(epilog="Example:  fedfact train digits --partition dirichlet:0.3")(train)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fedfact {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Federated learning that is safe to join: fees, rewards and settlements for FACT."""


def main() -> None:
    """Run a command. Exit 0 when all is well, 2 on what the user can see to, 1 on our faults."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # where the terminal knows no ⌊ or √
    try:
        app()
    except FedfactError as refusal:
        error(str(refusal))
        sys.exit(2)
    except MemoryError:
        error("this takes more memory than there is; give smaller files, or fewer agents")
        sys.exit(2)
    except OSError as refusal:  # of the system: a name, a right or room that is not there
        error(": ".join(filter(None, (refusal.filename, reason(refusal)))))
        sys.exit(2)
    except ModuleNotFoundError as absent:
        remedy = missing(absent)
        if remedy is None:
            _own_fault(absent)
        error(str(remedy))
        sys.exit(2)
    except Exception as fault:
        _own_fault(fault)


def _own_fault(fault: Exception) -> NoReturn:
    """What to report to us, in two lines; FEDFACT_TRACEBACK=1 shows all of it."""
    if os.environ.get("FEDFACT_TRACEBACK"):
        raise fault
    last = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    error(f"a fault of fedfact's own ({type(fault).__name__}: {str(fault)[:200]}, in {where})")
    note("please report it, with what `FEDFACT_TRACEBACK=1` in the environment makes of it")
    sys.exit(1)
