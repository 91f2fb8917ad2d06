"""``fedfact train``: agents train alone and together, without any money."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...data.description import SplitBy
from ...data.registry import DATASETS, SPLIT
from ...errors import InputError
from ..shared.options import AsJson, DataDirectory, DeviceOption
from ..shared.output import note, print_json
from ..shared.progress import progress_bar


def train(
    dataset: Annotated[str, typer.Argument(help=f"{', '.join(DATASETS)}.")] = "digits",
    agents: Annotated[
        int | None, typer.Option(help="Number of agents (default as in the paper: 16, or 10).")
    ] = None,
    samples: Annotated[
        str | None,
        typer.Option(help="Samples of an agent: one number, or one for each: 200,100,50."),
    ] = None,
    partition: Annotated[
        str, typer.Option(help="How labels are spread: iid, or dirichlet:0.3 for a skew.")
    ] = "iid",
    epochs: Annotated[int | None, typer.Option(help="E: times over the data.")] = None,
    local_steps: Annotated[
        int | None, typer.Option(help="h: batches between two averages.")
    ] = None,
    only: Annotated[
        Literal["local", "federated"] | None, typer.Option(help="Train only alone, or together.")
    ] = None,
    every: Annotated[int, typer.Option(help="Epochs between two tests.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all that is drawn.")] = 0,
    device: DeviceOption = "auto",
    engine: Annotated[
        Literal["fast", "plain"],
        typer.Option(help="plain: one agent after the other, the reference."),
    ] = "fast",
    precision: Annotated[
        Literal["fp32", "bf16"] | None,
        typer.Option(help="Default: bf16 on cuda, fp32 on cpu."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Agents at a time on the CPU (default: one a core).")
    ] = None,
    data_dir: DataDirectory = None,
    split: Annotated[
        SplitBy,
        typer.Option(help=f"How the test set is set apart, of {', '.join(SPLIT)}."),
    ] = "lesion",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Directory for results and checkpoints; go on where one stopped."
        ),
    ] = None,
    save_every: Annotated[int, typer.Option(help="Epochs between two checkpoints.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Train every agent alone, and all together (federated averaging), and compare on test data.

    A training that was stopped or killed goes on where it was when it is started again with the
    same --output.
    """
    from ...training import RECIPES, Machine  # here, because torch loads slowly
    from ...training.kept import check, run
    from ...training.setup import prepare
    from .training_table import print_training

    machine = Machine(device, plain=engine == "plain", precision=precision, workers=workers)
    recipe = RECIPES.get(dataset)
    if recipe is not None and epochs is not None:
        recipe = replace(recipe, epochs=epochs)
    if recipe is not None and local_steps is not None:
        recipe = replace(recipe, local_steps=local_steps)
    check(every, save_every, output)
    try:
        with progress_bar() as (progress, note_above):
            job = prepare(
                dataset,
                agents=agents,
                samples=None if samples is None else _numbers(samples),
                how=partition,
                seed=seed,
                recipe=recipe,
                directory=data_dir,
                split=split,
                progress=progress,
            )
            result = run(
                job,
                machine,
                only=only,
                every=every,
                output=output,
                save_every=save_every,
                progress=progress,
                note=note_above,
            )
    except KeyboardInterrupt:
        saved = output is not None and any(output.glob("*.checkpoint"))
        note(f"stopped; the same command goes on from {output}" if saved else "stopped")
        raise typer.Exit(130) from None
    if output is not None:
        note(f"wrote {output / 'summary.json'}")
    print_json(result) if as_json else print_training(result)


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise InputError(
            f"--samples is {text!r}; give one whole number, or one for each agent: 200,100,50"
        ) from None
