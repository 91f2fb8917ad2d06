"""``fedfact compare``: FACT and its rivals on one population, on one page."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ...extras import require
from ...io.files import write_json
from ...io.folders import check_folder, make_folder
from ...lab.comparison import compare as play_all
from ..shared.options import AsJson
from ..shared.output import print_json, print_table, stdout
from ..shared.progress import progress_bar
from ..shared.tables import new_table
from .options import Agents, By, Costs, Seed, TermsFile, read_setting

_FILES = ("compare.json", "compare.html")


def compare(
    agents: Agents = None,
    costs: Costs = None,
    terms: TermsFile = None,
    populations: Annotated[
        int, typer.Option(min=2, help="Populations that attacks are tried on.")
    ] = 5000,
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000, help="Of play, at most.")] = 1000,
    by: By = 20,
    seed: Seed = 0,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory of the page.")] = Path(
        "runs/compare"
    ),
    as_json: AsJson = False,
) -> None:
    """Compare all rules: agents that tell the truth, that lie, that learn, and that attack."""
    check_folder(output, _FILES, ("figures",))
    require("matplotlib")
    setting = read_setting(agents, costs, terms)
    with progress_bar() as (progress, _):
        found = play_all(
            setting,
            populations=populations,
            rounds=rounds,
            by=by / 100,
            seed=seed,
            progress=progress,
        )
        document = {"command": shlex.join(["fedfact", *sys.argv[1:]]), **found.document()}
        make_folder(output)
        write_json(output / "compare.json", document)
        from ...report.lab.page import write_compare  # after the work: matplotlib loads slowly

        page = write_compare(document, output, progress)
    if as_json:
        print_json(document)
    else:
        _print_rules(document)
        stdout().print(f"\nThe page: {page}", soft_wrap=True)


def _print_rules(document: dict[str, Any]) -> None:
    """The key numbers of every rule."""
    from ...report.base.words import number
    from ...report.lab.table import MEANS, RULE_COLUMNS, restless, rules_side_by_side

    _, rows = rules_side_by_side(document)
    table = new_table("rule", *RULE_COLUMNS.values())
    for title, *cells in rows:
        texts = (
            "–" if c is None else f"{c:,}" if isinstance(c, int) else number(float(c))
            for c in cells[: len(RULE_COLUMNS)]
        )
        table.add_row(str(title), *texts)
    print_table(table)
    stdout().print(MEANS + restless(document))
