"""Options that commands of all kinds have in common."""

from pathlib import Path
from typing import Annotated, Literal

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
DeviceOption = Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to train.")]
DataDirectory = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Directory of the data sets (else FEDFACT_DATA, or a cache)."),
]
