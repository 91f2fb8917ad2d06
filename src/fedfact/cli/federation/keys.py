"""``fedfact federation key``: a member's key is replaced, retired, or restored."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ..shared.options import AsJson
from ..shared.output import note, print_json, stdout
from .options import Config, Directory

key = typer.Typer(
    name="key",
    help="Replace the key that a member signs with, declare one void, confirm a new one.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Why = Annotated[str, typer.Option(help="The reason, for the ledger.")]


@key.command(epilog="Example:  fedfact federation key new --config oak/member.toml")
def new(config: Config, as_json: AsJson = False) -> None:
    """As a member, make a new key: a file, signed by the old key and the new one.

    The new key is yours once the operator has accepted it; until then the old one signs.
    """
    from ...federation.member.config import read_member_config
    from ...federation.member.files import MemberFiles
    from ...federation.member.own_keys import make_new_key

    own, published = read_member_config(config), MemberFiles(config.parent).published()
    path = make_new_key(config.parent, published.consortium, own.name)
    if as_json:
        print_json({"key": str(path)})
    else:
        stdout().print(f"Wrote {path}: send it to the operator, who runs key accept.")


@key.command(
    epilog="Example:  fedfact federation key answer --config oak/member.toml --why 'not lost'"
)
def answer(
    config: Config,
    why: Annotated[str, typer.Option(help="Your words, for the ledger.")],
    as_json: AsJson = False,
) -> None:
    """As a member, answer to the operator's word that your key is void: a file, signed."""
    from ...federation.member.config import read_member_config
    from ...federation.member.files import MemberFiles
    from ...federation.member.own_keys import make_answer

    own, published = read_member_config(config), MemberFiles(config.parent).published()
    path = make_answer(config.parent, published.consortium, own.name, why)
    if as_json:
        print_json({"answer": str(path)})
    else:
        stdout().print(f"Wrote {path}: send it to the operator, who runs key accept.")


@key.command(epilog="Example:  fedfact federation key accept consortium oak.key.json")
def accept(
    directory: Directory,
    file: Annotated[Path, typer.Argument(help="What the member sent: its new key or answer.")],
    as_json: AsJson = False,
) -> None:
    """Enter a member's new key, or its answer, into the ledger."""
    from ...federation.operator.entered.keys import accept as enter

    member, kind = enter(directory, file)
    if as_json:
        print_json({"member": member, "entered": kind})
    else:
        new = f"{member} signs with its new key from here on"
        note(new if kind == "key" else f"the answer of {member} is in the ledger")


@key.command(epilog="Example:  fedfact federation key retire consortium oak --why 'laptop stolen'")
def retire(
    directory: Directory,
    member: Annotated[str, typer.Argument(help="Whose.")],
    why: Why,
    as_json: AsJson = False,
) -> None:
    """Declare a member's key void from the next season on; the member can answer."""
    from ...federation.operator.entered.keys import retire as end

    season = end(directory, member, why)
    if as_json:
        print_json({"member": member, "void_from_season": season})
    else:
        note(f"the key of {member} is void from season {season} on; confirm another with restore")


@key.command(
    epilog="Example:  fedfact federation key restore consortium oak=oak.request.json "
    "--why 'disk died; called Dr. Ash'"
)
def restore(
    directory: Directory,
    member: Annotated[
        str, typer.Argument(metavar="MEMBER=REQUEST", help="Who, and its new request.")
    ],
    why: Why,
    as_json: AsJson = False,
) -> None:
    """Confirm a member that lost its key, with a new request that you know to be its own.

    The ledger says that this is your word, and so does the member's statement of the season.
    """
    from ...federation.deploy.flare.kits.set_up import readmit

    name, equals, path = member.partition("=")
    if not equals or not path:
        raise InputError(
            f"{member!r} does not say where the member's request is; write MEMBER=REQUEST, as in "
            "oak=oak.request.json"
        )
    kit = readmit(directory, name, Path(path), why)
    if as_json:
        print_json({"member": name, "kit": str(kit)})
    else:
        stdout().print(f"{name} is back; send it its new kit: {kit}")
