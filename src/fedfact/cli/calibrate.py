"""``fedfact calibrate``: the curve of the terms, from trainings at several sizes."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from ..io.files import check_output, write_whole
from ..report import FIGURES
from .shared.options import AsJson
from .shared.output import note, print_json


def calibrate(
    runs: Annotated[
        Path, typer.Argument(help="CSV or JSON with a row for each training: samples, seed, loss.")
    ],
    whole: Annotated[
        int | None,
        typer.Option(min=2, help="Samples of all members together (default: the largest size)."),
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(
            help="Samples of members: 400,800 or 400:3200 (default: the sizes below the whole)."
        ),
    ] = None,
    value: Annotated[
        float, typer.Option(help="v, what one unit of loss is worth, in the terms' currency.")
    ] = 1.0,
    plot: Annotated[Path | None, typer.Option(help="Draw it: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Calibrate the curve of terms: how fast the loss falls with samples, and what is proved of it.

    Fits a·m^(−b) + e∞ to the test losses of models trained with several sizes and seeds, and lowers
    A until no member is charged for more than these losses prove at 95 %. Prints lines for
    terms.toml.
    """
    from ..calibration import calibrate as work_out  # here, because scipy loads slowly
    from ..calibration import document, read_runs
    from .calibration_table import print_calibration

    if plot is not None:
        check_output(plot, FIGURES, (runs,))
    measured = read_runs(runs)
    wanted = None if members is None else _members(members)
    try:
        found = work_out(measured, whole=whole, members=wanted, value=value)
    except InputError as refusal:
        raise InputError(f"{runs}: {refusal}") from None
    if plot is not None:
        from ..report.single.calibration import picture_of_calibration

        write_whole(plot, picture_of_calibration(found, plot.suffix.lower()))
        note(f"wrote {plot}")
    print_json(document(found)) if as_json else print_calibration(found)


def _members(text: str) -> list[int]:
    """The sizes of 400,800, or all that lie from 400 to 3200."""
    from ..calibration.bound import between

    low, colon, high = text.partition(":")
    try:
        return between(int(low), int(high)) if colon else [int(m) for m in text.split(",")]
    except ValueError:
        raise InputError(
            f"--members is {text!r}; give whole numbers, 400,800,1600, or a range, 400:1600"
        ) from None
