"""``fedfact run``: a whole study, from its data to a page worth opening."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...data.registry import DATASETS
from ...extras import require
from ..shared.options import AsJson, DataDirectory, DeviceOption
from ..shared.output import note, print_json, stdout
from ..shared.progress import progress_bar


def run(
    study: Annotated[
        str, typer.Argument(help=f"{', '.join(DATASETS)}, or a TOML file.")
    ] = "digits",
    partition: Annotated[
        list[str] | None,
        typer.Option(help="iid or dirichlet:0.3; give it again for several."),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="How many seeds: 0, 1, 2, ...")] = None,
    agents: Annotated[int | None, typer.Option(help="Number of agents.")] = None,
    device: DeviceOption = "auto",
    data_dir: DataDirectory = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory of the results (default: runs/NAME)."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on in a directory that holds this study already.")
    ] = False,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="Set one key, as training.epochs=9."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study: train alone and together, measure, settle under FACT, draw the paper's figures.

    A study that was stopped or killed goes on with --resume; what is finished is not done again.
    """
    from ...study.config.load import read_study
    from ...study.run import run_study  # here, because torch loads slowly
    from ...training import Machine
    from .study_table import print_studies

    require("matplotlib")
    given = read_study(
        study, overrides or (), partitions=partition or None, seeds=seeds, agents=agents
    )
    machine = Machine(device)
    folder = output or Path("runs") / given.name
    try:
        with progress_bar() as (progress, note_above):
            result = run_study(
                given,
                machine,
                folder,
                resume=resume,
                data_dir=data_dir,
                command=shlex.join(["fedfact", *sys.argv[1:]]),
                progress=progress,
                note=note_above,
            )
            from ...report.study.page import write_report

            page = write_report([result], folder, progress)
    except KeyboardInterrupt:
        note(f"stopped; the same command with --resume goes on from {folder}")
        raise typer.Exit(130) from None
    if as_json:
        print_json(result.summary)
    else:
        print_studies([result])
        stdout().print(f"\nThe page: {page}", soft_wrap=True)
