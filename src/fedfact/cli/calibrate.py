"""``fedfact calibrate``: the curve of the terms, from trainings at several sizes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.registry import DATASETS
from ..errors import InputError
from ..io.files import write_whole
from ..report import FIGURES
from .shared.options import AsJson, DataDirectory, DeviceOption, check_picture
from .shared.output import note, print_json
from .shared.progress import progress_bar

if TYPE_CHECKING:
    from ..calibration import Runs

SEEDS = 5


def calibrate(
    runs: Annotated[
        Path | None,
        typer.Argument(
            help="CSV or JSON with a row for each training: samples, seed, loss or error."
        ),
    ] = None,
    whole: Annotated[
        int | None,
        typer.Option(min=2, help="Samples of all members together (default: the most there are)."),
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(
            help="Samples of members: 400,800 or 400:3200 (default: the sizes below the whole)."
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(help="The column to calibrate on: loss, error (wrong answers) or another."),
    ] = "loss",
    value: Annotated[
        float, typer.Option(help="v, what one unit of it is worth, in the terms' currency.")
    ] = 1.0,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help=f"Train on it: {', '.join(DATASETS)}, or images as members name theirs.",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Sizes to train at besides the whole: 200,400,800 or, doubling, 200:1600."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help=f"How many seeds at each size (default: {SEEDS}).")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="E: times over the data (default: the recipe's).")
    ] = None,
    device: DeviceOption = "auto",
    data_dir: DataDirectory = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Directory of the runs (default: runs/calibrate-NAME)."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on in a directory that holds runs already.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw it: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Calibrate the curve of terms: how fast the loss falls with samples, and what is proved of it.

    Fits a·m^(−b) + e∞ to the test losses of models trained with several sizes and seeds, or to
    their shares of wrong answers (--measure error), and lowers A until no member is charged for
    more than these prove at 95 %. They come from a file, or from trainings on --data, which are
    written to such a file (runs.csv). Prints lines for terms.toml.
    """
    from ..calibration import calibrate as work_out  # here, because scipy loads slowly
    from ..calibration import document, read_runs
    from .calibration_table import print_calibration

    check_picture(plot, FIGURES, runs)
    wanted = None if members is None else _members(members)
    training = {"sizes": sizes, "seeds": seeds, "epochs": epochs, "output": output}
    if data is not None and runs is not None:
        raise InputError(f"give a file of runs ({runs}) or --data {data}, not both")
    if data is not None:
        where = _place(data, output)
        grid: dict[str, Any] = {"data": data, "whole": whole, "epochs": epochs}
        grid |= {
            "sizes": None if sizes is None else _sizes(sizes),
            "seeds": SEEDS if seeds is None else seeds,
        }
        options = {"measure": measure, "resume": resume, "data_dir": data_dir}
        measured = _train(grid, device, where, **options)
    elif runs is not None:
        extra = [f"--{name}" for name, said in training.items() if said is not None]
        if extra or resume:
            raise InputError(f"{', '.join(extra or ['--resume'])}: only for trainings; add --data")
        measured, where = read_runs(runs, measure), runs
    else:
        raise InputError("give a file of runs, or --data to train on")
    try:
        found = work_out(measured, whole=whole, members=wanted, value=value)
    except InputError as refusal:
        raise InputError(f"{where}: {refusal}") from None
    if plot is not None:
        from ..report.single.calibration import picture_of_calibration

        write_whole(plot, picture_of_calibration(found, plot.suffix.lower()))
        note(f"wrote {plot}")
    print_json(document(found)) if as_json else print_calibration(found)


def _place(data: str, output: Path | None) -> Path:
    """Where runs go."""
    if output is None and data not in DATASETS:
        raise InputError("say where the runs go with -o DIR")
    return output or Path("runs") / f"calibrate-{data}"


def _train(grid: dict[str, Any], device: Any, output: Path, **options: Any) -> "Runs":
    """The runs of trainings on this machine, as they are written into the directory."""
    from ..calibration.trained import RUNS, Grid, train_runs  # here, because torch loads slowly
    from ..training import Machine

    machine = Machine(device)
    try:
        with progress_bar() as (progress, note_above):
            measured = train_runs(
                Grid(**grid),
                machine,
                output,
                progress=progress,
                note=note_above,
                **options,
            )
    except KeyboardInterrupt:
        note(f"stopped; the same command with --resume goes on from {output}")
        raise typer.Exit(130) from None
    note(f"wrote {output / RUNS}")
    return measured


def _members(text: str) -> Sequence[int]:
    """The sizes of 400,800, or all that lie from 400 to 3200."""
    from ..calibration.bound import between

    return _numbers("--members", text, between)


def _sizes(text: str) -> Sequence[int]:
    """The sizes of 400,800, or those from 400 to 3200, each twice the one before."""

    def doubling(low: int, high: int) -> list[int]:
        return [low << k for k in range(high.bit_length()) if 1 <= low << k <= high]

    return _numbers("--sizes", text, doubling)


def _numbers(option: str, text: str, between: Any) -> Sequence[int]:
    low, colon, high = text.partition(":")
    try:
        numbers = between(int(low), int(high)) if colon else [int(m) for m in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers:
        raise InputError(
            f"{option} is {text!r}; give whole numbers, 400,800,1600, or a range, 400:1600"
        )
    return list(numbers)
