"""``fedfact lab sweep``: losses and samples by rule, over n and over b."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...io.files import write_whole
from ...lab.sweep import SWEPT
from ...lab.sweep import sweep as sweep_all
from ..shared.options import AsJson, check_picture
from ..shared.output import note, print_json, print_table, stdout
from ..shared.progress import progress_bar
from ..shared.tables import new_table
from .options import Agents, Costs, Only, Seed, TermsFile, read_setting


def sweep(
    agents: Agents = None,
    costs: Costs = None,
    terms: TermsFile = None,
    rule: Only = None,
    populations: Annotated[int, typer.Option(min=2, help="Populations to average over.")] = 200,
    seed: Seed = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw it: .png or .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """What honest members bear and use: from 3 to 128 of them, and with flat and steep curves."""
    check_picture(plot, (".png", ".svg"), terms)
    setting = read_setting(agents, costs, terms, rule)
    with progress_bar() as (progress, _):
        document = sweep_all(
            setting, populations=populations, seed=seed, rules=rule or SWEPT, progress=progress
        ).document()
    if plot is not None:
        from ...report.base.pictures import pictures
        from ...report.lab.sweep import sweep_chart

        write_whole(plot, pictures(sweep_chart(document))[plot.suffix.lower()])
        note(f"wrote {plot}")
    print_json(document) if as_json else _print(document)


def _print(document: dict[str, Any]) -> None:
    from .tables import part

    names = [rule["rule"] for rule in document["rules"]]
    cells = {(row["over"], row["value"], row["rule"]): row for row in document["rows"]}
    for over, title in (("agents", "agents"), ("exponent", "exponent b")):
        table = new_table(title, *(rule["title"] for rule in document["rules"]))
        for value in dict.fromkeys(value for changed, value, _ in cells if changed == over):
            found = (cells[over, value, name] for name in names)
            table.add_row(
                f"{value:g}", *(f"{part(c['loss'])} · {part(c['samples_share'])}" for c in found)
            )
        print_table(table)
    stdout().print(
        "Mean loss of honest agents, in parts of the loss alone · samples, in parts of what all "
        f"would use alone; over n with b = {document['exponent']:g}, over b with "
        f"{document['agents']} agents. Means over {document['populations']:,} populations."
    )
