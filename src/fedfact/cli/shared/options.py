"""Options that commands of all kinds have in common."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ...extras import require
from ...io.files import check_output

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
DeviceOption = Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to train.")]
DataDirectory = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Directory of the data sets (else FEDFACT_DATA, or a cache)."),
]


def check_picture(path: Path | None, formats: tuple[str, ...], *inputs: Path | None) -> None:
    """Refuse, before any work, a picture that could not be drawn, or written where it is to be."""
    if path is not None:
        check_output(path, formats, tuple(filter(None, inputs)))
        require("matplotlib")
