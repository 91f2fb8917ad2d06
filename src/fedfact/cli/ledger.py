"""``fedfact ledger``, ``verify`` and ``statement``: read a ledger, check it, take one's part."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from ..io.files import check_output, printable, write_whole
from .shared.options import AsJson
from .shared.output import error, note, print_json, print_table, say, stdout
from .shared.tables import new_table, print_statement

Where = Annotated[
    str,
    typer.Argument(
        metavar="LEDGER", help="An operator's directory, ledger.db, a URL, or an export (.jsonl)."
    ),
]

UNSOUND = 3
"""The exit code of a ledger that does not verify."""

CONTESTED = 5
"""The exit code of a sound ledger that lacks what a member says it answered."""

ledger = typer.Typer(
    name="ledger",
    help="Show or export a federation's ledger.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@ledger.command(epilog="Example:  fedfact ledger show consortium --from 10")
def show(
    where: Where,
    start: Annotated[int, typer.Option("--from", min=0, help="First entry to show.")] = 0,
    as_json: AsJson = False,
) -> None:
    """List the entries: number, season, time, kind, hash and size; with --json all they say."""
    from ..federation.ledger.entries import said_by
    from ..federation.ledger.store import read_ledger

    entries = read_ledger(where)[start:]
    if as_json:
        print_json([{**asdict(entry), "body": said_by(entry).dump()} for entry in entries])
        return
    table = new_table("entry", "season", "time (UTC)", "kind", "bytes", "hash")
    for entry in entries:
        time, size = entry.time[:19].replace("T", " "), f"{len(entry.body):,}"
        row = (
            str(entry.number),
            str(entry.season or ""),
            time,
            entry.kind[:40],
            size,
            entry.hash[:16],
        )
        table.add_row(*map(printable, row))
    print_table(table)


@ledger.command(epilog="Example:  fedfact ledger export consortium -o ledger.jsonl")
def export(
    where: Where,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .jsonl.")],
    as_json: AsJson = False,
) -> None:
    """Write all entries to a file that verify takes, to hand to an auditor."""
    from ..federation.ledger.export import export as to_bytes
    from ..federation.ledger.store import read_ledger

    check_output(output, (".jsonl",), (Path(where),))
    entries = read_ledger(where)
    write_whole(output, to_bytes(entries), private=True)  # costs and samples of all
    if as_json:
        print_json({"entries": len(entries), "head": entries[-1].hash if entries else None})
    else:
        note(f"wrote {output}: {len(entries)} entries")


def verify(
    where: Where,
    member: Annotated[
        Path | None,
        typer.Option(help="A member's directory: compare with the copies that it kept."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a ledger offline: chain, signatures, seed, draw, every amount.

    Exit code 0 if all checks hold, 3 if one does not, 5 if the member's word is against it.
    """
    from ..federation.audit.verify import first_bad_entry, is_sound, phase_of, verify_ledger

    entries, verdicts = verify_ledger(where)
    phase = phase_of(verdicts)
    if member is not None:  # only then is code read that is not the auditor's
        from ..federation.audit.own_copy import verify_copy
        from ..federation.member.config import read_member_config
        from ..federation.member.files import MemberFiles

        files = MemberFiles(member)
        signed = files.contract()
        name = signed.member if signed else read_member_config(member / "member.toml").name
        verdicts += verify_copy(entries, name, files)
    contested = any(verdict.contested for verdict in verdicts)
    sound = is_sound(verdicts)
    first = first_bad_entry(verdicts)
    if as_json:
        checks = [asdict(verdict) for verdict in verdicts]
        print_json(
            {
                "sound": sound,
                "contested": contested,
                "phase": phase,
                "first_bad_entry": first,
                "checks": checks,
            }
        )
    else:
        marks = {True: "✓", False: "✗", None: "–"}
        width = max(len(verdict.name) for verdict in verdicts)
        for verdict in verdicts:
            mark = "?" if verdict.contested else marks[verdict.holds]
            say(f"{mark} {verdict.name:<{width}}  {verdict.says}")
        end = "" if first is None else f" The first bad entry is {first}."
        good, bad = f"sound. So far it says: {phase}.", f"NOT sound.{end}"
        say(f"The ledger is {good if sound else bad}")
        if contested:
            say("What ? marks, the member contests: an answer was thrown away, or lost on its way.")
    if not sound:
        raise typer.Exit(UNSOUND)
    if contested:
        raise typer.Exit(CONTESTED)


def statement(
    where: Where,
    member: Annotated[str, typer.Argument(help="Whose.")],
    season: Annotated[
        int | None, typer.Option(min=1, help="Of which season: the last that is settled, else.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print one member's statement: its own lines, each with its formula and numbers filled in.

    The ledger is verified first; exit code 3 if a check does not hold.
    """
    from ..federation.audit.verify import verify_ledger
    from ..federation.ledger.state import replay
    from ..settlement.statement import statement as statement_of

    entries, verdicts = verify_ledger(where)
    wrong = next((verdict for verdict in verdicts if not verdict.holds), None)
    if wrong is not None:
        error(f"{where}: is not sound, so there are no statements ({wrong.name}: {wrong.says})")
        raise typer.Exit(UNSOUND)
    seasons = replay(entries).seasons
    if season is not None and season > len(seasons):
        raise InputError(
            f"{where}: has {len(seasons)} seasons, and season {season} is none of them"
        )
    settled = [each for each in seasons if each.settled is not None]
    record = seasons[season - 1] if season else (settled or seasons)[-1]
    if record.settled is None or record.revealed is None:
        which = f"season {record.number} is" if record.number > 1 else "is"
        raise InputError(
            f"{where}: {which} not settled ({record.phase}); there are no statements yet"
        )
    settlement = record.settlement_now()
    if settlement is None:
        raise InputError(f"{where}: {record.void_in_words}")
    if member not in record.lines:
        raise InputError(f"{where}: there is no member {member!r} in the settlement of its season")
    found = statement_of(settlement, member)
    if as_json:
        said = found.document()
        print_json({"member": said.pop("agent"), "season": record.number, **said})
        return
    if len(seasons) > 1:
        stdout().print(f"Season {record.number}, {record.terms.name}")
    print_statement(found)
    delivery = record.deliveries[member]
    stdout().print(
        f"\nPromised {delivery.promised:,} samples, delivered {delivery.delivered:,} by your own "
        f"signed count, in {delivery.attended} of the {delivery.asked} rounds you were asked for; "
        f"billed {delivery.billed:,}."
    )
