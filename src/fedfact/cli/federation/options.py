"""Options that commands about a federation have in common."""

from pathlib import Path
from typing import Annotated

import typer

Directory = Annotated[Path, typer.Argument(help="The operator's directory.")]
