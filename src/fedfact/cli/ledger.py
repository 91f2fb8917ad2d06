"""``fedfact ledger`` and ``statement``: read a ledger, prove some of it, sign it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from ..io.files import check_output, printable, write_whole
from .shared.options import AsJson
from .shared.output import error, note, print_json, print_table, stdout
from .shared.tables import new_table, print_statement
from .verify import UNSOUND, Where

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


@ledger.command(epilog="Example:  fedfact ledger prove consortium --member oak -o oak.proof.json")
def prove(
    where: Where,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .json.")],
    member: Annotated[
        str | None, typer.Option(help="Prove this member's own entries, and show nobody else's.")
    ] = None,
    since: Annotated[
        int | None, typer.Option(min=0, help="Prove that the ledger only grew since this entry.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a proof about a ledger for somebody who is not to be given all of it.

    Whoever has it checks it offline: fedfact verify FILE.
    """
    from ..federation.ledger.proof_files import prove_growth, prove_member
    from ..federation.ledger.store import read_ledger

    check_output(output, (".json",), (Path(where),))
    if (member is None) == (since is None):
        raise InputError("say what to prove: --member NAME, or --since ENTRY")
    entries = read_ledger(where)
    proof = prove_growth(entries, since or 0) if member is None else prove_member(entries, member)
    write_whole(output, proof.encoded(), private=True)  # a member's costs and amounts
    if as_json:
        print_json({"head": proof.head.dump(), "bytes": len(proof.encoded())})
    else:
        note(f"wrote {output}: against the head of entry {proof.head.number}")


@ledger.command(epilog="Example:  fedfact ledger cosign ledger.jsonl --key own.key -o head.json")
def cosign(
    where: Where,
    key: Annotated[Path, typer.Option(help="Your secret key; made if it is not there.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .json.")],
    as_json: AsJson = False,
) -> None:
    """As a third party, sign the head of a ledger that you have verified; it is verified first.

    The operator enters what you signed (fedfact federation cosigned). Keep a copy: what the ledger
    said until then can no longer be taken back.
    """
    from ..federation.audit.verify import is_sound, verify_ledger
    from ..federation.ledger.proof_files import CosignedHead
    from ..federation.ledger.state import replay
    from ..federation.wire.document import FORMAT
    from ..federation.wire.keys import Key, keep_secret
    from ..federation.wire.ledger_head import Cosigned

    check_output(output, (".json",), (Path(where), key))
    entries, verdicts = verify_ledger(where)
    if not is_sound(verdicts):
        error(f"{where}: is not sound, so its head is not signed; see fedfact verify")
        raise typer.Exit(UNSOUND)
    state = replay(entries)
    own = Key(keep_secret(key))
    signed = Cosigned.signed(own, state.consortium.hash(), state.head)
    write_whole(output, CosignedHead(format=FORMAT, cosigned=signed).encoded())
    if as_json:
        print_json(signed.dump())
    else:
        note(f"wrote {output}: the head of entry {state.head.number}, by key {own.public[:16]}")


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
    assert record.settlement is not None
    restored = record.keys.restored(member, record.number, before=record.settlement)
    if as_json:
        said = found.document()
        print_json(
            {"member": said.pop("agent"), "season": record.number, **said, "restored": restored}
        )
        return
    if len(seasons) > 1:
        stdout().print(f"Season {record.number}, {record.terms.name}")
    print_statement(found)
    if restored is not None:
        stdout().print(
            f"\nIn this season the operator confirmed a new key of {member}, which lost its own "
            f"(entry {restored}): from there on the new one signs."
        )
    delivery = record.deliveries[member]
    stdout().print(
        f"\nPromised {delivery.promised:,} samples, delivered {delivery.delivered:,} by your own "
        f"signed count, in {delivery.attended} of the {delivery.asked} rounds you were asked for; "
        f"billed {delivery.billed:,}."
    )
