"""Whose directory a command is about: the operator's, or a member's by its config."""

from pathlib import Path
from typing import Annotated

import typer

Directory = Annotated[Path, typer.Argument(help="The operator's directory.")]
Config = Annotated[Path, typer.Option("--config", help="The member's member.toml.")]
