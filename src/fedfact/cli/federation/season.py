"""``fedfact federation season``, ``invite`` and ``retire``: between two seasons of a consortium."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ..shared.options import AsJson
from ..shared.output import note, print_json, print_table, stdout
from ..shared.tables import new_table
from .named import read_contacts, read_requests, read_sizes
from .options import Directory
from .view import money_unit

season = typer.Typer(
    name="season",
    help="Publish the terms of the next season, list the seasons, renew certificates.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@season.command(
    epilog="Example:  fedfact federation season new consortium --terms second.toml --without elm"
)
def new(
    directory: Directory,
    terms: Annotated[Path, typer.Option(help="TOML file with the terms, which all sign anew.")],
    without: Annotated[
        str, typer.Option(help="Members of the last season that are not in this one: elm,fir.")
    ] = "",
    sizes: Annotated[
        str, typer.Option(help="Each member's size, if sizes differ: NAME=SIZE,...")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Open the next season, once the last one is settled: new terms, new kits, new certificates.

    Invited are the members of the last season that did not retire, and all who were invited since.
    """
    from ...federation.deploy.flare.seasons import new_season

    left_out = [each.strip() for each in without.split(",") if each.strip()]
    made = new_season(directory, terms, left_out, read_sizes(sizes))
    for member, what in made.owed.items():
        note(
            f"{member} has not got its {what} of season {made.number - 1}, and resume can no "
            f"longer hand it out; fedfact statement {directory} {member} --season "
            f"{made.number - 1} prints it"
        )
    if as_json:
        kits = {member: str(kit) for member, kit in made.kits.items()}
        print_json({"season": made.number, "kits": kits, "owed": made.owed})
        return
    say = stdout().print
    say(f"Season {made.number} of {directory}: its terms are published and fixed.")
    _print_kits(made.kits)
    say(f"Then you run:  fedfact federation start {directory}")


@season.command("list", epilog="Example:  fedfact federation season list consortium")
def list_seasons(directory: Directory, as_json: AsJson = False) -> None:
    """List the seasons of a consortium: terms, members, rounds, how far each has come."""
    from ...federation.operator.overview import seasons_overview

    found = seasons_overview(directory)
    if as_json:
        print_json(found)
        return
    table = new_table("season", "name", "rule", "members", "rounds", "surplus")
    table.add_column("phase")
    for row in found["seasons"]:
        surplus = "" if row["surplus"] is None else money_unit(row).money(row["surplus"])
        table.add_row(
            str(row["season"]),
            row["federation"],
            row["rule"],
            ", ".join(row["members"]),
            f"{row['rounds']} of {row['rounds_planned']}",
            surplus,
            row["phase"],
        )
    print_table(table)
    if found["awaited"]:
        stdout().print(f"invited to the next season: {', '.join(found['awaited'])}")
    for member, why in found["retired"].items():
        stdout().print(f"retired: {member}, {why}", soft_wrap=True)


@season.command(epilog="Example:  fedfact federation season renew consortium")
def renew(directory: Directory, as_json: AsJson = False) -> None:
    """Renew all certificates within a season, and write the kits that hold them anew.

    A season that is opened does so by itself.
    """
    from ...federation.deploy.flare.seasons import renew as make_anew

    kits = make_anew(directory)
    if as_json:
        print_json({"kits": {member: str(kit) for member, kit in kits.items()}})
        return
    _print_kits(kits)
    note("the server has its new certificate when it is started the next time")


def invite(
    directory: Directory,
    members: Annotated[
        str, typer.Option(help="Each member's name and the request it sent: NAME=REQUEST,...")
    ] = "",
    sizes: Annotated[
        str, typer.Option(help="Their sizes, where the season that they come to has sizes.")
    ] = "",
    contact: Annotated[
        list[str] | None,
        typer.Option(help="Who a member is, kept beside the ledger: NAME=WORDS. Repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Invite members to the next season that begins, each by the request that it sent.

    Where its terms are published they get their kits at once, else with season new. A member that
    is in the season may send its request again, for a kit with a new certificate.
    """
    from ...federation.deploy.flare.seasons import invite_members

    requests, contacts = read_requests(members) if members else {}, read_contacts(contact or ())
    if not requests and not contacts:
        raise InputError("say whom to invite: --members NAME=REQUEST, or a --contact NAME=WORDS")
    made = invite_members(directory, requests, read_sizes(sizes), contacts)
    if as_json:
        kits = {member: str(kit) for member, kit in made.kits.items()}
        print_json({"season": made.season, "invited": list(requests), "kits": kits})
        return
    if made.kits:
        _print_kits(made.kits)
    elif requests:
        stdout().print(
            f"{', '.join(requests)}: in season {made.season}, whose terms you publish with fedfact "
            f"federation season new {directory} --terms FILE"
        )
    else:
        note(f"noted of {', '.join(contacts)}; the ledger does not have it")


def retire(
    directory: Directory,
    member: Annotated[str, typer.Argument(help="Who is in no season to come.")],
    why: Annotated[str, typer.Option(help="The reason, for the ledger.")] = "",
    erase: Annotated[
        bool, typer.Option("--erase", help="Forget who it is: contact, request and kit.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Retire a member: it is in no season to come, gets no kit, and is not let in any more.

    In a season that has begun it keeps what it signed. With --erase alone, of a member that is
    retired already, what the operator noted of it is erased; the ledger, which has its id and its
    key only, still verifies.
    """
    from ...federation.deploy.flare.seasons import erase as forget
    from ...federation.deploy.flare.seasons import retire_member

    number = retire_member(directory, member, why) if why or not erase else None
    if erase:
        forget(directory, member)
    if as_json:
        print_json({"retired": member, "entry": number, "erased": erase})
        return
    said = [] if not why else [f"{member} is retired"]
    note("; ".join([*said, *([f"what you noted of {member} is erased"] if erase else [])]))


def _print_kits(kits: dict[str, Path]) -> None:
    say = stdout().print
    say("Send each member its own kit; it holds no secret, but must reach them unchanged:")
    for member, kit in kits.items():
        say(f"  {member}: {kit}")
    say("Members run:   fedfact federation join KIT --config member.toml")
