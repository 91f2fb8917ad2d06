"""``fedfact backup`` and ``restore``: an operator's or a member's directory in one file."""

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from ..io.files import read_text
from .shared.options import AsJson
from .shared.output import note, print_json, stdout

_Secret = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help="Read the passphrase here, and do not ask for it."),
]


def backup(
    directory: Annotated[Path, typer.Argument(help="An operator's or a member's directory.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .backup.")],
    passphrase_file: _Secret = None,
    as_json: AsJson = False,
) -> None:
    """Write a directory with its keys to one encrypted file; it may be at work meanwhile.

    Without the passphrase nobody can read it, nor can you.
    """
    from ..federation.backup.back_up import back_up

    done = back_up(directory, output, _passphrase(passphrase_file, again=True))
    for link in done.links:
        note(f"{link} is a link and not in the backup; copy what it leads to yourself")
    if as_json:
        links = {"links_left_out": done.links}
        print_json({"file": str(output), "files": done.files, "entries": done.entries, **links})
        return
    ledger = "" if done.entries is None else f", a ledger of {done.entries} entries"
    stdout().print(f"Wrote {output}: {done.files} files{ledger}.")


def restore(
    file: Annotated[Path, typer.Argument(help="What fedfact backup wrote.")],
    directory: Annotated[Path, typer.Argument(help="Where to restore it: a new directory.")],
    passphrase_file: _Secret = None,
    as_json: AsJson = False,
) -> None:
    """Make the directory again that a backup is of, whole or not at all."""
    from ..federation.backup.restore import restore as make

    about = make(file, directory, _passphrase(passphrase_file, again=False))
    if as_json:
        print_json({"directory": str(directory), **about.dump()})
        return
    ledger = "" if about.entries is None else f", with a ledger of {about.entries} entries"
    stdout().print(f"Restored {directory} as it was at {about.time[:19]} UTC{ledger}.")
    if about.of == "operator":
        stdout().print(f"Go on with fedfact federation resume {directory}")


def _passphrase(file: Path | None, *, again: bool) -> str:
    if file is not None:
        text = read_text(file, "a file with the passphrase in its first line")
        return text.partition("\n")[0].rstrip("\r")
    if not sys.stdin.isatty():
        raise InputError("there is nobody to ask for the passphrase; give --passphrase-file")
    said = getpass.getpass("Passphrase: ")
    if again and getpass.getpass("The same again: ") != said:
        raise InputError("the two passphrases differ; try again")
    return said
