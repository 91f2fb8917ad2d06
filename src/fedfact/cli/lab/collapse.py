"""``fedfact lab collapse``: the free-rider dilemma, trained for real."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...data.registry import FROM_SCRATCH
from ...extras import require
from ..shared.options import AsJson, DataDirectory, DeviceOption
from ..shared.output import note, print_json, print_table, stdout
from ..shared.progress import progress_bar
from ..shared.tables import new_table


def collapse(
    dataset: Annotated[str, typer.Argument(help=f"{', '.join(FROM_SCRATCH)}.")] = "digits",
    agents: Annotated[int | None, typer.Option(help="Number of agents (default: 16).")] = None,
    costs: Annotated[
        str | None,
        typer.Option(help="norm:loc=1,scale=0.1 or another of scipy.stats, or a CSV or JSON file."),
    ] = None,
    seeds: Annotated[int, typer.Option(help="How many seeds: 0, 1, 2, ...")] = 3,
    epochs: Annotated[
        int | None, typer.Option(help="E: times over the data; few tell little.")
    ] = None,
    device: DeviceOption = "auto",
    data_dir: DataDirectory = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory of results (default: runs/collapse-NAME)."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on in a directory that holds results already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train what agents contribute in the equilibrium of each rule, and compare the models.

    Costs are drawn anew for every seed. Work that was stopped or killed goes on with --resume; what
    is finished is not done again.
    """
    from ...lab import COSTS, Setting  # here, because torch loads slowly
    from ...study.collapse.run import recipe_of, run_collapse
    from ...training import Machine

    require("matplotlib")
    recipe = recipe_of(dataset, epochs)
    setting = Setting.read(COSTS if costs is None else costs, agents)
    machine = Machine(device)
    folder = output or Path("runs") / f"collapse-{dataset}"
    try:
        with progress_bar() as (progress, note_above):
            found = run_collapse(
                dataset,
                setting,
                machine,
                folder,
                seeds=seeds,
                recipe=recipe,
                resume=resume,
                data_dir=data_dir,
                progress=progress,
                note=note_above,
            )
            from ...report.single.collapse import write_collapse

            document = found.document()
            picture, sentence = write_collapse(document, folder)
    except KeyboardInterrupt:
        note(f"stopped; the same command with --resume goes on from {folder}")
        raise typer.Exit(130) from None
    if as_json:
        print_json(document)
        return
    _print(document)
    stdout().print(f"{sentence}\n\nThe figure: {picture}", soft_wrap=True)


def _print(document: dict[str, Any]) -> None:
    """A line for each rule: what it collects and ends with, reports true and not."""
    from ...report.single.collapse import cells, halves

    of = ("samples", "agents", "accuracy")
    table = new_table("rule", *of, *(f"if they lie: {of[0]}", *of[1:]), "")
    for true, lies in zip(*halves(document), strict=True):
        remark = "" if true["gives_model"] else "the model is the server's"
        table.add_row(true["title"], *cells(true), *cells(lies), remark)
    print_table(table)
    seeds = len(document["seeds"])
    over = f"means over {seeds} seeds, ± half of the 95 % interval (Student)"
    stdout().print(
        f"{document['title']}, {document['agents']} agents, epochs: {document['epochs']}. Samples "
        f"and agents behind one model, and its test accuracy: {over if seeds > 1 else 'one seed'}. "
        "Of agents that train alone: means over agents. An agent's own best is "
        f"{document['alone']:,.0f} samples of the {document['samples_available']:,} there are.",
        soft_wrap=True,
    )
